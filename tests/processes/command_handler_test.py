#!/usr/bin/python3
"""Commands as handlers: what they are given, and what their end means."""

import json
import os
import unittest

from support.fleet import ProcessTest


def text(value):
    return value.decode() if isinstance(value, bytes) else value


class CommandHandlerTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.start_server()
        self.connection = self.client()

    def run_job(self, script, state, **job):
        """Runs one job whose handler is the shell script, until it is in `state`; returns its details."""
        self.start_worker("worker", {"task": self.script("task.sh", "#!/bin/sh\n" + script)})
        [id_] = self.connection.enqueue("task", **job)
        return self.wait_for_state(self.connection, id_, state)

    def test_the_payload_is_its_input_and_its_output_the_result(self):
        details = self.run_job("tr a-z A-Z", "completed", payload="make me big")

        self.assertEqual("MAKE ME BIG", text(details["runs"][0]["result"]))

    def test_it_is_told_which_run_it_is(self):
        details = self.run_job("env | grep ^STINT_", "completed", meta={"colour": "red"}, max_attempts=7)

        told = dict(line.split("=", 1) for line in text(details["runs"][0]["result"]).splitlines())
        self.assertEqual(str(details["job"]["id"]), told["STINT_JOB_ID"])
        self.assertEqual(("default", "task"), (told["STINT_QUEUE"], told["STINT_HANDLER"]))
        self.assertEqual(
            ("1", "1", "7"), (told["STINT_RUN"], told["STINT_ATTEMPT"], told["STINT_MAX_ATTEMPTS"])
        )
        self.assertEqual({"colour": "red"}, json.loads(told["STINT_META"]))
        self.assertGreater(int(told["STINT_DEADLINE_MS"]), 0)

    def test_any_other_status_fails_and_the_end_of_stderr_says_why(self):
        details = self.run_job("echo the disk is purple >&2; exit 3", "retrying")

        self.assertEqual(["failed"], self.ends(details))
        self.assertIn("the disk is purple", str(details["runs"][0]["error"]))
        self.assertEqual(1, details["job"]["attempts"])
        self.assertGreater(details["job"]["due_in_ms"], 0)

    def test_a_job_without_attempts_left_is_dead(self):
        details = self.run_job("exit 1", "dead", max_attempts=2, backoff={"first_ms": 1})

        self.assertEqual(["failed", "failed"], self.ends(details))
        self.assertTrue(details["job"]["reason"])

    def test_status_65_is_dead_at_once(self):
        details = self.run_job("echo no such customer >&2; exit 65", "dead")

        self.assertEqual(["dead"], self.ends(details))
        self.assertIn("no such customer", str(details["runs"][0]["error"]))

    def test_status_75_is_again_later_without_an_attempt(self):
        script = '[ "$STINT_RUN" = 1 ] || exit 0\necho \'{"retry_in": "50ms"}\' >&$STINT_REPORT_FD\nexit 75\n'
        details = self.run_job(script, "completed")

        self.assertEqual(["snoozed", "completed"], self.ends(details))
        self.assertEqual(1, details["job"]["attempts"])

    def test_progress_is_shown_while_it_runs(self):
        go = self.folder / "go"
        script = f"echo '{{\"progress\": 40}}' >&$STINT_REPORT_FD\nuntil [ -e {go} ]; do sleep 0.05; done\n"
        # A heartbeat carries it.
        self.start_worker("worker", {"task": self.script("task.sh", "#!/bin/sh\n" + script)})
        [id_] = self.connection.enqueue("task")

        self.eventually(lambda: self.connection.job(id_)["job"].get("progress") == 40, 30, "progress 40")
        go.touch()
        self.wait_for_state(self.connection, id_, "completed")

    def test_at_its_timeout_the_whole_process_group_is_killed(self):
        child = self.folder / "child"
        script = f"sleep 120 &\necho $! > {child}\nwait\n"
        details = self.run_job(script, "dead", timeout_ms=400, max_attempts=1)

        self.assertIn(self.ends(details), [["timed_out"], ["failed"]])
        pid = int(child.read_text())
        self.eventually(
            lambda: not os.path.exists(f"/proc/{pid}") or self.is_zombie(pid), 10, "its child is gone"
        )

    @staticmethod
    def is_zombie(pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
                return stat.read().rsplit(")", 1)[1].split()[0] == "Z"
        except FileNotFoundError:
            return True

    def test_a_cancelled_job_is_killed(self):
        started = self.folder / "started"
        self.start_worker(
            "worker", {"task": self.script("task.sh", f"#!/bin/sh\ntouch {started}\nsleep 120\n")}
        )
        [id_] = self.connection.enqueue("task")
        self.eventually(started.exists, what="the job runs")

        self.assertEqual(0, self.stint("job", "cancel", str(id_)).returncode)

        self.wait_for_state(self.connection, id_, "cancelled")

    def test_a_command_that_does_not_exist_fails_and_says_so(self):
        self.start_worker("worker", {"task": "/nonexistent/program"})
        [id_] = self.connection.enqueue("task")

        details = self.wait_for_state(self.connection, id_, "retrying")

        self.assertIn("/nonexistent/program", str(details["runs"][0]["error"]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
