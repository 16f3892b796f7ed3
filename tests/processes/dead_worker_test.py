#!/usr/bin/python3
"""Workers that died while they waited for work: no job waits for them (rule D3)."""

import unittest

from support.fleet import ProcessTest


class DeadWorkerTest(ProcessTest):
    lease = "120s"

    def test_a_job_goes_to_the_living_worker_and_not_to_asks_of_dead_ones(self):
        self.start_server()
        client = self.client()
        for name in ("first", "second", "third"):
            dead = self.start_worker(name, {"echo": "cat"})
            [id_] = client.enqueue("echo")
            self.wait_for_state(client, id_, "completed")
            dead.kill()
        self.start_worker("living", {"echo": "cat"})

        [id_] = client.enqueue("echo")

        # Far within a lease: nobody waits for the end of one.
        details = self.wait_for_state(client, id_, "completed")
        self.assertEqual("living", details["job"]["worker"])
        self.assertEqual(1, details["job"]["attempts"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
