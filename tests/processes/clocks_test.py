#!/usr/bin/python3
"""A server that stands still, and one whose wall clock is stepped: no lease ends for it, no limit is broken, nothing
stalls (rules D6, D10)."""

import os
import time
import unittest

from support.fleet import REPOSITORY, ProcessTest
from support.spans import worst_excess

PRELOADED = os.environ.get("STINT_STEPPED_WALL_CLOCK") or str(
    REPOSITORY / "build/release/tests/libstepped_wall_clock.so"
)
HOUR = 3600


class StandingStillTest(ProcessTest):
    lease = "1s"

    def test_no_lease_ends_for_a_server_that_was_stopped_for_twice_a_lease_while_workers_run_rule_D6(self):
        server = self.start_server()
        client = self.client()
        runs = self.folder / "runs"
        slow = self.script("slow.sh", f"#!/bin/sh\necho $STINT_JOB_ID >> {runs}\nsleep 4\n")
        ids = client.enqueue("slow", 3)
        self.start_worker("w", {"slow": slow}, ["default:3"])
        self.eventually(lambda: runs.exists() and len(runs.read_text().split()) == 3, what="all three run")

        server.pause()
        time.sleep(2)  # twice the lease
        server.resume()

        for id_ in ids:
            details = self.wait_for_state(client, id_, "completed")
            self.assertEqual(["completed"], self.ends(details))
        self.assertEqual(sorted(ids), sorted(int(id_) for id_ in runs.read_text().split()))


class SteppedWallClockTest(ProcessTest):
    def start_server(self):
        self.step_file = self.folder / "step"
        self.step_to(0)
        os.environ.update(LD_PRELOAD=PRELOADED, STINT_WALL_STEP_FILE=str(self.step_file))
        try:
            return super().start_server(ready=False)
        finally:
            del os.environ["LD_PRELOAD"], os.environ["STINT_WALL_STEP_FILE"]

    def step_to(self, seconds):
        """What the server's wall clock says more than the machine's."""
        fresh = self.folder / "fresh-step"
        fresh.write_text(str(seconds))
        fresh.rename(self.step_file)

    def started_at(self, client):
        """When the server handed each job out, in seconds of a clock without the steps, and which steps it saw."""
        page = client.ask("read_events", {"from_seq": 0, "events": ["started"], "limit": 1000})
        starts, steps = [], []
        for event in page["events"]:
            at = event["at_ms"] / 1000 - sum(steps)
            if starts and abs(at - starts[-1]) > HOUR / 2:
                steps.append(round((at - starts[-1]) / HOUR) * HOUR)
                at -= steps[-1]
            starts += [at] * len(event["items"])
        return starts, steps

    def test_no_limit_is_broken_and_nothing_stalls_when_the_wall_clock_is_stepped_rule_D10(self):
        server = self.start_server()
        self.wait_until_ready(server)
        client = self.client()
        self.stint("limit", "set", "queue", "default", "--rate", "20/s", "--burst", "2")
        self.start_worker("w", {"true": "true"}, ["default:8"])
        client.enqueue("true", 120)
        done = lambda: client.ask("get_stats")["completed"]

        self.eventually(lambda: done() >= 30, 30, "work is on")
        self.step_to(HOUR)
        self.eventually(lambda: done() >= 60, 30, "work goes on an hour later")
        self.step_to(-HOUR)
        self.eventually(lambda: done() >= 90, 30, "work goes on two hours earlier")
        self.step_to(0)
        self.eventually(lambda: done() == 120, 30, "all work is done")

        starts, steps = self.started_at(client)
        self.assertEqual([HOUR, -2 * HOUR, HOUR], steps)
        self.assertEqual(120, len(starts))
        self.assertLessEqual(worst_excess(starts, 20, 2), 20 * 0.001, "by more than a millisecond's worth")

    def test_delays_and_leases_pass_by_the_clock_that_is_not_stepped_rule_D10(self):
        self.lease = "2s"
        server = self.start_server()
        self.wait_until_ready(server)
        client = self.client()
        slow = self.script("slow.sh", "#!/bin/sh\nsleep 3\n")
        self.start_worker("w", {"slow": slow, "true": "true"}, ["default:4"])
        [long_run] = client.enqueue("slow")
        [delayed] = client.enqueue("true", delay_ms=1_000)
        [tomorrow] = client.enqueue("true", delay_ms=24 * HOUR * 1000)
        self.wait_for_state(client, long_run, "running")

        self.step_to(48 * HOUR)
        self.wait_for_state(client, delayed, "completed")
        self.step_to(-48 * HOUR)
        details = self.wait_for_state(client, long_run, "completed")

        self.assertEqual(["completed"], self.ends(details))
        self.assertEqual("scheduled", client.job(tomorrow)["job"]["state"])

    def test_a_job_for_a_point_in_time_is_due_when_the_wall_clock_says_so(self):
        server = self.start_server()
        self.wait_until_ready(server)
        client = self.client()
        self.start_worker("w", {"true": "true"}, ["default:1"])
        [later] = client.enqueue("true", run_at_ms=int((time.time() + HOUR / 2) * 1000))
        time.sleep(0.5)
        self.assertEqual("scheduled", client.job(later)["job"]["state"])

        self.step_to(HOUR)

        details = self.wait_for_state(client, later, "completed")
        self.assertEqual(1, len(details["runs"]))


if __name__ == "__main__":
    unittest.main()
