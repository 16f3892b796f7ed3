#!/usr/bin/python3
"""`stint tail` misses nothing and says nothing twice, through a killed server and for a reader that stood still."""

import json
import signal
import subprocess
import unittest

from support.fleet import PROGRAM, ProcessTest
from support.wire import Client


class TailTest(ProcessTest):
    def start_tail(self, name):
        path = self.folder / f"{name}.jsonl"
        with open(path, "wb") as out, open(self.folder / f"{name}.log", "wb") as err:
            tail = subprocess.Popen(
                [PROGRAM, "tail", "--json", "--from", "0", "--server", self.front_door],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )
        self.addCleanup(tail.wait, 10)
        self.addCleanup(tail.kill)
        return tail, path

    @staticmethod
    def read(path):
        text = path.read_text()
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]

    def enqueue(self, client, batches, first):
        ids = []
        for number in range(first, first + batches):
            body = {"jobs": [{"handler": "echo"}] * 50, "batch_key": f"tail/{number}"}
            ids += client.ask_again("enqueue", body, within=60)["ids"]
        return ids

    def expected_of(self, client, id_):
        """The events of a job, from its own history."""
        words = {"dead": "failed", "timed_out": "failed"}
        names = ["enqueued"]
        for run in client.ask_again("get_job", {"id": id_})["runs"]:
            names += ["started", words.get(run["end"], run["end"])]
        return names

    def test_every_event_is_there_once_and_in_order_over_a_killed_server_and_a_stopped_reader(self):
        server = self.start_server()
        echo = self.script("echo.sh", "#!/bin/sh\nexec cat\n")
        tails = [self.start_tail("steady"), self.start_tail("stopped")]
        for name in ["one", "two"]:
            self.start_worker(name, {"echo": echo}, ["default:8"])

        with Client(self.front_door) as client:
            ids = self.enqueue(client, 4, 0)
            tails[1][0].send_signal(signal.SIGSTOP)
            self.eventually(lambda: client.ask_again("get_stats", {})["completed"] > 50, 60, "work goes on")
        server.kill()
        self.start_server()
        client = self.client()
        ids += self.enqueue(client, 4, 4)
        self.eventually(
            lambda: not sum(client.ask("get_stats", {})[state] for state in ["waiting", "running", "retrying"]),
            120,
            "every job has ended",
        )
        tails[1][0].send_signal(signal.SIGCONT)

        newest = client.ask("get_stats", {})["event_seq"]
        expected = {id_: self.expected_of(client, id_) for id_ in ids}
        for _, path in tails:
            with self.subTest(path.name):
                self.eventually(lambda p=path: (self.read(p) or [{"seq": 0}])[-1]["seq"] >= newest, 60, "the tail's end")
                lines = self.read(path)
                numbers = [line["seq"] for line in lines]
                self.assertEqual(sorted(numbers), numbers, "in order")
                self.assertEqual(set(range(1, newest + 1)), set(numbers), "without a gap")
                seen = {id_: [] for id_ in ids}
                for line in lines:
                    seen[line["job"]].append(line["event"])
                self.assertEqual(expected, seen)
        print(f"{len(ids)} jobs, {newest} messages, {sum(map(len, expected.values()))} events: each there once", flush=True)


if __name__ == "__main__":
    unittest.main()
