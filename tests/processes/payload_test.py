#!/usr/bin/python3
"""Payloads arrive byte for byte, at every size up to the bound; one byte more is refused."""

import random
import unittest

from support.fleet import PATIENCE, ProcessTest
from support.wire import Refused, Session

BOUND = 1 << 20
NOISE = random.Random(1).randbytes(BOUND + 4096)


def payload_of(size):
    start = size % 4093
    return NOISE[start : start + size]


class PayloadTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.start_server()
        self.producer = self.client()
        self.session = Session(self.client(), ["keep"])

    def send_and_read_back(self, sizes):
        """Enqueues one job a size in one request, takes them back as a worker and compares."""
        jobs = [
            {"handler": "keep", "payload": payload_of(size), "meta": {"size": str(size)}} for size in sizes
        ]
        self.producer.ask("enqueue", {"jobs": jobs}, within=60)
        missing = set(sizes)
        while missing:
            batch = self.session.next_batch(permits=100, wait_ms=10_000)
            self.assertTrue(batch, f"no more jobs come, missing sizes: {sorted(missing)[:20]}")
            for job in batch:
                size = int(job["meta"]["size"])
                self.assertEqual(bytes, type(job["payload"]), f"size {size}")
                self.assertTrue(payload_of(size) == job["payload"], f"size {size} came back changed")
                missing.discard(size)
            self.session.finish(batch)

    def test_every_size_from_0_to_70000_arrives(self):
        # Under a sanitizer, which is slow, only some of them.
        sizes = range(0, 70_001, 1 if PATIENCE == 1 else 37)
        for start in range(0, len(sizes), 100):
            self.send_and_read_back(sizes[start : start + 100])

    def test_sizes_around_the_bound_arrive(self):
        self.send_and_read_back([BOUND - 65_537, BOUND - 4097, BOUND - 1, BOUND])

    def test_many_payloads_of_the_bound_arrive_in_batches_that_fit_a_message(self):
        for _ in range(3):
            self.producer.ask(
                "enqueue",
                {"jobs": [{"handler": "keep", "payload": payload_of(BOUND)}] * 15},
                within=60,
            )
        taken = 0
        while taken < 45:
            batch = self.session.next_batch(permits=100, wait_ms=10_000)
            self.assertTrue(batch, f"only {taken} of 45 came")
            self.assertTrue(all(job["payload"] == payload_of(BOUND) for job in batch))
            taken += len(self.session.finish(batch)["accepted"])

    def test_one_byte_more_than_the_bound_is_too_large_and_nothing_is_stored(self):
        good = {"handler": "keep", "payload": b"good"}
        with self.assertRaises(Refused) as refused:
            self.producer.ask("enqueue", {"jobs": [good, {**good, "payload": payload_of(BOUND + 1)}]})

        self.assertEqual(("too_large", "jobs[1].payload"), (refused.exception.code, refused.exception.field))
        self.assertEqual([], self.producer.jobs())

    def test_text_comes_back_as_text_and_bytes_as_bytes(self):
        self.producer.enqueue("keep", payload="grüße")
        self.producer.enqueue("keep", payload=b"\x00\xff")
        self.producer.enqueue("keep")

        jobs = []
        while len(jobs) < 3:
            jobs += self.session.next_batch(permits=3)

        self.assertEqual(["grüße", b"\x00\xff", b""], [job["payload"] for job in jobs])

    def test_a_command_handler_reads_and_returns_every_size(self):
        self.start_worker("cat", {"cat": "cat"})
        for size in [0, 1, 4095, 4096, 65_535, 65_536, 65_537, 200_000, BOUND - 1, BOUND]:
            [id_] = self.producer.enqueue("cat", payload=payload_of(size))
            details = self.wait_for_state(self.producer, id_, "completed")
            result = details["runs"][-1].get("result") or b""
            self.assertTrue(payload_of(size) == bytes(result), f"{size} bytes came back changed")


if __name__ == "__main__":
    unittest.main(verbosity=2)
