#!/usr/bin/python3
"""Servers and workers are killed with SIGKILL under load and started again (rules D1, D3, D5, D6, D9)."""

import collections
import threading
import time
import unittest

from support.fleet import ProcessTest
from support.wire import Client, Session

SPENT = {"completed", "failed", "dead", "timed_out", "lost"}


class Load:
    """A producer that keeps some jobs waiting, through every restart, and knows which ones were acknowledged."""

    def __init__(self, front_door, handler):
        self.acknowledged = []
        self.fault = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._produce, args=(front_door, handler), daemon=True)
        self._thread.start()

    def stop(self):
        self._stop.set()
        self._thread.join(60)
        if self.fault:
            raise self.fault

    def _produce(self, front_door, handler):
        try:
            with Client(front_door) as client:
                number = 0
                while not self._stop.is_set():
                    number += 1
                    jobs = [{"handler": handler, "payload": f"{number}/{at}"} for at in range(20)]
                    body = {"jobs": jobs, "batch_key": f"load/{number}"}
                    self.acknowledged += client.ask_again("enqueue", body, within=60)["ids"]
                    while client.ask_again("get_stats", {}, within=60)["waiting"] > 300:
                        if self._stop.wait(0.02):
                            return
        except Exception as fault:  # given to the test's own thread by stop()
            self.fault = fault


class RestartTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.handlers = {"echo": self.script("echo.sh", "#!/bin/sh\nsleep 0.02\nexec cat\n")}
        self.workers = {}

    def start_named_worker(self, name):
        self.workers[name] = self.start_worker(name, self.handlers, ["default:8"])

    def wait_for_work(self, least):
        """Until this life of the server has seen so many jobs completed."""
        with Client(self.front_door) as client:
            self.eventually(
                lambda: client.ask_again("get_stats", {})["completed"] >= least, 60, f"{least} jobs completed"
            )

    def print_first_hand_out(self, what):
        """With the server just found ready: how long until it hands out a job."""
        ready = time.monotonic()
        with Client(self.front_door) as client:
            self.eventually(
                lambda: client.ask_again("get_stats", {})["started"] > 0, 10, f"a hand-out after {what}"
            )
        print(
            f"first hand-out after {what}: {(time.monotonic() - ready) * 1000:.0f} ms after ready", flush=True
        )

    def check_every_job(self, ids):
        """Each acknowledged job exists, completed, once; its attempts are the runs that were spent (rules D1, D3)."""
        self.assertEqual(len(ids), len(set(ids)), "an id was given twice")
        with Client(self.front_door) as client:

            def at_rest():
                stats = client.ask_again("get_stats", {})
                return stats["waiting"] + stats["running"] + stats["retrying"] == 0

            self.eventually(at_rest, 90, "every job has ended")
            endings = collections.Counter()
            for id_ in ids:
                details = client.job(id_)
                ends = self.ends(details)
                endings.update(ends)
                self.assertEqual("completed", details["job"]["state"], f"job {id_}: {details}")
                self.assertEqual(1, ends.count("completed"), f"job {id_} ended twice: {details}")
                spent = sum(end in SPENT for end in ends)
                self.assertEqual(spent, details["job"]["attempts"], f"attempts of job {id_}: {details}")
        print(f"{len(ids)} acknowledged jobs, each completed once; all runs: {dict(endings)}", flush=True)
        return endings

    def test_work_goes_on_and_no_attempt_is_spent_when_the_server_is_killed_under_load(self):
        server = self.start_server()
        self.start_named_worker("one")
        self.start_named_worker("two")
        load = Load(self.front_door, "echo")

        for number in range(3):
            self.wait_for_work(100)
            server.kill()
            server = self.start_server()
            self.print_first_hand_out(f"kill {number + 1} of the server")
        self.wait_for_work(100)
        load.stop()

        endings = self.check_every_job(load.acknowledged)
        # The workers lived on: their leases held through every restart (rule D6).
        self.assertLessEqual(set(endings), {"completed", "undelivered"})

    def test_work_goes_on_when_the_workers_are_killed_under_load(self):
        self.start_server()
        self.start_named_worker("one")
        self.start_named_worker("two")
        load = Load(self.front_door, "echo")

        completed = 0
        for name in ["one", "two"]:
            self.wait_for_work(completed := completed + 100)
            self.workers[name].kill()
            self.start_named_worker(name)
        self.wait_for_work(completed + 200)
        load.stop()

        self.check_every_job(load.acknowledged)

    def test_work_goes_on_when_server_and_workers_are_killed_at_once(self):
        server = self.start_server()
        self.start_named_worker("one")
        self.start_named_worker("two")
        load = Load(self.front_door, "echo")

        for workers_first in [True, False]:
            self.wait_for_work(100)
            for process in [server, *self.workers.values()]:
                process.kill()
            if workers_first:
                self.start_named_worker("one")
                self.start_named_worker("two")
            server = self.start_server()
            if not workers_first:
                self.start_named_worker("one")
                self.start_named_worker("two")
            self.print_first_hand_out("a kill of server and workers")
        self.wait_for_work(100)
        load.stop()

        self.check_every_job(load.acknowledged)

    def test_a_repeated_ask_gets_the_same_batch_from_a_restarted_server(self):
        server = self.start_server()
        client = self.client()
        session = Session(client, ["echo"])
        [id_] = client.enqueue("echo", payload="once")
        [job] = session.next_batch()

        server.kill()
        self.start_server()
        client.ask_again("ping", {})
        again = session.repeat_ask(got=0)

        self.assertEqual([job], again["jobs"])
        self.assertEqual({"accepted": [0], "stale": [], "rejected": []}, session.finish([job]))
        self.assertEqual(["completed"], self.ends(client.job(id_)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
