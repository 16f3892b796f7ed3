#!/usr/bin/python3
"""How near stint comes to a loop that only moves the bytes: alternates runs of both and prints the ratios.

    tests/bench/ratios.py --bare-loop SOURCE.cpp [--program build/release/stint] [--batch 100]... [--rounds 5] [--json]

The source is compiled with g++ and called as `LOOP JOBS BATCH PAYLOAD OUTSTANDING DATABASE`; it prints a line of JSON with
`end_to_end_per_s`. Stint runs as `stint bench throughput --jobs JOBS --runs 1 --json` with the same sizes. Both keep their database
below $TMPDIR. A ratio is of two runs that followed each other; shown is the median of the rounds, with the least and the most.
"""

import argparse
import itertools
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
COMPILE = ["g++", "-O2", "-std=c++20", "-DMSGPACK_NO_BOOST"]
LIBRARIES = ["-lzmq", "-lsqlite3", "-lpthread"]
PATIENCE_S = 600


def default_jobs(batch, payload):
    """For a run of a few seconds on two cores."""
    jobs = {1: 60_000, 10: 200_000}.get(batch, 400_000)
    return max(batch, jobs // 20) if payload > 10_000 else jobs


def output_of(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    if done.returncode != 0:
        sys.exit(f"ratios.py: {' '.join(map(str, command))} exits with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def run_bare_loop(loop, folder, jobs, sizes):
    database = folder / "bare.db"
    told = output_of([loop, *map(str, (jobs, *sizes)), database])
    for file in folder.glob("bare.db*"):
        file.unlink()
    return told["end_to_end_per_s"]


def run_stint(program, jobs, sizes):
    batch, payload, outstanding = map(str, sizes)
    words = ["--batch", batch, "--payload", payload, "--outstanding", outstanding]
    (row,) = output_of([program, "bench", "throughput", "--jobs", str(jobs), "--runs", "1", "--json", *words])["rows"]
    return row["jobs_per_s"]["median"], row["server_us_per_job"]["median"]


def measure(options, loop, folder, sizes):
    batch, payload, _ = sizes
    jobs = options.jobs or default_jobs(batch, payload)
    jobs = -(-jobs // batch) * batch
    bare, stint, server_us = [], [], []
    for number in range(options.rounds):
        if sys.stderr.isatty():
            print(f"\r\033[K{sizes}: round {number + 1} of {options.rounds}", end="", file=sys.stderr)
        bare.append(run_bare_loop(loop, folder, jobs, sizes))
        rate, used_us = run_stint(options.program, jobs, sizes)
        stint.append(rate)
        server_us.append(used_us)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    ratios = [ours / theirs for ours, theirs in zip(stint, bare)]
    return {
        **dict(zip(("batch", "payload", "outstanding"), sizes)),
        "jobs": jobs,
        "rounds": options.rounds,
        "ratio": spread(ratios),
        "stint_per_s": spread(stint),
        "bare_loop_per_s": spread(bare),
        "server_us_per_job": spread(server_us),
    }


def spread(values):
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def line_of(row):
    ratio, stint, bare = row["ratio"], row["stint_per_s"], row["bare_loop_per_s"]
    return (
        f"{row['batch']:>5}  {row['payload']:>7}  {row['outstanding']:>11}  {ratio['median']:>5.2f}  "
        f"{ratio['least']:.2f}-{ratio['most']:.2f}  {stint['median']:>9,.0f}  {bare['median']:>9,.0f}  "
        f"{row['server_us_per_job']['median']:>13.2f}"
    )


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bare-loop", required=True, type=pathlib.Path, metavar="SOURCE")
    parser.add_argument("--program", default=REPOSITORY / "build/release/stint", type=pathlib.Path)
    parser.add_argument("--batch", type=int, action="append", help="may be repeated (1, 10, 100)")
    parser.add_argument("--payload", type=int, action="append", help="may be repeated (100)")
    parser.add_argument("--outstanding", type=int, action="append", help="may be repeated (8, 64)")
    parser.add_argument("--jobs", type=int, default=0, help="a run; as many as take a few seconds if not given")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.rounds < 1 or options.jobs < 0 or min(options.batch or [1]) < 1:
        parser.error("rounds and batches are at least 1")
    return options


def main():
    options = read_arguments()
    with tempfile.TemporaryDirectory(prefix="stint-ratios-") as name:
        folder = pathlib.Path(name)
        loop = folder / "bare_loop"
        subprocess.run([*COMPILE, options.bare_loop, "-o", loop, *LIBRARIES], check=True)
        if not options.json:
            print("batch  payload  outstanding  ratio  least-most    stint/s     bare/s  server us/job")
        rows = []
        for sizes in itertools.product(options.batch or [1, 10, 100], options.payload or [100], options.outstanding or [8, 64]):
            rows.append(measure(options, loop, folder, sizes))
            if not options.json:
                print(line_of(rows[-1]), flush=True)
        if options.json:
            print(json.dumps({"bench": "ratios", "rows": rows}))


if __name__ == "__main__":
    main()
