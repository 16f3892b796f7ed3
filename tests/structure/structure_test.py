#!/usr/bin/python3
"""Who includes whom, and the shape that DESIGN.md promises: nodes -> actors -> storage's interface -> protocol."""

import itertools
import pathlib
import re
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["protocol", "storage", "actors", "nodes", "tests", "clients"]

# Which of our own headers a folder may include: prefixes of their paths.
MAY_INCLUDE = {
    "protocol": ("protocol/",),
    "storage": ("storage/", "protocol/"),
    "actors": ("actors/", "storage/store.hpp", "protocol/"),
    "nodes": ("nodes/", "actors/", "storage/", "protocol/"),
    "tests": ("tests/", "nodes/", "actors/", "storage/", "protocol/"),
    "clients": ("nodes/worker.hpp",),
}

# Which folders may use a library at all, and where its headers, which cost seconds each, may show in a header of ours.
LIBRARIES = {
    # include begins with: (folders whose .cpp files may, folders whose headers may)
    "msgpack": (("protocol", "tests", "clients"), ("tests",)),
    "zmq": (("nodes", "tests", "clients"), ("nodes", "tests")),
    "sqlite3": (("storage", "tests"), ("tests",)),
    "spdlog/": (("nodes", "tests"), ()),
    "fmt/": (("nodes", "tests"), ()),
    "CLI/": (("nodes", "tests"), ()),
    "toml++/": (("nodes", "tests"), ()),
    "nlohmann/": (("nodes", "tests"), ("tests",)),
}

# What an actor does not touch: threads, clocks, files, sockets.
NOT_FOR_ACTORS = re.compile(
    r"#include <(thread|mutex|condition_variable|future|fstream|filesystem|iostream|ctime|time\.h|unistd\.h|poll\.h"
    r"|sys/.*|netinet/.*)>|_clock::now\(|\bclock_gettime\(|\bsleep(_for|_until)?\(|\bgetenv\("
)

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')
MOST_LINES = 600


def sources(*suffixes):
    for folder in FOLDERS:
        for path in sorted((REPOSITORY / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield folder, path.relative_to(REPOSITORY)


def includes(path):
    """(line number, our header or None, header of another or None)"""
    for number, line in enumerate((REPOSITORY / path).read_text().splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match.group(1), match.group(2)


class StructureTest(unittest.TestCase):
    def check_none(self, faults, promise):
        if faults:
            self.fail(promise + ":\n  " + "\n  ".join(faults))

    def test_there_is_something_to_check(self):
        seen = {folder for folder, _ in sources(".cpp", ".hpp")}
        self.assertLessEqual({"protocol", "storage", "actors", "nodes", "tests"}, seen)

    def test_includes_go_one_way_only(self):
        faults = [
            f'{path}:{number} includes "{own}"'
            for folder, path in sources(".cpp", ".hpp")
            for number, own, _ in includes(path)
            if own and not own.startswith(MAY_INCLUDE[folder])
        ]
        self.check_none(faults, "nodes -> actors -> storage/store.hpp -> protocol, by the path from the root")

    def test_every_own_include_exists(self):
        faults = [
            f'{path}:{number} includes "{own}"'
            for _, path in sources(".cpp", ".hpp")
            for number, own, _ in includes(path)
            if own and not (REPOSITORY / own).is_file()
        ]
        self.check_none(faults, "what is included in quotes is a file of this repository")

    def test_no_two_headers_include_each_other(self):
        graph = {str(path): [own for _, own, _ in includes(path) if own] for _, path in sources(".hpp")}
        done = set()

        def walk(header, above):
            self.assertNotIn(header, above, " -> ".join([*above, header]))
            if header not in done:
                for next_ in graph.get(header, []):
                    walk(next_, [*above, header])
                done.add(header)

        for header in graph:
            walk(header, [])

    def test_libraries_stay_where_they_belong(self):
        faults = []
        for folder, path in sources(".cpp", ".hpp"):
            for number, _, other in includes(path):
                for library, (in_sources, in_headers) in LIBRARIES.items():
                    allowed = in_headers if path.suffix == ".hpp" else in_sources
                    if other and other.startswith(library) and folder not in allowed:
                        faults.append(f"{path}:{number} includes <{other}>")
        self.check_none(faults, "a library is used in its folder alone, and heavy headers in no header")

    def test_actors_touch_no_thread_clock_file_or_socket(self):
        faults = [
            f"{path}:{number}: {line.strip()}"
            for folder, path in sources(".cpp", ".hpp")
            if folder == "actors"
            for number, line in enumerate((REPOSITORY / path).read_text().splitlines(), 1)
            if NOT_FOR_ACTORS.search(line.split("//")[0])
        ]
        self.check_none(faults, "actors touch nothing but their messages and their turn")

    def test_every_header_says_what_it_is_for(self):
        faults = []
        for _, path in sources(".hpp"):
            lines = (REPOSITORY / path).read_text().splitlines()
            comment = list(itertools.takewhile(lambda line: line.startswith("//"), lines))
            if not comment or lines[len(comment)] != "#pragma once":
                faults.append(str(path))
        self.check_none(faults, "a header begins with a comment, then #pragma once")

    def test_no_file_is_too_long_to_read(self):
        faults = [
            f"{path}: {length} lines"
            for _, path in sources(".cpp", ".hpp", ".py", ".sh")
            if (length := len((REPOSITORY / path).read_text().splitlines())) > MOST_LINES
        ]
        self.check_none(faults, f"at most {MOST_LINES} lines a file")


if __name__ == "__main__":
    unittest.main(verbosity=2)
