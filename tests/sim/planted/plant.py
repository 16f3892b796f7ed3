#!/usr/bin/python3
"""Copies the product's sources that some bug of bugs/*.bug is to be planted in, and plants them all.

    plant.py --into FOLDER      writes the copies and bug_names.cpp, prints the paths of all of them
    plant.py --check            only whether every edit still fits the sources

In a copy each bug sleeps: `planted()` in its lines asks at run time whether it is the one that was chosen.
A bug says which lines it finds (`is:`) and what they become; CONTRIBUTING.md shows one.
"""

import argparse
import difflib
import pathlib
import re
import sys
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[2]
# Headers would have everything that includes them compiled again, and differently from the libraries.
MAY_BE_PLANTED_IN = re.compile(r"(actors|nodes|storage)/[\w/]+\.cpp")
KEYS = {"rule", "storm", "seeds"}


class Fault(Exception):
    """Something in a .bug file, told to whoever wrote it."""


@dataclass
class Edit:
    path: str
    line: int  # of the first line that it becomes, in the .bug file
    old: list = field(default_factory=list)
    new: list = field(default_factory=list)


@dataclass
class Bug:
    name: str
    file: pathlib.Path
    does: str = ""
    words: dict = field(default_factory=dict)
    edits: list = field(default_factory=list)

    @property
    def rules(self):
        return self.words["rule"].split()

    @property
    def storm(self):
        return self.words["storm"]

    @property
    def seeds(self):
        return int(self.words.get("seeds", 40))


def read_bug(file):
    bug = Bug(file.stem, file)
    part, into = "sentence", None
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if part in ("is", "becomes") and (line.startswith("  ") or not line.strip()):
            into.append(line[2:])
        elif match := re.fullmatch(r"in (\S+)", line):
            bug.edits.append(Edit(match.group(1), 0))
            part = "edit"
        elif line == "is:" and part in ("edit", "becomes"):
            if part == "becomes":
                bug.edits.append(Edit(bug.edits[-1].path, 0))
            part, into = "is", bug.edits[-1].old
        elif line == "becomes:" and part == "is":
            bug.edits[-1].line = number + 1
            part, into = "becomes", bug.edits[-1].new
        elif (match := re.fullmatch(r"(\w+): (.+)", line)) and match.group(1) in KEYS:
            bug.words[match.group(1)] = match.group(2)
            part = "words"
        elif part == "sentence":
            bug.does = f"{bug.does} {line.strip()}".strip()
        elif line.strip():
            raise Fault(f"{file.name}:{number}: '{line}' is neither a word of the head nor an edit")
    check_bug(bug)
    return bug


def check_bug(bug):
    for key in ("rule", "storm"):
        if key not in bug.words:
            raise Fault(f"{bug.file.name}: says no `{key}:`")
    if not bug.does or not bug.edits:
        raise Fault(f"{bug.file.name}: says not what it does, or has no edit")
    for edit in bug.edits:
        for lines in (edit.old, edit.new):
            while lines and not lines[-1].strip():
                lines.pop()
        if not MAY_BE_PLANTED_IN.fullmatch(edit.path):
            raise Fault(f"{bug.file.name}: {edit.path} is no .cpp file of the product")
        if not edit.old:
            raise Fault(f"{bug.file.name}: an edit of {edit.path} finds nothing: `is:` is empty")
        if edit.old == edit.new:
            raise Fault(f"{bug.file.name}: an edit of {edit.path} changes nothing")
    if not any("planted()" in line for edit in bug.edits for line in edit.new):
        raise Fault(f"{bug.file.name}: asks nowhere whether it is `planted()`")


def read_bugs():
    return [read_bug(file) for file in sorted((HERE / "bugs").glob("*.bug"))]


def place_of(bug, edit, lines):
    """Where in the source the lines are that it finds: exactly one place, whatever their indentation."""
    wanted = [line.strip() for line in edit.old]
    bare = [line.strip() for line in lines]
    places = [at for at in range(len(bare) - len(wanted) + 1) if bare[at : at + len(wanted)] == wanted]
    if len(places) != 1:
        found = "not there" if not places else f"there {len(places)} times"
        raise Fault(f"{bug.file.name}: what it finds in {edit.path} is {found}:\n  " + "\n  ".join(edit.old))
    return places[0]


@dataclass
class Splice:
    """Lines begin..end of a source go, and others come."""

    bug: Bug
    begin: int
    end: int
    line: int
    new: list


def splices_of(bug, edit, lines):
    """Only what really changes: lines that stay as they are can be shared with other edits."""
    begin = place_of(bug, edit, lines)
    old = [line.strip() for line in edit.old]
    new = [line.strip() for line in edit.new]
    for kind, old_begin, old_end, new_begin, new_end in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        if kind != "equal":
            yield Splice(
                bug, begin + old_begin, begin + old_end, edit.line + new_begin, edit.new[new_begin:new_end]
            )


def planted_source(path, bugs):
    source = REPOSITORY / path
    if not source.is_file():
        names = ", ".join(bug.file.name for bug in bugs if any(edit.path == path for edit in bug.edits))
        raise Fault(f"{names}: there is no {path}")
    lines = source.read_text().splitlines()
    splices = [
        splice
        for bug in bugs
        for edit in bug.edits
        if edit.path == path
        for splice in splices_of(bug, edit, lines)
    ]
    splices.sort(key=lambda splice: (splice.begin, splice.end))
    text = ['#include "tests/sim/planted/planted.hpp"', f'#line 1 "{path}"']
    at, before = 0, None
    for splice in splices:
        if splice.begin < at:
            raise Fault(f"{splice.bug.file.name} and {before.bug.file.name} change the same lines of {path}")
        text += lines[at : splice.begin]
        text.append(f'#line {splice.line} "{splice.bug.file.relative_to(REPOSITORY)}"')
        text += [line.replace("planted()", f'(planted_bug == "{splice.bug.name}"_bug)') for line in splice.new]
        text.append(f'#line {splice.end + 1} "{path}"')
        at, before = splice.end, splice
    text += lines[at:]
    return "\n".join(text) + "\n"


def names_source(bugs):
    names = "".join(f'    "{bug.name}",\n' for bug in bugs)
    return (
        "#include <string_view>\n#include <vector>\n\nnamespace stint {\n\n"
        "std::vector<std::string_view> planted_bugs();\n\n"
        f"std::vector<std::string_view> planted_bugs() {{\n  return {{\n{names}  }};\n}}\n\n}}  // namespace stint\n"
    )


def plant(bugs):
    """The text of each file, by its path."""
    paths = sorted({edit.path for bug in bugs for edit in bug.edits})
    files = {path: planted_source(path, bugs) for path in paths}
    files["bug_names.cpp"] = names_source(bugs)
    return files


def write_if_different(file, text):
    if file.is_file() and file.read_text() == text:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--into", type=pathlib.Path)
    arguments.add_argument("--check", action="store_true")
    options = arguments.parse_args()
    try:
        bugs = read_bugs()
        files = plant(bugs)
    except Fault as fault:
        sys.exit(f"plant.py: {fault}")
    if options.into:
        for path, text in files.items():
            write_if_different(options.into / path, text)
            print(options.into / path)
    elif options.check:
        print(f"{len(bugs)} bugs fit the sources")
    else:
        arguments.error("either --into or --check")


if __name__ == "__main__":
    main()
