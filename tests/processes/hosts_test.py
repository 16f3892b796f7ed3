#!/usr/bin/python3
"""A cluster on five hosts (network namespaces): a worker host and a limiter host are cut off and healed while limited
work goes on. What a limit allows is never exceeded, and nothing needs a hand afterwards."""

import json
import subprocess
import sys
import time
import unittest

from support import hosts
from support.fleet import PATIENCE, PROGRAM, ProcessTest
from support.spans import most_in_any, worst_excess
from support.waiting import eventually
from support.wire import Client, NoAnswer, Refused

NAMES = ["storage", "limiter-1", "limiter-2", "worker-1", "worker-2"]
PORT = 7611


class HostsTest(ProcessTest):
    lease = "3s"

    def setUp(self):
        super().setUp()
        self.hosts = hosts.Hosts(NAMES)
        self.addCleanup(self.hosts.close)
        self.echo = self.script("echo.sh", "#!/bin/sh\nexec cat\n")
        self.storage = self.endpoint("storage")
        for name in NAMES[:3]:
            self.start_node(name)
        for name in NAMES[:3]:
            self.wait_until_up(name)
        self.client = Client(self.storage)
        self.addCleanup(self.client.close)

    def endpoint(self, name):
        return f"tcp://{self.hosts.address(name)}:{PORT}"

    def start(self, name, arguments):
        with open(self.folder / f"{name}.log", "ab") as out:
            process = subprocess.Popen(
                [*self.hosts.at(name), PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=self.folder
            )
        self.addCleanup(process.wait, 20)
        self.addCleanup(process.kill)
        return process

    def start_node(self, name):
        role = name.split("-", maxsplit=1)[0]
        (self.folder / f"{name}.toml").write_text(
            f"""
[node]
name = "{name}"
roles = ["{role}"]
front_door = "{self.endpoint(name)}"
insecure = true
[storage]
file = "stint.db"
[cluster]
storage = "{self.endpoint("storage")}"
limiters = {{ limiter-1 = "{self.endpoint("limiter-1")}", limiter-2 = "{self.endpoint("limiter-2")}" }}
[defaults]
lease = "{self.lease}"
"""
        )
        return self.start(name, ["node", "--config", f"{name}.toml"])

    def wait_until_up(self, name):
        def pong():
            try:
                with Client(self.endpoint(name)) as client:
                    return client.ask("ping", within=0.5)["ready"]
            except (NoAnswer, Refused):
                return False

        eventually(pong, 30 * PATIENCE, f"{name} is ready")

    def start_host_worker(self, name, server, queues):
        words = ["work", "--name", name, "--server", self.endpoint(server), "--handler", f"call={self.echo}"]
        for queue in queues:
            words += ["--queue", f"{queue}:5"]
        return self.start(name, words)

    def completed(self):
        return self.client.ask_again("get_stats", {})["completed"]

    def wait_for_more(self, jobs, within=60):
        least = self.completed() + jobs
        self.eventually(lambda: self.completed() >= least, within, f"{jobs} more jobs are done")

    def events_of_kind(self, kind):
        events, from_seq = [], 0
        while True:
            page = self.client.ask("read_events", {"from_seq": from_seq, "events": [kind]})
            events += page["events"]
            if page["next_seq"] == from_seq:
                return events
            from_seq = page["next_seq"]

    def test_limits_hold_while_hosts_are_cut_off_and_healed(self):
        queues = [f"q{number}" for number in range(8)]
        homes = self.client.ask("hello", {"worker": "x", "session": b"s" * 16, "handlers": {"call": {}}, "queues": queues})[
            "homes"
        ]
        self.assertEqual({"limiter-1", "limiter-2"}, set(homes.values()), "both limiters have queues")
        self.client.ask("goodbye", {"session": b"s" * 16})
        limit = {"max": 10, "window_ms": 1000}
        self.client.ask("set_limit", {"scope": "handler", "name": "call", "limit": limit})
        self.client.ask("set_limit", {"scope": "queue", "name": "q0", "limit": {"rate": 3, "burst": 2}})
        for queue in queues:
            self.client.enqueue("call", 400, queue=queue)
        self.start_host_worker("worker-1", "limiter-1", queues)
        self.start_host_worker("worker-2", "storage", queues)
        self.wait_for_more(30)

        self.hosts.cut_off("worker-1")
        self.wait_for_more(40)
        self.hosts.heal("worker-1")
        self.wait_for_more(30)
        self.hosts.cut_off("limiter-2")
        self.wait_for_more(30)
        self.hosts.heal("limiter-2")
        self.wait_until_up("limiter-2")
        healed_at = time.time()

        # Queues of the limiter that was away are served again, and the worker that was away works again.
        theirs = {queue for queue, home in homes.items() if home == "limiter-2"}

        def all_work_again():
            late = [event for event in self.events_of_kind("started") if event["at_ms"] / 1000 > healed_at]
            workers = {item["worker"] for event in late for item in event["items"]}
            return workers == {"worker-1", "worker-2"} and any(event["queue"] in theirs for event in late)

        self.eventually(all_work_again, 90, "every host has its part again")
        self.check_limits()

    def check_limits(self):
        """`completed`: runs that are on and entries of the last window are never more than ten."""
        started = self.events_of_kind("started")
        completed = [event["at_ms"] / 1000 for event in self.events_of_kind("completed") for _ in event["items"]]
        worst = most_in_any(completed, 1.0 - 0.001)
        self.assertLessEqual(worst, 10)
        of_q0 = [event["at_ms"] / 1000 for event in started if event["queue"] == "q0" for _ in event["items"]]
        excess = worst_excess(of_q0, 3, 2)
        self.assertLessEqual(excess, 3 * 0.001)
        print(f"{len(completed)} jobs; most completed in any second {worst} of 10; q0: {json.dumps(excess)} above", flush=True)


if __name__ == "__main__":
    if not hosts.permitted():
        print("skipped: network namespaces are not permitted here", file=sys.stderr)
        sys.exit(77)
    hosts.enter()
    unittest.main()
