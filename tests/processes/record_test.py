#!/usr/bin/python3
"""What a node records is replayed to the same decisions."""

import os
import subprocess
import unittest

from support.fleet import PATIENCE, REPOSITORY, ProcessTest

REPLAY = os.environ.get("STINT_REPLAY") or str(REPOSITORY / "build/release/stint_replay")


class RecordTest(ProcessTest):
    lease = "1s"
    limiters = ()

    def setUp(self):
        super().setUp()
        self.recording = self.folder / "recording"
        self.server_arguments = ("--record", str(self.recording))

    def replay(self):
        return subprocess.run(
            [REPLAY, str(self.recording)], capture_output=True, text=True, timeout=120 * PATIENCE, check=False
        )

    def work(self):
        """Jobs that complete, fail, are lost and cancelled, under a limit, with one that brings another."""
        client = self.client()
        self.stint("limit", "set", "queue", "default", "--rate", "50/s", "--burst", "5")
        fails = self.script("fails.sh", '#!/bin/sh\n[ "$STINT_RUN" = 2 ]\n')
        slow = self.script("slow.sh", "#!/bin/sh\nsleep 3\n")
        worker = self.start_worker("w", {"cat": "cat", "fails": fails, "slow": slow}, ["default:4"])
        client.enqueue("cat", 40, payload=b"bytes")
        failing = client.enqueue("fails", 3, retry={"first_ms": 50, "jitter": 0})
        [cancelled] = client.enqueue("slow")
        client.enqueue("cat", 3, limit={"max": 2, "window_ms": 500})
        self.wait_for_state(client, cancelled, "running")
        client.ask("cancel_job", {"id": cancelled})
        for id_ in failing:
            self.wait_for_state(client, id_, "completed")
        self.wait_for_state(client, cancelled, "cancelled")
        worker.kill()
        client.ask("set_limit", {"scope": "handler", "name": "cat", "limit": {"max": 1, "window_ms": 300}})
        client.enqueue("cat", 3)
        self.start_worker("w2", {"cat": "cat"}, ["default:4"])
        self.eventually(lambda: client.ask("get_stats")["waiting"] == 0, 60, "all is done")
        self.stint("status")
        self.stint("job", "list")

    def test_a_node_that_was_killed_is_replayed_to_the_same_decisions(self):
        server = self.start_server()
        self.work()

        server.kill()

        replayed = self.replay()
        self.assertEqual(0, replayed.returncode, replayed.stdout + replayed.stderr)
        self.assertRegex(replayed.stdout, r"^[1-9][0-9]{2,} turns")

    def test_a_recording_begins_with_the_jobs_of_the_database_it_was_started_on(self):
        self.server_arguments = ()
        first = self.start_server()
        client = self.client()
        client.enqueue("cat", 10)
        first.kill()
        self.server_arguments = ("--record", str(self.recording))
        second = self.start_server()
        self.start_worker("w", {"cat": "cat"}, ["default:2"])
        self.eventually(lambda: client.ask("get_stats")["completed"] == 10, 30, "the old jobs are done")

        second.stop()

        replayed = self.replay()
        self.assertEqual(0, replayed.returncode, replayed.stdout + replayed.stderr)

    def test_another_decision_is_noticed(self):
        server = self.start_server()
        self.work()
        server.kill()
        # The node's config as recorded: a batch may hold fewer jobs, so that it decides otherwise.
        bytes_ = self.recording.read_bytes()
        self.assertEqual(1, bytes_.count(b'lease = "1s"'))
        self.recording.write_bytes(bytes_.replace(b'lease = "1s"', b'lease = "9s"'))

        replayed = self.replay()

        self.assertEqual(1, replayed.returncode, replayed.stdout + replayed.stderr)
        self.assertIn("differs", replayed.stdout)

    def test_what_is_no_recording_is_refused(self):
        self.recording.write_text("something else")

        replayed = self.replay()

        self.assertEqual(66, replayed.returncode)
        self.assertIn("is not a recording", replayed.stderr)


class LimiterRecordTest(ProcessTest):
    limiters = ("limiter-1", "limiter-2")

    def test_a_limiter_node_is_replayed_too(self):
        recording = self.folder / "recording"
        self.start_server()
        self.limiter_nodes["limiter-1"].stop()
        self.node_arguments = {"limiter-1": ("--record", str(recording))}
        node = self.start_limiter("limiter-1")
        client = self.client()
        self.stint("limit", "set", "handler", "cat", "--max", "5", "--window", "300ms")
        queues = [f"queue-{number}" for number in range(6)]
        self.start_worker("w", {"cat": "cat"}, [f"{queue}:2" for queue in queues])
        for queue in queues:
            client.enqueue("cat", 5, queue=queue)
        self.eventually(lambda: client.ask("get_stats")["completed"] == 30, 60, "all is done")

        node.kill()

        replayed = subprocess.run([REPLAY, str(recording)], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(0, replayed.returncode, replayed.stdout + replayed.stderr)


if __name__ == "__main__":
    unittest.main()
