#!/usr/bin/python3
"""What a worker tells whoever watches it: that its server is away, and which runs failed."""

import unittest

from support.fleet import ProcessTest


class WorkerLogTest(ProcessTest):
    def lines_of(self, worker, word):
        return [line for line in worker.logged().splitlines() if word in line]

    def test_a_worker_without_a_server_says_what_it_tries_to_reach_and_later_that_it_is_there(self):
        worker = self.start_worker("w", {"echo": "cat"})
        self.eventually(lambda: self.lines_of(worker, "no server answers yet"), 10, "it says so")

        self.start_server()
        self.eventually(lambda: self.lines_of(worker, "welcomed"), 30, "it works on")

        [line] = self.lines_of(worker, "no server answers yet")
        self.assertIn("warning", line)
        self.assertIn("trying on", line)
        self.assertIn(self.front_door, line)

    def test_a_failed_run_is_one_line_with_job_handler_run_attempt_and_reason(self):
        self.start_server()
        client = self.client()
        command = self.script("fail.sh", "#!/bin/sh\necho my secret >&2\ncat >&2\nexit 3\n")
        worker = self.start_worker("w", {"fail": command})
        [id_] = client.enqueue("fail", payload="the payload", max_attempts=2, backoff={"first_ms": 1})

        self.wait_for_state(client, id_, "dead")

        first, second = self.lines_of(worker, f"job {id_} ")
        self.assertIn(f"warning job {id_} run 1 of handler fail failed at attempt 1 of 2: exit status 3", first)
        self.assertIn("run 2 of handler fail failed at attempt 2 of 2, the job is dead: exit status 3", second)
        for secret in ["secret", "the payload"]:
            self.assertNotIn(secret, worker.logged())

    def test_a_command_that_does_not_exist_is_named_before_the_first_job_and_at_its_run(self):
        self.start_server()
        client = self.client()
        worker = self.start_worker("w", {"good": "cat", "bad": "no-such-program --now"})
        [line] = self.eventually(lambda: self.lines_of(worker, "cannot be started"), 10, "it is named")
        for word in ["warning", "handler=bad", "command=no-such-program", "No such file or directory"]:
            self.assertIn(word, line)

        [id_] = client.enqueue("bad", max_attempts=1)
        self.wait_for_state(client, id_, "dead")

        [line] = self.lines_of(worker, f"job {id_} ")
        self.assertIn("no-such-program: No such file or directory", line)


if __name__ == "__main__":
    unittest.main(verbosity=2)
