"""Hosts: network namespaces joined by a switch, each with a cable (veth) that can be pulled and put back.

All of it lives in a namespace of the test's own process: nothing of the machine's network is touched, and it goes with
the process.
"""

import os
import subprocess
import sys

IN_NAMESPACE = "STINT_TEST_IN_NAMESPACE"


def permitted():
    """Whether namespaces may be made here."""
    return subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode == 0


def enter():
    """Runs this program again in a network namespace of its own; returns only there."""
    if os.environ.get(IN_NAMESPACE):
        return
    os.execvpe("unshare", ["unshare", "--net", sys.executable, *sys.argv], {**os.environ, IN_NAMESPACE: "1"})


def run(*words):
    subprocess.run(words, check=True, capture_output=True, text=True)


class Hosts:
    """Host N has the address 10.77.0.N, the test itself 10.77.0.254."""

    def __init__(self, names):
        self._keepers = {}
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "switch", "type", "bridge")
        run("ip", "addr", "add", "10.77.0.254/24", "dev", "switch")
        run("ip", "link", "set", "switch", "up")
        for number, name in enumerate(names, 1):
            self._add(name, number)

    def _add(self, name, number):
        # It only keeps the namespace; it ends when its input does, with this process at the latest.
        keeper = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "echo up; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        keeper.stdout.readline()
        keeper.stdout.close()
        self._keepers[name] = keeper
        cable = f"cable{number}"
        run("ip", "link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", str(keeper.pid))
        run("ip", "link", "set", cable, "master", "switch", "up")
        self._in(name, "ip", "addr", "add", f"10.77.0.{number}/24", "dev", "eth0")
        self._in(name, "ip", "link", "set", "eth0", "up")
        self._in(name, "ip", "link", "set", "lo", "up")

    def _in(self, name, *words):
        run(*self.at(name), *words)

    def at(self, name):
        """What to put before a command for it to run on this host."""
        return ["nsenter", f"--net=/proc/{self._keepers[name].pid}/ns/net", "--"]

    def number(self, name):
        return list(self._keepers).index(name) + 1

    def address(self, name):
        return f"10.77.0.{self.number(name)}"

    def cut_off(self, name):
        run("ip", "link", "set", f"cable{self.number(name)}", "down")

    def heal(self, name):
        run("ip", "link", "set", f"cable{self.number(name)}", "up")

    def close(self):
        for keeper in self._keepers.values():
            keeper.stdin.close()
            keeper.wait(10)
        run("ip", "link", "del", "switch")
