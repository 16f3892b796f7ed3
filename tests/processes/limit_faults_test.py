#!/usr/bin/python3
"""The storage node and limiter nodes are killed again and again under a limit that binds (rules L1, L2, L10, L12)."""

import time
import unittest

from support.fleet import ProcessTest
from support.spans import worst_excess
from support.wire import Client, Session

RATE, BURST = 50, 10
BETWEEN_KILLS = 2.0


class LimitFaultsTest(ProcessTest):
    limiters = ("limiter-1", "limiter-2")

    def setUp(self):
        super().setUp()
        self.echo = self.script("echo.sh", "#!/bin/sh\nexec cat\n")
        self.server = self.start_server()
        self.door = Client(self.server_door)
        self.addCleanup(self.door.close)

    def home_of(self, queue):
        return Session(self.door, ["nobody"], [queue], worker="asks-for-homes").welcome["homes"][queue]

    def started_at(self):
        events, from_seq = [], 0
        while True:
            page = self.door.ask_again("read_events", {"from_seq": from_seq, "events": ["started"]})
            events += page["events"]
            if page["next_seq"] == from_seq:
                return sorted(event["at_ms"] / 1000 for event in events for _ in event["items"])
            from_seq = page["next_seq"]

    def test_a_bucket_holds_whoever_is_killed(self):
        limit = {"scope": "queue", "name": "default", "limit": {"rate": RATE, "burst": BURST}}
        self.door.ask_again("set_limit", limit)
        home = self.home_of("default")
        for number in range(3):
            self.start_worker(f"w{number}", {"echo": self.echo}, ["default:20"])
        for _ in range(3):
            self.door.enqueue("echo", 1000)

        outages = []
        for victim in ["server", home, "server", home, "server"]:
            time.sleep(BETWEEN_KILLS)
            killed_at = time.time()
            if victim == "server":
                self.server.kill()
                self.server = self.start_server()
            else:
                self.limiter_nodes[victim].kill()
                self.start_limiter(victim)
            outages.append((victim, killed_at, time.time()))
        time.sleep(BETWEEN_KILLS)

        starts = self.started_at()
        self.assertLessEqual(worst_excess(starts, RATE, BURST), RATE * 0.001)
        self.print_outages(starts, outages)

    def print_outages(self, starts, outages):
        lost = 0
        for victim, killed_at, ready_at in outages:
            after = next((start for start in starts if start >= ready_at), None)
            self.assertIsNotNone(after, f"nothing started after {victim} was killed")
            before = max(start for start in starts if start <= ready_at)
            resumed = 0 if before > killed_at else after - ready_at
            lost += max(0, (after if resumed else before) - killed_at)
            print(f"{victim} killed: ready after {ready_at - killed_at:.2f} s, first hand-out {max(0, resumed):.3f} s later")
        took = starts[-1] - starts[0]
        allowed = BURST + RATE * (took - lost)
        print(
            f"{len(starts)} starts in {took:.1f} s, worst excess {worst_excess(starts, RATE, BURST):.3f}; "
            f"{100 * len(starts) / allowed:.1f}% of what the limit allows outside {lost:.2f} s of outages",
            flush=True,
        )


if __name__ == "__main__":
    unittest.main()
