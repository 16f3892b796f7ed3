#!/usr/bin/python3
"""How exactly real processes keep to a rate, and how little work that may not start costs the rest.

  exactness.py pace [--rate 10 --burst 2 --seconds 20 --workers 4]
      starts in the time, and how far apart they are
  exactness.py behind [--jobs 500000 --runs 5]
      from the enqueue of a job to its hand-out, with so many jobs of a limited handler in front of it in the
      same queue, and without them, in turns; the median of the runs

Prints a line of JSON. STINT_PROGRAM names the program.
"""

import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "processes"))

from support.fleet import PROGRAM, free_ports  # noqa: E402
from support.wire import Client, NoAnswer, Session  # noqa: E402


@contextlib.contextmanager
def server(folder, name):
    """A node of its own; its front door."""
    door, events = (f"tcp://127.0.0.1:{port}" for port in free_ports(2))
    with open(folder / f"{name}.log", "wb") as log:
        node = subprocess.Popen(
            [PROGRAM, "node", "--front-door", door, "--events", events, "--db", str(folder / f"{name}.db")],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )
    try:
        wait_until_ready(door)
        yield door
    finally:
        node.terminate()
        node.wait(20)


def wait_until_ready(door):
    with Client(door) as client:
        for _ in range(100):
            with contextlib.suppress(NoAnswer):
                if client.ask("ping", within=0.2)["ready"]:
                    return
    raise SystemExit("the node does not start")


def pace(options, folder):
    with server(folder, "server") as door, Client(door) as client, contextlib.ExitStack() as stack:
        limit = {"rate": options.rate, "burst": options.burst}
        client.ask("set_limit", {"scope": "queue", "name": "default", "limit": limit})
        for number in range(options.workers):
            words = ["work", "--server", door, "--name", f"w{number}", "--queue", "default:4", "--handler", "true=true"]
            worker = subprocess.Popen([PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            stack.callback(worker.wait, 20)
            stack.callback(worker.terminate)
        time.sleep(1)
        client.enqueue("true", int(options.rate * (options.seconds + 5)))
        time.sleep(options.seconds + 2)
        page = client.ask("read_events", {"from_seq": 0, "events": ["started"], "limit": 1000})
        starts = [event["at_ms"] for event in page["events"] for _ in event["items"]]
    in_time = [at - starts[0] for at in starts if at - starts[0] < options.seconds * 1000]
    even = in_time[options.burst - 1 :]
    gaps = [after - before for before, after in zip(even, even[1:])]
    wanted_ms = 1000 / options.rate
    near = sum(abs(gap - wanted_ms) <= 5 for gap in gaps) / len(gaps)
    return {
        "bench": "pace", "rate": options.rate, "burst": options.burst, "seconds": options.seconds,
        "starts": len(in_time), "gaps_within_5_ms": round(near, 3),
        "worst_gap_ms": max(gaps), "least_gap_ms": min(gaps),
    }


class Pickup:
    """Hands out single jobs of the handler `free` and measures how long that takes."""

    def __init__(self, door, limited):
        self.client = Client(door)
        self.asker = Client(door)
        if limited:
            limit = {"max": 1, "window_ms": 24 * 3_600_000}
            self.client.ask("set_limit", {"scope": "handler", "name": "limited", "limit": limit})
            for sent in range(0, limited, 1000):
                jobs = [{"handler": "limited", "priority": 0}] * min(1000, limited - sent)
                self.client.ask("enqueue", {"jobs": jobs}, within=60)
        self.session = Session(self.asker, ["free", "limited"])
        if limited:
            self.session.finish(self.session.next_batch())

    def median_us(self, count):
        taken = []
        for _ in range(count):
            ask = self.asker.send("request_batch", self.session.new_ask(permits=1))
            time.sleep(0.002)
            begun = time.perf_counter()
            sent = self.client.send("enqueue", {"jobs": [{"handler": "free"}]})
            _, batch = self.asker.receive(ask)
            taken.append(time.perf_counter() - begun)
            self.client.receive(sent)
            self.session.got += 1
            self.session.finish(batch["jobs"])
        return statistics.median(taken) * 1e6

    def close(self):
        self.session.goodbye()
        self.client.close()
        self.asker.close()


def behind(options, folder):
    with server(folder, "with") as crowded, server(folder, "without") as empty:
        sides = {"with": Pickup(crowded, options.jobs), "without": Pickup(empty, 0)}
        for side in sides.values():
            side.median_us(50)
        runs = [{name: side.median_us(options.count) for name, side in sides.items()} for _ in range(options.runs)]
        for side in sides.values():
            side.close()
    return {
        "bench": "behind", "jobs": options.jobs,
        **{f"{name}_us": round(statistics.median(run[name] for run in runs)) for name in ("with", "without")},
        "ratio": round(statistics.median(run["with"] / run["without"] for run in runs), 3),
        "ratios": [round(run["with"] / run["without"], 3) for run in runs],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    of_pace = kinds.add_parser("pace")
    of_pace.add_argument("--rate", type=float, default=10)
    of_pace.add_argument("--burst", type=int, default=2)
    of_pace.add_argument("--seconds", type=int, default=20)
    of_pace.add_argument("--workers", type=int, default=4)
    of_behind = kinds.add_parser("behind")
    of_behind.add_argument("--jobs", type=int, default=500_000)
    of_behind.add_argument("--runs", type=int, default=5)
    of_behind.add_argument("--count", type=int, default=300, help="hand-outs of a run")
    options = parser.parse_args()
    if not os.access(PROGRAM, os.X_OK):
        raise SystemExit(f"{PROGRAM} is not built")
    with tempfile.TemporaryDirectory(prefix="stint-bench-") as folder:
        measure = {"pace": pace, "behind": behind}[options.kind]
        print(json.dumps(measure(options, pathlib.Path(folder))))


if __name__ == "__main__":
    main()
