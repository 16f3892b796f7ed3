#!/usr/bin/python3
"""Workers that stall, die or never hear: what becomes of their jobs (rules D3, D4, D5, D7)."""

import time
import unittest

from support.fleet import ProcessTest
from support.wire import Client, Session


class LeaseTest(ProcessTest):
    lease = "1s"

    def spent(self, details):
        """How runs ended but for batches that a dead or stopped session was still sent: those cost nothing."""
        return [end for end in self.ends(details) if end != "undelivered"]

    def test_a_job_runs_elsewhere_when_its_worker_is_stopped_and_the_late_report_is_stale(self):
        self.start_server()
        client = self.client()
        started = self.folder / "started"
        first_runs_long = self.script(
            "slow.sh",
            f'#!/bin/sh\n[ "$STINT_RUN" = 1 ] && touch {started} && sleep 0.5\necho "run $STINT_RUN"\n',
        )
        stopped = self.start_worker("stopped", {"slow": first_runs_long})
        [id_] = client.enqueue("slow")
        self.eventually(started.exists, what="the first run has started")

        stopped.pause()
        self.start_worker("second", {"slow": first_runs_long})
        details = self.wait_for_state(client, id_, "completed")
        stopped.resume()

        self.assertEqual("second", details["job"]["worker"])
        self.assertEqual(["lost", "completed"], self.spent(details))
        self.eventually(lambda: "stale" in stopped.logged(), what="the stopped worker logs that it was stale")
        self.assertEqual(details["runs"], client.job(id_)["runs"], "the late report changed the job")
        self.assertTrue(stopped.running)

    def test_a_stopped_worker_works_again_when_it_goes_on(self):
        self.start_server()
        client = self.client()
        worker = self.start_worker("only", {"echo": "cat"})
        [before] = client.enqueue("echo")
        self.wait_for_state(client, before, "completed")

        worker.pause()
        [meanwhile] = client.enqueue("echo")
        time.sleep(1.5)  # it stands still for longer than its lease
        worker.resume()

        details = self.wait_for_state(client, meanwhile, "completed")
        self.assertEqual(1, details["job"]["attempts"], "a batch that it slept through cost an attempt")

    def test_a_job_that_kills_its_worker_each_time_is_dead_after_max_lost_and_says_why(self):
        self.start_server()
        client = self.client()
        handlers = {
            "killer": self.script("killer.sh", "#!/bin/sh\nsleep 0.3\nkill -KILL $PPID\nsleep 5\n"),
            "echo": "cat",
        }
        [id_] = client.enqueue("killer")

        lives = 0
        worker = None

        def dead():
            nonlocal lives, worker
            if worker is None or not worker.running:
                worker = self.start_worker("victim", handlers)
                lives += 1
            details = client.job(id_)
            return details if details["job"]["state"] == "dead" else None

        details = self.eventually(dead, 60, "the killing job is dead")

        self.assertEqual(["lost", "lost", "lost"], self.spent(details))
        self.assertIn("lost", details["job"]["reason"])
        self.assertEqual(3, details["job"]["lost"])
        [other] = client.enqueue("echo")
        if not worker.running:
            self.start_worker("victim", handlers)
        self.wait_for_state(client, other, "completed")

    def test_a_handler_that_nobody_serves_waits_and_blocks_no_other(self):
        self.start_server()
        client = self.client()
        unserved = client.enqueue("nobody", 20, priority=0)
        served = client.enqueue("echo", 20, priority=9)
        self.start_worker("worker", {"echo": "cat"})

        for id_ in served:
            self.wait_for_state(client, id_, "completed")
        for id_ in unserved:
            self.assertEqual(
                ("waiting", 0), (client.job(id_)["job"]["state"], client.job(id_)["job"]["runs"])
            )

        self.start_worker("late", {"nobody": "cat"})
        for id_ in unserved:
            self.wait_for_state(client, id_, "completed")

    def test_a_batch_that_was_never_acknowledged_spends_no_attempt(self):
        self.start_server()
        client = self.client()
        [id_] = client.enqueue("echo")
        with Client(self.front_door) as unheard:
            [job] = Session(unheard, ["echo"], worker="deaf").next_batch()
        self.assertEqual((1, 1), (job["run"], job["attempt"]))

        [again] = Session(client, ["echo"], worker="hears").next_batch(wait_ms=20_000)

        self.assertEqual((id_, 2, 1), (again["id"], again["run"], again["attempt"]))
        details = client.job(id_)
        self.assertEqual(["undelivered"], self.ends(details))
        self.assertEqual((0, 0), (details["job"]["attempts"], details["job"]["lost"]))

    def test_a_run_whose_worker_falls_silent_spends_an_attempt(self):
        self.start_server()
        client = self.client()
        [id_] = client.enqueue("echo")
        silent = Session(client, ["echo"], worker="silent")
        jobs = silent.next_batch()
        silent.heartbeat(jobs)

        [again] = Session(client, ["echo"], worker="second").next_batch(wait_ms=20_000)

        self.assertEqual((id_, 2, 2), (again["id"], again["run"], again["attempt"]))
        self.assertEqual(["lost"], self.ends(client.job(id_)))
        late = silent.finish(jobs)
        self.assertEqual([], late["accepted"])
        self.assertEqual(0, late["stale"][0]["at"])
        self.assertTrue(late["stale"][0]["reason"])

    def test_a_lease_lives_as_long_as_heartbeats_name_it(self):
        self.start_server()
        client = self.client()
        [id_] = client.enqueue("echo")
        session = Session(client, ["echo"])
        jobs = session.next_batch()

        for _ in range(12):  # three leases long
            self.assertEqual([], session.heartbeat(jobs, wait_ms=250)["lost"])

        self.assertEqual("running", client.state(id_))
        self.assertEqual([0], session.finish(jobs)["accepted"])

    def test_a_report_that_is_sent_again_is_answered_the_same(self):
        self.start_server()
        client = self.client()
        [id_] = client.enqueue("echo")
        session = Session(client, ["echo"])
        jobs = session.next_batch()

        first = session.finish(jobs, result="done")
        second = session.finish(jobs, result="done")

        self.assertEqual([0], first["accepted"])
        self.assertEqual(first, second)
        self.assertEqual(["completed"], self.ends(client.job(id_)))

    def test_a_takeover_ends_the_leases_of_the_same_worker_at_once_and_only_once(self):
        self.start_server()
        client = self.client()
        client.enqueue("echo")
        first_life = Session(client, ["echo"], worker="named")
        [job] = first_life.next_batch()
        first_life.heartbeat([job])

        second_life = Session(client, ["echo"], worker="named", takeover=True)
        [again] = second_life.next_batch(wait_ms=20_000)
        second_life.hello()

        self.assertEqual((job["id"], 2), (again["id"], again["run"]))
        self.assertEqual([], second_life.heartbeat([again])["lost"], "a repeated hello took over again")
        self.assertEqual(1, len(first_life.finish([job])["stale"]))
        self.assertEqual([0], second_life.finish([again])["accepted"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
