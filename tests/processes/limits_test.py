#!/usr/bin/python3
"""Limits in the real program, with real workers (rules L2, L3, L5, L8, L10)."""

import json
import re
import time
import unittest

from support.fleet import PATIENCE, ProcessTest
from support.spans import most_in_any, worst_excess


class LimitsTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.echo = self.script("echo.sh", "#!/bin/sh\nexec cat\n")

    def started_at(self, client, queue="default"):
        """When the server handed each job out, in seconds of its own clock, which counts milliseconds."""
        events, from_seq = [], 0
        while True:
            page = client.ask("read_events", {"from_seq": from_seq, "events": ["started"], "queue": queue})
            events += page["events"]
            if page["next_seq"] == from_seq:
                return [event["at_ms"] / 1000 for event in events for _ in event["items"]]
            from_seq = page["next_seq"]

    def completed(self, client):
        return client.ask("get_stats", {})["completed"]

    def test_a_bucket_holds_for_all_workers_together_rule_L2(self):
        self.start_server()
        client = self.client()
        self.assertEqual(0, self.stint("limit", "set", "queue", "default", "--rate", "40", "--burst", "5").returncode)
        for number in range(3):
            self.start_worker(f"w{number}", {"echo": self.echo})

        client.enqueue("echo", 100)
        self.eventually(lambda: self.completed(client) == 100, 60, "all jobs are done")

        starts = self.started_at(client)
        took = max(starts) - min(starts)
        print(f"100 starts in {took:.2f} s, 40 a second with a burst of 5 allow them in {95 / 40:.2f} s", flush=True)
        # A millisecond is what the clock of events cannot tell apart.
        self.assertLessEqual(worst_excess(starts, 40, 5), 40 * 0.001)

    def test_a_limit_given_with_an_enqueue_in_one_process_holds_for_a_worker_in_another_rule_L8(self):
        self.start_server()
        client = self.client()
        sent = self.stint("enqueue", "echo", "x", "--count", "20", "--limit", "3/2s")
        self.assertEqual((0, 20), (sent.returncode, len(sent.stdout.split())))

        self.start_worker("declares-nothing", {"echo": self.echo}, ["default:10"])
        self.eventually(lambda: self.completed(client) >= 9, 60, "three windows' worth of jobs are done")

        self.assertLessEqual(most_in_any(self.started_at(client), 2.0 - 0.001), 3)

    def test_work_once_on_a_limited_queue_exits_75_at_once(self):
        self.start_server()
        self.stint("limit", "set", "queue", "default", "--rate", "1/h", "--burst", "1")
        self.client().enqueue("echo", 2)

        first = self.stint("work", "--once", "--queue", "default:1", "--handler", f"echo={self.echo}")
        began = time.monotonic()
        second = self.stint("work", "--once", "--queue", "default:1", "--handler", f"echo={self.echo}")

        self.assertEqual(0, first.returncode, first.stderr)
        self.assertEqual(75, second.returncode, second.stderr)
        self.assertLess(time.monotonic() - began, 60 * PATIENCE, "it waited for the next token")

    def test_limit_check_tells_the_seconds_and_a_job_offered_then_starts(self):
        self.start_server()
        client = self.client()
        self.stint("limit", "set", "handler", "echo", "--max", "1", "--window", "3s")
        free = self.stint("limit", "check", "handler", "echo")
        client.enqueue("echo", 2)
        once = ["work", "--once", "--queue", "default:1", "--handler", f"echo={self.echo}"]
        self.stint(*once)

        limited = self.stint("limit", "check", "handler", "echo")

        self.assertEqual((0, 75), (free.returncode, limited.returncode), limited.stdout + limited.stderr)
        [seconds] = re.findall(r"([0-9]+\.[0-9]+)", limited.stdout)
        self.assertTrue(0 < float(seconds) <= 3, limited.stdout)
        time.sleep(float(seconds))
        offered = self.stint(*once)
        self.assertEqual(0, offered.returncode, offered.stderr)
        self.assertEqual(2, self.completed(client))

    def test_a_handler_that_reports_a_pause_stops_all_workers_until_it_is_over_rule_L5(self):
        self.start_server()
        client = self.client()
        report = """printf '{"pause": {"scope": "handler", "for": "1h"}}\\n' >&$STINT_REPORT_FD"""
        told_off = self.script("told-off.sh", f"#!/bin/sh\n{report}\n")
        client.enqueue("call", 3)

        self.start_worker("one", {"call": told_off}, ["default:1"])
        self.eventually(lambda: self.completed(client) == 1, 30, "the first call is done")
        self.start_worker("two", {"call": told_off}, ["default:1"])

        explained = json.loads(self.stint("job", "explain", "3", "--json").stdout)
        self.assertEqual(("paused", "handler", "call"), (explained["hold"], explained["scope"], explained["name"]))
        self.assertGreater(explained["in_ms"], 3_500_000)
        self.assertEqual(1, self.completed(client))
        self.assertEqual(0, self.stint("handler", "resume", "call").returncode)
        self.eventually(lambda: self.completed(client) >= 2, 30, "work goes on")

    def test_a_restart_gives_no_fresh_burst_rule_L10(self):
        server = self.start_server()
        client = self.client()
        self.stint("limit", "set", "queue", "default", "--rate", "1/h", "--burst", "3")
        client.enqueue("echo", 6)
        self.start_worker("one", {"echo": self.echo}, ["default:2"])
        self.eventually(lambda: self.completed(client) == 3, 30, "the burst is used up")

        server.kill()
        self.start_server()

        state = json.loads(self.stint("limit", "show", "queue", "default", "--json").stdout)
        self.assertEqual(True, state["limited"])
        self.assertEqual((0, 3), (self.completed(client), client.ask("get_stats", {})["waiting"]))

    def test_bad_limits_are_refused_by_every_way_in_and_the_old_one_stays(self):
        self.start_server()
        client = self.client()
        self.stint("limit", "set", "queue", "default", "--rate", "7")
        ways = [
            ["limit", "set", "queue", "default", "--rate", "0"],
            ["limit", "set", "queue", "default", "--rate", "-1"],
            ["limit", "set", "queue", "default", "--rate", "nan"],
            ["limit", "set", "queue", "default", "--rate", "inf"],
            ["limit", "set", "queue", "default", "--max", "5", "--window", "1s"],
            ["limit", "set", "handler", "echo", "--max", "0", "--window", "1s"],
            ["enqueue", "echo", "x", "--limit", "0/60s"],
            ["work", "--once", "--queue", "default", "--handler", "echo=cat", "--limit", "echo=5/0s"],
        ]
        for words in ways:
            with self.subTest(" ".join(words)):
                refused = self.stint(*words)
                self.assertIn(refused.returncode, (1, 64), refused.stdout)
                self.assertNotEqual("", refused.stderr)
        state = client.ask("get_limit", {"scope": "queue", "name": "default"})
        self.assertEqual({"rate": 7}, state["limit"])
        self.assertEqual(0, client.ask("get_stats", {})["enqueued"])


if __name__ == "__main__":
    unittest.main()
