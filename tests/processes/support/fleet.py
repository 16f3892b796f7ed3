"""ProcessTest: a test that starts nodes, workers and commands of the real program in a folder of its own.

Whatever it started is killed, by its id, when it ends; the logs of a failed test are printed.
STINT_PROGRAM names the program; without it, build/release/stint is tested.
With STINT_TEST_CLUSTER=1 the server is a cluster of processes: a storage node and two limiter nodes. Clients and workers
then use a limiter's front door, so that everything is passed on.
"""

import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

from support.waiting import eventually
from support.wire import Client, NoAnswer, Refused

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = os.path.abspath(os.environ.get("STINT_PROGRAM") or REPOSITORY / "build/release/stint")

CLUSTER = os.environ.get("STINT_TEST_CLUSTER") == "1"

# A program under a sanitizer is several times slower.
PATIENCE = float(os.environ.get("STINT_TEST_PATIENCE", "1"))

SANITIZER_MARKS = ["ThreadSanitizer", "AddressSanitizer", "LeakSanitizer", "runtime error:"]


def free_port():
    """A port below those that the system gives to connections, where nobody listens now."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def free_ports(count):
    ports = set()
    while len(ports) < count:
        ports.add(free_port())
    return list(ports)


class Process:
    """A running stint process and its log."""

    def __init__(self, arguments, log, cwd):
        self.log = log
        with open(log, "ab") as out:
            self._child = subprocess.Popen(
                [PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=cwd
            )

    @property
    def pid(self):
        return self._child.pid

    @property
    def running(self):
        return self._child.poll() is None

    def signal(self, number):
        self._child.send_signal(number)

    def kill(self):
        """SIGKILL: the process has no say in it."""
        if self.running:
            self._child.kill()
        return self._child.wait(10)

    def stop(self, within=30.0):
        """SIGTERM; returns the exit status."""
        if self.running:
            self._child.terminate()
        return self.wait(within)

    def wait(self, within=30.0):
        return self._child.wait(within * PATIENCE)

    def pause(self):
        self._child.send_signal(signal.SIGSTOP)

    def resume(self):
        self._child.send_signal(signal.SIGCONT)

    def logged(self):
        return self.log.read_text(errors="replace")


class ProcessTest(unittest.TestCase):
    # Of the server's config: tests that wait for leases to end shorten them.
    lease = "30s"
    # Given to the server node besides its config.
    server_arguments = ()
    # The same of limiter nodes, by name.
    node_arguments = {}
    # The nodes beside the storage node.
    limiters = ("limiter-1", "limiter-2") if CLUSTER else ()

    def run(self, result=None):
        with tempfile.TemporaryDirectory(prefix="stint-test-") as folder:
            self.folder = pathlib.Path(folder)
            ports = iter(free_ports(2 + len(self.limiters)))
            self.server_door = f"tcp://127.0.0.1:{next(ports)}"
            self.events = f"tcp://127.0.0.1:{next(ports)}"
            self.limiter_doors = {name: f"tcp://127.0.0.1:{next(ports)}" for name in self.limiters}
            self.limiter_nodes = {}
            # Where clients and workers go.
            self.front_door = next(iter(self.limiter_doors.values()), self.server_door)
            faults_before = self._faults(result)
            outcome = super().run(result)
            if self._faults(result) > faults_before:
                self._print_logs()
            return outcome

    def check_no_sanitizer_spoke(self):
        """A node that is killed keeps its exit status to itself: what a sanitizer found stands in its log."""
        for log in self.folder.glob("*.log"):
            text = log.read_text(errors="replace")
            for mark in SANITIZER_MARKS:
                self.assertNotIn(mark, text, log.name)

    @staticmethod
    def _faults(result):
        return len(result.failures) + len(result.errors) if result else 0

    def _print_logs(self):
        for log in sorted(self.folder.glob("*.log")):
            lines = log.read_text(errors="replace").splitlines()
            print(f"--- {log.name}, last of {len(lines)} lines", *lines[-40:], sep="\n", file=sys.stderr)

    # --- Nodes and workers ---

    def setUp(self):
        self.addCleanup(self.check_no_sanitizer_spoke)

    def server_config(self):
        roles = ["storage"] if self.limiters else ["storage", "limiter"]
        return f"""
[node]
name = "server"
roles = {roles}
front_door = "{self.server_door}"
events = "{self.events}"

[storage]
file = "stint.db"

[defaults]
lease = "{self.lease}"
{self.cluster_config()}"""

    def cluster_config(self):
        """What every node of a cluster has in its config; empty: the server is alone."""
        if not self.limiters:
            return ""
        limiters = ", ".join(f'{name} = "{door}"' for name, door in self.limiter_doors.items())
        return f"""
[cluster]
storage = "{self.server_door}"
limiters = {{ {limiters} }}
"""

    def start_server(self, ready=True):
        """Starts the server node (again), over the same file and endpoints, and the limiter nodes that do not run."""
        config = self.folder / "server.toml"
        config.write_text(self.server_config())
        server = self._start(["node", "--config", str(config), *self.server_arguments], "server.log")
        for name in self.limiters:
            if name not in self.limiter_nodes or not self.limiter_nodes[name].running:
                self.start_limiter(name, ready=False)
        if ready:
            self.wait_until_ready(server)
            for name, node in self.limiter_nodes.items():
                self.wait_until_ready(node, door=self.limiter_doors[name])
        return server

    def start_limiter(self, name, ready=True):
        config = self.folder / f"{name}.toml"
        config.write_text(
            f"""
[node]
name = "{name}"
roles = ["limiter"]
front_door = "{self.limiter_doors.get(name, self.front_door)}"
{self.cluster_config()}"""
        )
        more = self.node_arguments.get(name, ())
        node = self._start(["node", "--config", str(config), *more], f"{name}.log")
        self.limiter_nodes[name] = node
        if ready:
            self.wait_until_ready(node, door=self.limiter_doors[name])
        return node

    def wait_until_ready(self, node, within=30.0, door=None):
        """A limiter node is ready once it has a way to the storage node."""

        def pong():
            self.assertTrue(node.running, f"the node ended: {node.logged()[-2000:]}")
            try:
                with Client(door or self.server_door) as client:
                    return client.ask("ping", within=0.5)["ready"]
            except (NoAnswer, Refused):
                return False

        eventually(pong, within * PATIENCE, "the node answers that it is ready")

    def start_worker(self, name, handlers, queues=("default:4",), arguments=()):
        """`handlers`: name to command."""
        words = ["work", "--server", self.front_door, "--name", name]
        for queue in queues:
            words += ["--queue", queue]
        for handler, command in handlers.items():
            words += ["--handler", f"{handler}={command}"]
        return self._start([*words, *arguments], f"{name}.log")

    def _start(self, arguments, log):
        process = Process(arguments, self.folder / log, self.folder)
        self.addCleanup(process.kill)
        return process

    # --- Talking to them ---

    def client(self):
        client = Client(self.front_door)
        self.addCleanup(client.close)
        return client

    def stint(self, *arguments, stdin=b"", within=30.0, server=None):
        """Runs a command to its end; returns its CompletedProcess with text in stdout and stderr."""
        environment = {**os.environ, "STINT_SERVER": server or self.front_door}
        done = subprocess.run(
            [PROGRAM, *arguments],
            input=stdin,
            capture_output=True,
            cwd=self.folder,
            env=environment,
            timeout=within * PATIENCE,
            check=False,
        )
        done.stdout = done.stdout.decode(errors="replace")
        done.stderr = done.stderr.decode(errors="replace")
        return done

    def script(self, name, text):
        """Writes an executable into the test's folder; returns its path."""
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    # --- What must become true ---

    def eventually(self, look, within=30.0, what="the condition"):
        return eventually(look, within * PATIENCE, what)

    def wait_for_state(self, client, id_, state, within=30.0):
        """Returns the job's details once it is in `state`."""

        def details():
            seen = client.job(id_)
            return seen if seen["job"]["state"] == state else None

        return self.eventually(details, within, f"job {id_} is {state}")

    def ends(self, details):
        """How the runs of a job ended, oldest first."""
        return [run["end"] for run in details["runs"]]
