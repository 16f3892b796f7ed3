#!/usr/bin/python3
"""deploy/local-cluster.sh: a cluster on one machine that is started, looked at and stopped."""

import os
import pathlib
import signal
import subprocess
import unittest

from support.fleet import PATIENCE, PROGRAM, REPOSITORY, ProcessTest, free_port
from support.wire import Client


class LocalClusterTest(ProcessTest):
    limiters = ()

    def setUp(self):
        super().setUp()
        self.cluster = self.folder / "cluster"
        # The script takes four ports in a row.
        self.port = free_port()
        self.addCleanup(self.script_run, "down")

    def script_run(self, *words):
        return subprocess.run(
            [REPOSITORY / "deploy/local-cluster.sh", *words, "--folder", self.cluster, "--port", str(self.port)],
            env={**os.environ, "STINT_PROGRAM": PROGRAM},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=90 * PATIENCE,
            check=False,
        )

    def up(self, *words):
        done = self.script_run("up", *words)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout

    def pids(self):
        return {file.stem: int(file.read_text().split()[0]) for file in self.cluster.glob("*.pid")}

    @staticmethod
    def is_gone(pid):
        """Somebody else is its parent: it may be there for a while after it has ended."""
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("Z")
        except FileNotFoundError:
            return True

    def test_up_starts_a_cluster_that_works_and_down_stops_all_of_it(self):
        self.up("--workers", "2")
        self.assertEqual({"storage", "limiter-1", "limiter-2", "worker-1", "worker-2"}, set(self.pids()))
        self.assertEqual(0, self.script_run("status").returncode)
        with Client(f"tcp://127.0.0.1:{self.port + 2}") as client:
            client.enqueue("echo", 5)
            self.eventually(lambda: client.ask("get_stats")["completed"] == 5, 30, "the jobs are done")
        pids = self.pids()

        self.assertEqual(0, self.script_run("down").returncode)

        for name, pid in pids.items():
            self.eventually(lambda pid=pid: self.is_gone(pid), 30, f"{name} is gone")
        self.assertEqual({}, self.pids())
        self.assertEqual(69, self.script_run("status").returncode)

    def test_up_again_starts_only_what_does_not_run(self):
        self.up("--workers", "1")
        before = self.pids()
        os.kill(before["limiter-2"], signal.SIGKILL)
        self.eventually(lambda: self.script_run("status", "--workers", "1").returncode == 69, 30, "it is missed")

        self.up("--workers", "1")

        after = self.pids()
        self.assertNotEqual(before.pop("limiter-2"), after.pop("limiter-2"))
        self.assertEqual(before, after)

    def test_down_leaves_alone_what_is_not_its_own(self):
        other = subprocess.Popen(["sleep", "60"])
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        self.cluster.mkdir()
        (self.cluster / "storage.pid").write_text(f"{other.pid} 1\n")

        self.assertEqual(0, self.script_run("down").returncode)

        self.assertIsNone(other.poll())

    def test_the_configs_that_are_given_are_used(self):
        limits = self.folder / "limits.toml"
        limits.write_text("[queues.default]\nrate = 0.001\nburst = 1\n")
        worker = self.folder / "worker.toml"
        worker.write_text('[worker]\nqueues = { default = 2 }\n[worker.handlers.shout]\ncommand = ["tr", "a-z", "A-Z"]\n')

        self.up("--workers", "1", "--server", str(limits), "--worker", str(worker))

        with Client(f"tcp://127.0.0.1:{self.port}") as client:
            [first, second] = client.enqueue("shout", 2, payload="hey")
            self.eventually(lambda: client.state(first) == "completed", 30, "the first job is done")
            self.assertEqual("waiting", client.state(second))

    def test_a_node_that_cannot_start_is_named_with_the_reason(self):
        limits = self.folder / "limits.toml"
        limits.write_text("[queues.default]\nrate = -1\n")

        done = self.script_run("up", "--server", str(limits))

        self.assertNotEqual(0, done.returncode)
        self.assertIn("storage has ended", done.stderr)
        self.assertIn("rate", done.stderr)

    def test_another_server_on_its_port_is_not_taken_for_its_own(self):
        self.start_server()
        self.port = int(self.server_door.rpartition(":")[2])

        done = self.script_run("up")

        self.assertNotEqual(0, done.returncode)
        self.assertNotIn("storage is ready", done.stdout)
        self.assertIn("storage has ended", done.stderr)

    def test_usage(self):
        for words, status in [(["help"], 0), ([], 64), (["dance"], 64), (["up", "--dance"], 64), (["up", "--workers", "x"], 64)]:
            done = subprocess.run(
                [REPOSITORY / "deploy/local-cluster.sh", *words], capture_output=True, text=True, check=False
            )
            self.assertEqual(status, done.returncode, words)
            self.assertIn("local-cluster", done.stdout + done.stderr, words)


if __name__ == "__main__":
    unittest.main(verbosity=2)
