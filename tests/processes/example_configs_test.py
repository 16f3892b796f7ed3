#!/usr/bin/python3
"""The example configs are good: each by itself, and those of the cluster with each other."""

import subprocess
import tomllib
import unittest

from support.fleet import PROGRAM, REPOSITORY

EXAMPLES = REPOSITORY / "deploy/examples"


class ExampleConfigsTest(unittest.TestCase):
    def test_each_of_them_is_good(self):
        configs = sorted(EXAMPLES.glob("**/*.toml"))
        self.assertLess(4, len(configs))
        for config in configs:
            with self.subTest(config.name):
                checked = subprocess.run(
                    [PROGRAM, "config", "check", config], capture_output=True, text=True, timeout=60, check=False
                )
                self.assertEqual((0, ""), (checked.returncode, checked.stderr))

    def test_the_nodes_of_the_cluster_agree_on_it(self):
        configs = [tomllib.loads(path.read_text()) for path in sorted(EXAMPLES.glob("cluster/*.toml"))]
        clusters = [config["cluster"] for config in configs if "cluster" in config]
        limiters = [config["node"]["name"] for config in configs if "limiter" in config["node"]["roles"]]

        self.assertLess(1, len(clusters))
        self.assertEqual([clusters[0]] * len(clusters), clusters)
        self.assertEqual(sorted(clusters[0]["limiters"]), sorted(limiters))


if __name__ == "__main__":
    unittest.main()
