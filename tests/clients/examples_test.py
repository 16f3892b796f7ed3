#!/usr/bin/python3
"""The examples in clients/examples, as they stand, against a real node."""

import pathlib
import subprocess
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "processes"))
from support.fleet import PATIENCE, PROGRAM, REPOSITORY, ProcessTest, free_port  # noqa: E402
from support.waiting import eventually  # noqa: E402

EXAMPLES = REPOSITORY / "clients/examples"
PYTHON = "/usr/bin/python3"
BUILT = pathlib.Path(PROGRAM).parent
ENQUEUE_CPP, WORKER_CPP = BUILT / "enqueue_example", BUILT / "worker_example"


class ExamplesTest(ProcessTest):
    def example(self, *words, within=60):
        return subprocess.run(words, capture_output=True, text=True, timeout=within * PATIENCE, check=False)

    def test_a_python_example_without_its_arguments_says_how_it_is_used(self):
        for name in ["enqueue_req", "worker_dealer", "ask_limit", "tail_sub"]:
            with self.subTest(name):
                used = self.example(PYTHON, EXAMPLES / f"{name}.py")
                self.assertEqual((64, ""), (used.returncode, used.stdout))
                self.assertEqual(1, used.stderr.count("\n"), used.stderr)
                self.assertIn(f"usage: {name}.py ", used.stderr)

    def test_a_job_goes_from_the_python_producer_to_the_python_worker_and_back(self):
        self.start_server()

        sent = self.example(PYTHON, EXAMPLES / "enqueue_req.py", self.front_door, "upper", "make me big")
        worked = self.example(PYTHON, EXAMPLES / "worker_dealer.py", self.front_door, "1")

        self.assertEqual((0, ""), (sent.returncode, sent.stderr))
        self.assertIn("enqueued", sent.stdout)
        self.assertEqual((0, ""), (worked.returncode, worked.stderr))
        [job] = self.client().jobs()
        [run] = self.client().job(job["id"])["runs"]
        self.assertEqual(("completed", "MAKE ME BIG", 1), (run["end"], run["result"], run["attempt"]))

    def test_a_job_goes_to_the_worker_that_links_the_library_and_back(self):
        self.start_server()
        client = self.client()
        [id_] = client.enqueue("upper", payload="make me big")

        worked = self.example(WORKER_CPP, self.front_door, "1")

        self.assertEqual(0, worked.returncode, worked.stderr)
        details = client.job(id_)
        self.assertEqual(
            ("completed", "MAKE ME BIG"), (details["job"]["state"], details["runs"][0]["result"])
        )

    def test_the_cpp_producer_enqueues(self):
        self.start_server()

        sent = self.example(ENQUEUE_CPP, self.front_door, "echo", "from C++")

        self.assertEqual((0, ""), (sent.returncode, sent.stderr))
        [job] = self.client().jobs()
        self.assertEqual("from C++", self.client().job(job["id"])["payload"])

    def test_the_python_client_is_told_whether_a_limit_has_room(self):
        self.start_server()
        client = self.client()
        client.ask("set_limit", {"scope": "handler", "name": "upper", "limit": {"max_running": 1}})

        free = self.example(PYTHON, EXAMPLES / "ask_limit.py", self.front_door, "upper")
        client.ask("pause", {"scope": "handler", "name": "upper", "for_ms": 60_000})
        held = self.example(PYTHON, EXAMPLES / "ask_limit.py", self.front_door, "upper")

        self.assertEqual((0, "limited: False, room in 0 ms\n"), (free.returncode, free.stdout))
        self.assertRegex(held.stdout, r"^limited: True, room in [1-9]\d{3,4} ms$")

    def test_the_python_tail_prints_every_event_it_subscribed_to(self):
        self.start_server()
        client = self.client()
        printed = self.folder / "tail.out"
        with open(printed, "wb") as out:
            words = [PYTHON, EXAMPLES / "tail_sub.py", self.events, "job/default/", "limit/"]
            tail = subprocess.Popen(words, stdout=out, stderr=out)
        self.addCleanup(tail.wait, 10)
        self.addCleanup(tail.kill)
        # What is published before it has subscribed is not for it.
        eventually(lambda: client.enqueue("echo") and printed.stat().st_size > 0, 30 * PATIENCE, "it hears")

        ids = client.enqueue("echo", count=3)
        client.enqueue("echo", queue="other")
        client.ask("pause", {"scope": "handler", "name": "echo", "for_ms": 60_000})

        eventually(lambda: "paused" in printed.read_text(), 30 * PATIENCE, "the pause is printed")
        text = printed.read_text()
        for id_ in ids:
            self.assertEqual(1, text.count(f"'job': {id_},"), text)
        self.assertNotIn("missed", text)
        self.assertNotIn("job/other/", text)

    def test_a_refused_enqueue_ends_with_1_and_shows_the_error(self):
        self.start_server()
        for words in [[PYTHON, EXAMPLES / "enqueue_req.py"], [ENQUEUE_CPP]]:
            with self.subTest(str(words[-1])):
                refused = self.example(*words, self.front_door, "not a handler", "x")

                self.assertEqual(1, refused.returncode)
                self.assertIn("bad_message", refused.stdout)
                self.assertIn("jobs[0].handler", refused.stdout)

    def test_without_a_server_the_cpp_producer_says_so(self):
        nobody = f"tcp://127.0.0.1:{free_port()}"

        refused = self.example(ENQUEUE_CPP, nobody, "echo", "x")

        self.assertEqual(1, refused.returncode)
        self.assertIn(nobody, refused.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
