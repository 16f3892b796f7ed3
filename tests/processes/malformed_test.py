#!/usr/bin/python3
"""Messages that are wrong in every kind of way: each gets one error with code and field, nothing is stored and the
node goes on."""

import os
import unittest

import msgpack

from support.fleet import ProcessTest
from support.wire import MAGIC, Client

SESSION = os.urandom(16)


def body(value):
    return msgpack.packb(value)


def job(**extra):
    return {"handler": "echo", **extra}


def enqueue(*jobs, **extra):
    return [MAGIC, b"enqueue", b"c", body({"jobs": list(jobs), **extra})]


def raw_enqueue(bytes_):
    return [MAGIC, b"enqueue", b"c", bytes_]


GOOD = enqueue(job())
NESTED = b"\x91" * 100_000 + b"\xc0"

FRAMES = {
    "one frame, empty": ([b""], "bad_frame"),
    "one frame, not of this wire": ([b"GET / HTTP/1.1"], "bad_frame"),
    "the magic alone": ([MAGIC], "bad_frame"),
    "a frame too few": (GOOD[:3], "bad_frame"),
    "a frame too many": ([*GOOD, b""], "bad_frame"),
    "twenty frames too many": ([*GOOD, *[b"x"] * 20], "bad_frame"),
    "an envelope without end": ([b"x"] * 8, "bad_frame"),
    "an envelope of nine frames": ([*[b"x"] * 9, b"", *GOOD], "bad_frame"),
    "a later version": ([b"STINT2", *GOOD[1:]], "unsupported_version"),
    "a correlation of 65 bytes": ([MAGIC, b"ping", b"c" * 65, body({})], "bad_frame"),
    "an unknown type": ([MAGIC, b"frobnicate", b"c", body({})], "unknown_type"),
    "an empty type": ([MAGIC, b"", b"c", body({})], "bad_frame"),
    "a type of a thousand bytes": ([MAGIC, b"x" * 1000, b"c", body({})], "unknown_type"),
    "an answer's type": ([MAGIC, b"enqueued", b"c", body({"ids": [1], "duplicates": []})], "unknown_type"),
    "a link's type": ([MAGIC, b"claim", b"c", body({})], "unknown_type"),
}

# Name: frames, code, field.
BODIES = {
    "an empty body": (raw_enqueue(b""), "bad_message", None),
    "not msgpack": (raw_enqueue(b"\xc1" * 20), "bad_message", None),
    "JSON": (raw_enqueue(b'{"jobs": []}'), "bad_message", None),
    "cut short": (raw_enqueue(GOOD[3][:-1]), "bad_message", None),
    "trailing bytes": (raw_enqueue(GOOD[3] + b"\xc0"), "bad_message", None),
    "an array": (raw_enqueue(body([1])), "bad_message", None),
    "keys that are numbers": (raw_enqueue(body({1: 2})), "bad_message", None),
    "a key twice": (raw_enqueue(b"\x82\xa4jobs\x90\xa4jobs\x90"), "bad_message", "jobs"),
    "an extension type": (enqueue(job(payload=msgpack.ExtType(5, b"x"))), "bad_message", "jobs[0]"),
    "a promise of 4 billion": (raw_enqueue(b"\x81\xa4jobs\xdd\xff\xff\xff\xff"), None, None),
    "100,000 deep": (raw_enqueue(b"\x81\xa1x" + NESTED), "too_large", None),
    "a million nils": (
        raw_enqueue(b"\x81\xa1x\xdd\x00\x0f\x42\x40" + b"\xc0" * 1_000_000),
        "too_large",
        None,
    ),
    "no jobs": (raw_enqueue(body({})), "bad_message", "jobs"),
    "jobs of another kind": (raw_enqueue(body({"jobs": "all"})), "bad_message", "jobs"),
    "1001 jobs": (enqueue(*[job()] * 1001), "too_large", "jobs"),
    "a job without handler": (enqueue(job(), {"queue": "q"}), "bad_message", "jobs[1].handler"),
    "a handler with a space": (enqueue(job(), {"handler": "a b"}), "bad_message", "jobs[1].handler"),
    "a handler of 256 bytes": (enqueue({"handler": "h" * 256}), None, "jobs[0].handler"),
    "a queue with a slash": (enqueue(job(queue="a/b")), "bad_message", "jobs[0].queue"),
    "a queue of 129 bytes": (enqueue(job(queue="q" * 129)), None, "jobs[0].queue"),
    "a payload that is a number": (enqueue(job(payload=5)), "bad_message", "jobs[0].payload"),
    "priority 10": (enqueue(job(), job(), job(priority=10)), "bad_message", "jobs[2].priority"),
    "priority -1": (enqueue(job(priority=-1)), "bad_message", "jobs[0].priority"),
    "half a priority": (enqueue(job(priority=0.5)), "bad_message", "jobs[0].priority"),
    "priority NaN": (enqueue(job(priority=float("nan"))), "bad_message", "jobs[0].priority"),
    "a delay of 2^64-1": (enqueue(job(delay_ms=2**64 - 1)), "bad_message", "jobs[0].delay_ms"),
    "a negative delay": (enqueue(job(delay_ms=-1)), "bad_message", "jobs[0].delay_ms"),
    "delay and time": (enqueue(job(delay_ms=1, run_at_ms=1)), "bad_message", None),
    "no attempts": (enqueue(job(max_attempts=0)), "bad_message", "jobs[0].max_attempts"),
    "a shrinking backoff": (enqueue(job(backoff={"factor": -2.0})), "bad_message", "jobs[0].backoff.factor"),
    "meta of numbers": (enqueue(job(meta={"a": 1})), "bad_message", None),
    "meta of 5 KiB": (enqueue(job(meta={"a": "x" * 5120})), "too_large", "jobs[0].meta.a"),
    "an empty batch key": (enqueue(job(), batch_key=""), None, "batch_key"),
    "a batch key of 65": (enqueue(job(), batch_key="k" * 65), None, "batch_key"),
    "a session of 15 bytes": (
        [MAGIC, b"goodbye", b"c", body({"session": SESSION[:15]})],
        "bad_message",
        "session",
    ),
    "a session that is a number": (
        [MAGIC, b"goodbye", b"c", body({"session": 16})],
        "bad_message",
        "session",
    ),
    "an unknown session": ([MAGIC, b"goodbye", b"c", body({"session": SESSION})], "unknown_session", None),
    "ask 0": (
        [MAGIC, b"request_batch", b"c", body({"session": SESSION, "ask": 0, "queues": {"q": 1}, "got": 0})],
        "bad_message",
        "ask",
    ),
    "an outcome of its own": (
        [MAGIC, b"finish", b"c", body({"session": SESSION, "got": 0, "results": 1})],
        "bad_message",
        "results",
    ),
    "a job that never was": ([MAGIC, b"get_job", b"c", body({"id": 987_654_321})], "not_found", None),
    "a list of 1001": ([MAGIC, b"list_jobs", b"c", body({"limit": 1001})], "bad_message", "limit"),
    "a cursor of its own": (
        [MAGIC, b"list_jobs", b"c", body({"cursor": "\x00nonsense"})],
        "bad_message",
        "cursor",
    ),
}


class MalformedTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.server = self.start_server()
        self.connection = self.client()

    def only_error(self, frames):
        """Sends the frames; returns the one error that comes back."""
        self.connection.send_frames(frames)
        answer = self.connection.receive_frames()
        self.assertEqual([MAGIC, b"error"], answer[-4:-2], answer)
        self.connection.send_frames([MAGIC, b"ping", b"after", body({})])
        after = self.connection.receive_frames()
        self.assertEqual(
            [MAGIC, b"pong", b"after"], after[:3], "a second answer, or none to the next request"
        )
        return msgpack.unpackb(answer[-1])

    def check_nothing_is_stored(self):
        self.assertTrue(self.server.running)
        self.assertEqual([], self.connection.jobs())
        stats = self.connection.ask("get_stats")
        self.assertEqual((0, 0, 0), (stats["enqueued"], stats["waiting"], stats["sessions"]))
        [id_] = self.connection.enqueue("echo")
        self.assertEqual("waiting", self.connection.state(id_))

    def test_frames_that_are_wrong_get_one_error_each(self):
        for name, (frames, code) in FRAMES.items():
            with self.subTest(name):
                error = self.only_error(frames)
                self.assertEqual(code, error["code"], error)
                self.assertTrue(error["message"])
        self.check_nothing_is_stored()

    def test_bodies_that_are_wrong_get_one_error_each_with_the_field(self):
        for name, (frames, code, field) in BODIES.items():
            with self.subTest(name):
                error = self.only_error(frames)
                if code:
                    self.assertEqual(code, error["code"], error)
                else:
                    self.assertIn(error["code"], ["bad_message", "too_large"])
                if field:
                    self.assertEqual(field, error["field"], error)
                self.assertTrue(error["message"])
        self.check_nothing_is_stored()

    def test_every_cut_of_a_good_body_gets_an_error(self):
        good = GOOD[3]
        for length in range(len(good)):
            with self.subTest(length):
                self.assertEqual("bad_message", self.only_error(raw_enqueue(good[:length]))["code"])
        self.check_nothing_is_stored()

    def test_every_faulty_job_is_named_once_up_to_sixteen(self):
        error = self.only_error(enqueue(*[job(priority=number) for number in range(40)]))

        self.assertEqual("jobs[10].priority", error["field"])
        self.assertEqual(list(range(10, 26)), [item["at"] for item in error["items"]])
        self.check_nothing_is_stored()

    def test_a_message_beyond_16_MiB_does_not_harm_the_node(self):
        with Client(self.front_door) as other:
            other.send_frames(raw_enqueue(b"\x00" * ((16 << 20) + 1)))
            self.assertTrue(self.connection.ask("ping")["ready"])
        self.check_nothing_is_stored()

    def test_the_answer_carries_envelope_and_correlation_of_the_message(self):
        self.connection.send_frames([b"hop", b"hop2", b"", MAGIC, b"nonsense", b"mine", body({})])

        answer = self.connection.receive_frames()

        self.assertEqual([b"hop", b"hop2", b"", MAGIC, b"error", b"mine"], answer[:-1])

    def test_unknown_keys_are_ignored_and_nil_is_absent(self):
        self.connection.send_frames(enqueue(job(priority=None, hue="blue", shade={"deep": [1, 2]})))

        self.assertEqual(b"enqueued", self.connection.receive_frames()[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
