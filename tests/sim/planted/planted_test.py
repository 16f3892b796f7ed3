#!/usr/bin/python3
"""Whether the simulator finds each planted bug, and passes the same seeds without one.

    planted_test.py [--bug NAME]... [--seeds N] [--json]

Exits 1 if a bug is not found within its bound of seeds, or if a rule breaks although no bug is planted.
The program is $STINT_SIM_PLANTED, else that of build/release.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import asdict, dataclass

import plant

PROGRAM = os.environ.get("STINT_SIM_PLANTED", str(plant.REPOSITORY / "build/release/stint_sim_planted"))
PROCESSES = 2
# Of real time, for all seeds of one bug: one that makes the product turn for ever is not found.
PATIENCE_S = 300


@dataclass
class Outcome:
    bug: str
    storm: str
    rules: list  # that it is said to break
    seeds: int  # tried
    found: bool = False
    rule: str = ""  # that was seen to break
    what: str = ""
    seed: int = 0  # the first that shows it
    simulated_s: float = 0
    real_s: float = 0


def run(bug, storm, rules, seeds):
    outcome = Outcome(bug, storm, rules, seeds)
    begun = time.monotonic()
    command = [PROGRAM, "--bug", bug, "--storm", storm, "--seeds", str(seeds)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
        understand(done, outcome)
    except subprocess.TimeoutExpired:
        outcome.what = f"went on for more than {PATIENCE_S} s"
    outcome.real_s = round(time.monotonic() - begun, 1)
    return outcome


def understand(done, outcome):
    if match := re.match(r"found (\d+) (\d+) rule (\w+): (.*)", done.stdout):
        outcome.found = True
        outcome.seed, outcome.simulated_s = int(match.group(1)), int(match.group(2)) / 1000
        outcome.rule, outcome.what = match.group(3), match.group(4)
    elif match := re.match(r"passed \d+ (\d+)", done.stdout):
        outcome.simulated_s = int(match.group(1)) / 1000
        outcome.what = "no rule is broken"
    elif match := re.search(r"Assertion `(.*)' failed", done.stderr):
        # The product itself noticed that something cannot be.
        outcome.found, outcome.rule, outcome.what = True, "assert", match.group(1)
    else:
        outcome.what = f"ended with {done.returncode}: {done.stderr.strip()[-200:]}"


def run_all(tasks, word):
    """Each in a process of its own, a few at once; tells how far it is where somebody looks on."""
    looks_on = sys.stderr.isatty()
    with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        running = [pool.submit(run, *task) for task in tasks]
        for count, done in enumerate(concurrent.futures.as_completed(running), 1):
            if looks_on:
                bar = "#" * (40 * count // len(running))
                print(f"\r{word} [{bar:<40}] {count} of {len(running)}", end="", file=sys.stderr)
            done.result()
    if looks_on:
        print(file=sys.stderr)
    return [one.result() for one in running]


def run_clean(outcomes):
    """The same binary and seeds without a bug: what breaks there is a false alarm."""
    needed = {}
    for outcome in outcomes:
        needed[outcome.storm] = max(needed.get(outcome.storm, 1), outcome.seed or outcome.seeds)
    return run_all([("none", storm, [], seeds) for storm, seeds in sorted(needed.items())], "without a bug")


def print_table(outcomes, clean):
    print("| bug | breaks | found as | how | storm | seed | simulated s | real s |")
    print("|---|---|---|---|---|---|---|---|")
    for one in outcomes:
        found_as = one.rule if one.found else "**not found**"
        print(
            f"| {one.bug} | {' '.join(one.rules)} | {found_as} | {one.what} | {one.storm} | {one.seed or '-'} "
            f"| {one.simulated_s:.1f} | {one.real_s:.1f} |"
        )
    print()
    for one in clean:
        verdict = f"rule {one.rule} breaks at seed {one.seed}: {one.what}" if one.found else one.what
        print(f"Without a bug, storm of {one.storm}, {one.seeds} seeds, {one.simulated_s:.0f} s simulated: {verdict}.")
    found = sum(one.found for one in outcomes)
    print(f"\n{found} of {len(outcomes)} planted bugs are found.")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--bug", action="append", help="only this one")
    arguments.add_argument("--seeds", type=int, help="so many at most, whatever the bugs say")
    arguments.add_argument("--json", action="store_true", help="for programs")
    options = arguments.parse_args()
    bugs = [bug for bug in plant.read_bugs() if not options.bug or bug.name in options.bug]
    if unknown := set(options.bug or []) - {bug.name for bug in bugs}:
        arguments.error(f"no such bug: {', '.join(sorted(unknown))}")
    outcomes = run_all([(bug.name, bug.storm, bug.rules, options.seeds or bug.seeds) for bug in bugs], "bugs")
    clean = run_clean(outcomes)
    if options.json:
        print(json.dumps({"bugs": [asdict(one) for one in outcomes], "none": [asdict(one) for one in clean]}, indent=1))
    else:
        print_table(outcomes, clean)
    is_proven = all(one.found for one in outcomes) and all(one.what == "no rule is broken" for one in clean)
    sys.exit(0 if is_proven else 1)


if __name__ == "__main__":
    main()
