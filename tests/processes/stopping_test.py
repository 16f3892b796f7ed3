#!/usr/bin/python3
"""How workers and nodes end: on SIGTERM, and when they have done what they were asked to."""

import os
import signal
import unittest

from support.fleet import ProcessTest
from support.wire import Session


def alive(pid):
    try:
        os.kill(pid, 0)
        return True
    except ProcessLookupError:
        return False


class StoppingTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.server = self.start_server()
        self.connection = self.client()

    def test_a_worker_told_to_stop_finishes_its_job_takes_no_more_and_exits_0(self):
        running, go = self.folder / "running", self.folder / "go"
        command = self.script(
            "wait.sh", f"#!/bin/sh\ntouch {running}\nuntil [ -e {go} ]; do sleep 0.05; done\n"
        )
        worker = self.start_worker("worker", {"wait": command}, ["default:1"], ["--grace", "20s"])
        [first, second] = self.connection.enqueue("wait", 2)
        self.eventually(running.exists, what="the first job runs")

        worker.signal(signal.SIGTERM)
        self.eventually(
            lambda: any(word in worker.logged().lower() for word in ["stop", "grace"]),
            what="the worker heard it",
        )
        go.touch()

        self.assertEqual(0, worker.wait())
        self.assertEqual("completed", self.connection.state(first))
        self.assertEqual(("waiting", 0), self.state_and_attempts(second))
        self.assertEqual([], self.living_sessions())

    def test_a_worker_releases_what_is_not_finished_within_its_grace_time(self):
        pid_file = self.folder / "pid"
        command = self.script(
            "long.sh", f"#!/bin/sh\necho $$ > {pid_file}.part\nmv {pid_file}.part {pid_file}\nsleep 60\n"
        )
        worker = self.start_worker("worker", {"long": command}, ["default:1"], ["--grace", "300ms"])
        [id_] = self.connection.enqueue("long")
        self.eventually(pid_file.exists, what="the job runs")

        status = worker.stop(within=20)

        self.assertEqual(0, status)
        self.assertEqual(("waiting", 0), self.state_and_attempts(id_))
        self.assertEqual(["released"], self.ends(self.connection.job(id_)))
        self.eventually(lambda: not alive(int(pid_file.read_text())), 10, "its process is gone")
        [job] = Session(self.connection, ["long"]).next_batch()
        self.assertEqual((2, 1), (job["run"], job["attempt"]))

    def test_an_idle_worker_exits_0_at_once(self):
        worker = self.start_worker("worker", {"echo": "cat"})
        self.eventually(self.living_sessions, what="the worker is known")

        self.assertEqual(0, worker.stop(within=10))

    def test_a_worker_without_a_server_still_exits_0(self):
        self.server.kill()
        worker = self.start_worker("worker", {"echo": "cat"}, arguments=["--grace", "500ms"])
        self.eventually(worker.logged, what="the worker says something")

        self.assertEqual(0, worker.stop(within=20))

    def test_a_node_told_to_stop_exits_0_and_keeps_everything(self):
        ids = self.connection.enqueue("echo", 10)

        self.assertEqual(0, self.server.stop())

        self.start_server()
        self.assertEqual(["waiting"] * 10, [self.client().state(id_) for id_ in ids])

    def test_a_node_that_is_told_to_reload_goes_on_and_says_that_it_reloads_nothing(self):
        worker = self.start_worker("worker", {"echo": "cat"})
        self.eventually(self.living_sessions, what="the worker is known")

        for node in [self.server, worker]:
            node.signal(signal.SIGHUP)
            self.eventually(lambda node=node: "SIGHUP" in node.logged(), 10, "the node says that it heard it")
        [id_] = self.connection.enqueue("echo")

        self.wait_for_state(self.connection, id_, "completed")
        self.assertTrue(self.server.running and worker.running)
        self.assertEqual((0, 0), (worker.stop(), self.server.stop()))

    def test_once_runs_at_most_one_job_and_does_not_wait(self):
        without_jobs = self.start_worker("none", {"echo": "cat"}, arguments=["--once"])
        self.assertEqual(0, without_jobs.wait())

        first, second = self.connection.enqueue("echo", 2)
        one_job = self.start_worker("one", {"echo": "cat"}, arguments=["--once"])
        self.assertEqual(0, one_job.wait())

        self.assertEqual("completed", self.connection.state(first))
        self.assertEqual("waiting", self.connection.state(second))

    def test_drain_runs_until_nothing_is_ready(self):
        ids = self.connection.enqueue("echo", 30)
        later = self.connection.enqueue("echo", delay_ms=3_600_000)

        worker = self.start_worker("drain", {"echo": "cat"}, arguments=["--drain"])

        self.assertEqual(0, worker.wait())
        self.assertEqual({"completed"}, {self.connection.state(id_) for id_ in ids})
        self.assertEqual("scheduled", self.connection.state(later[0]))

    def test_max_jobs_ends_after_that_many(self):
        ids = self.connection.enqueue("echo", 10)

        worker = self.start_worker("some", {"echo": "cat"}, arguments=["--max-jobs", "4"])

        self.assertEqual(0, worker.wait())
        states = [self.connection.state(id_) for id_ in ids]
        self.assertEqual((4, 6), (states.count("completed"), states.count("waiting")))

    def state_and_attempts(self, id_):
        job = self.connection.job(id_)["job"]
        return job["state"], job["attempts"]

    def living_sessions(self):
        return self.connection.ask("list_workers")["workers"]


if __name__ == "__main__":
    unittest.main(verbosity=2)
