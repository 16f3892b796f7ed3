#!/usr/bin/python3
"""deploy/quickstart.sh and deploy/start-node.sh do what README says, and leave nothing behind."""

import os
import subprocess
import unittest

from support.fleet import PATIENCE, PROGRAM, REPOSITORY, ProcessTest


class QuickstartTest(ProcessTest):
    def script_run(self, *words):
        environment = {**os.environ, "STINT_PROGRAM": PROGRAM, "TMPDIR": str(self.folder)}
        return subprocess.run(
            words,
            capture_output=True,
            text=True,
            timeout=200 * PATIENCE,
            env=environment,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    def test_every_source_file_is_summed_and_checked_and_nothing_is_left(self):
        done = self.script_run(REPOSITORY / "deploy/quickstart.sh")

        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertIn("results equal", done.stdout)
        self.assertNotIn("\r", done.stdout, "a progress bar was drawn where nobody sees it")
        self.assertEqual([], list(self.folder.iterdir()))
        self.assertEqual("", self.processes_of_this_test())

    def test_a_server_that_cannot_start_ends_it_with_a_reason(self):
        broken = self.script("broken", '#!/bin/sh\n[ "$1" = version ] && echo 0\n[ "$1" = version ]\n')
        environment = {**os.environ, "STINT_PROGRAM": broken, "TMPDIR": str(self.folder)}
        done = subprocess.run(
            [REPOSITORY / "deploy/quickstart.sh"],
            capture_output=True,
            text=True,
            timeout=60,
            env=environment,
            check=False,
        )

        self.assertEqual(1, done.returncode)
        self.assertIn("quickstart failed: the cluster does not come up", done.stderr)
        self.assertEqual(["broken"], [path.name for path in self.folder.iterdir()])

    def test_start_node_runs_a_config_until_it_is_told_to_stop(self):
        config = self.folder / "server.toml"
        config.write_text(self.server_config())
        node = subprocess.Popen(
            [REPOSITORY / "deploy/start-node.sh", config],
            env={**os.environ, "STINT_PROGRAM": PROGRAM},
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(node.wait)
        self.addCleanup(node.kill)
        self.assertEqual(0, self.stint("ping", "--wait", "20s").returncode)

        node.terminate()

        self.assertEqual(0, node.wait(30 * PATIENCE))

    def processes_of_this_test(self):
        """Command lines that name this test's folder: what the quickstart may have left running."""
        return subprocess.run(
            [
                "grep",
                "-las",
                str(self.folder),
                "--",
                *[f"/proc/{pid}/cmdline" for pid in os.listdir("/proc") if pid.isdigit()],
            ],
            capture_output=True,
            text=True,
            check=False,
        ).stdout


if __name__ == "__main__":
    unittest.main(verbosity=2)
