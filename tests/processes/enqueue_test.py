#!/usr/bin/python3
"""Sending jobs: once, in order of priority, when they are due (rules D1, D8, D10)."""

import time
import unittest

from support.fleet import ProcessTest
from support.wire import Refused, Session


class EnqueueTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.server = self.start_server()
        self.connection = self.client()

    def test_a_repeated_enqueue_with_a_batch_key_inserts_once(self):
        body = {"jobs": [{"handler": "echo"}, {"handler": "echo", "payload": "b"}], "batch_key": "order/17"}
        first = self.connection.ask("enqueue", body)
        second = self.connection.ask("enqueue", body)

        self.assertEqual(first["ids"], second["ids"])
        self.assertEqual([0, 1], second["duplicates"])
        self.assertEqual(2, len(self.connection.jobs()))

    def test_a_batch_key_is_remembered_through_a_kill_of_the_server(self):
        body = {"jobs": [{"handler": "echo"}], "batch_key": "order/18"}
        first = self.connection.ask("enqueue", body)

        self.server.kill()
        self.start_server()
        second = self.connection.ask_again("enqueue", body)

        self.assertEqual(first["ids"], second["ids"])

    def test_a_batch_key_with_other_content_is_a_conflict(self):
        self.connection.ask("enqueue", {"jobs": [{"handler": "echo"}], "batch_key": "k"})

        with self.assertRaises(Refused) as refused:
            self.connection.ask("enqueue", {"jobs": [{"handler": "other"}], "batch_key": "k"})

        self.assertEqual("conflict", refused.exception.code)
        self.assertEqual(1, len(self.connection.jobs()))

    def test_jobs_come_by_priority_then_in_the_order_they_were_sent(self):
        jobs = [{"handler": "echo", "payload": str(at), "priority": at % 3} for at in range(9)]
        self.connection.ask("enqueue", {"jobs": jobs})

        batch = Session(self.connection, ["echo"]).next_batch(permits=9)

        self.assertEqual(list("036147258"), [job["payload"] for job in batch])

    def test_a_delayed_job_does_not_come_before_its_time(self):
        before = time.monotonic()
        self.connection.enqueue("echo", delay_ms=700)
        session = Session(self.connection, ["echo"])

        [job] = session.next_batch(wait_ms=20_000)

        self.assertGreaterEqual(time.monotonic() - before, 0.69)
        self.assertEqual(1, job["attempt"])

    def test_a_job_with_a_point_in_time_does_not_come_before_it(self):
        at = int(time.time() * 1000) + 700
        self.connection.enqueue("echo", run_at_ms=at)

        Session(self.connection, ["echo"]).next_batch(wait_ms=20_000)

        self.assertGreaterEqual(int(time.time() * 1000), at - 1)

    def test_a_waiting_ask_is_answered_when_a_job_comes(self):
        session = Session(self.client(), ["echo"])
        asked = session.client.send("request_batch", session.new_ask(wait_ms=30_000))
        session.client.ask("ping")  # answered behind the ask: that one waits now

        [id_] = self.connection.enqueue("echo")
        answered, batch = session.client.receive(asked, within=20)

        self.assertEqual(("batch", [id_]), (answered, [job["id"] for job in batch["jobs"]]))

    def test_one_job_wakes_one_of_two_asks_the_older_one(self):
        older, newer = Session(self.client(), ["echo"], worker="a"), Session(
            self.client(), ["echo"], worker="b"
        )
        asked = {}
        for session in [older, newer]:
            asked[session] = session.client.send("request_batch", session.new_ask(wait_ms=3_000))
            session.client.ask("ping")

        self.connection.enqueue("echo")

        self.assertEqual(1, len(older.client.receive(asked[older])[1]["jobs"]))
        answered, batch = newer.client.receive(asked[newer])
        self.assertEqual(("batch", [], "none"), (answered, batch["jobs"], batch["reason"]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
