#!/usr/bin/python3
"""The command line as scripts rely on it: what is printed, and the exit statuses."""

import json
import socket
import unittest

from support.fleet import ProcessTest, free_port

DONE, REFUSED, USAGE, BAD_DATA, NO_SERVER, CANNOT_CREATE, IO, CONFIG = 0, 1, 64, 65, 69, 73, 74, 78


class WithoutServerTest(ProcessTest):
    def test_a_command_that_does_not_exist_is_a_usage_fault(self):
        done = self.stint("frobnicate")

        self.assertEqual(USAGE, done.returncode)
        self.assertIn("frobnicate", done.stderr)

    def test_no_server_says_where_it_looked_and_what_may_be_wrong(self):
        nobody = f"tcp://127.0.0.1:{free_port()}"

        done = self.stint("ping", "--wait", "300ms", server=nobody)

        self.assertEqual(NO_SERVER, done.returncode)
        self.assertIn(nobody, done.stderr)
        self.assertEqual("", done.stdout)

    def test_enqueue_without_server_ends_with_69_too(self):
        done = self.stint("enqueue", "echo", "--wait", "300ms", server=f"tcp://127.0.0.1:{free_port()}")

        self.assertEqual(NO_SERVER, done.returncode)

    def test_version_is_printed(self):
        done = self.stint("version")

        self.assertEqual(DONE, done.returncode)
        self.assertIn("0.1.0", done.stdout)

    def test_config_check_names_every_fault_in_one_go(self):
        path = self.folder / "faulty.toml"
        path.write_text(
            "[node]\nlog_level = 'loud'\nfront_door = 'tcp://0.0.0.0:7611'\n"
            "[queues.email]\nrate = -1\nmax_running = 0\n[handlers.h]\nmax = 0\nwindow = '0s'\n"
        )

        checked = self.stint("config", "check", str(path))

        self.assertEqual((CONFIG, ""), (checked.returncode, checked.stdout))
        keys = ["node.log_level", "node.front_door", "queues.email.rate", "queues.email.max_running"]
        for key in [*keys, "handlers.h.max", "handlers.h.window"]:
            self.assertIn(f"{key} = ", checked.stderr)

    def test_work_once_without_server_ends_with_69_too(self):
        nobody = f"tcp://127.0.0.1:{free_port()}"

        done = self.stint("work", "--queue", "q", "--handler", "h=cat", "--once", server=nobody)

        self.assertEqual(NO_SERVER, done.returncode, done.stderr)

    def test_config_faults_name_file_key_and_what_was_expected(self):
        faults = {
            "an unknown key": ("[node]\nnmae = 'x'\n", ["nmae"]),
            "a wrong kind": ("[node]\nname = 5\n", ["node.name", "5"]),
            "a role of its own": ("[node]\nroles = ['storage', 'cook']\n", ["roles", "cook"]),
            "an endpoint of its own": ("[node]\nfront_door = 'localhost'\n", ["front_door", "localhost"]),
            "a duration without unit": ("[worker]\ngrace = '25'\n", ["grace", "25"]),
            "no permits": ("[worker]\nqueues = { email = 0 }\n", ["email"]),
            "not TOML": ("[node\n", []),
        }
        for name, (text, words) in faults.items():
            with self.subTest(name):
                path = self.folder / "faulty.toml"
                path.write_text(text)
                checked = self.stint("config", "check", str(path))
                started = self.stint("node", "--config", str(path))
                self.assertEqual((CONFIG, CONFIG), (checked.returncode, started.returncode), checked.stderr)
                for word in ["faulty.toml", *words]:
                    self.assertIn(word, checked.stderr)
                    self.assertIn(word, started.stderr)
                self.assertFalse((self.folder / "stint.db").exists(), "it started all the same")

    def test_a_config_that_is_not_there_is_an_error_with_its_name(self):
        done = self.stint("node", "--config", str(self.folder / "absent.toml"))

        self.assertIn(done.returncode, [IO, CONFIG])
        self.assertIn("absent.toml", done.stderr)

    def test_a_good_config_is_said_to_be_good(self):
        path = self.folder / "good.toml"
        path.write_text(self.server_config())

        self.assertEqual(DONE, self.stint("config", "check", str(path)).returncode)

    def test_an_address_for_everyone_is_refused_without_keys(self):
        done = self.stint("node", "--front-door", f"tcp://0.0.0.0:{free_port()}")

        self.assertIn(done.returncode, [USAGE, CONFIG])
        self.assertIn("insecure", done.stderr)

    def test_a_database_that_cannot_be_created_is_named(self):
        done = self.stint(
            "node", "--db", "/nonexistent/stint.db", "--front-door", self.front_door, "--events", self.events
        )

        self.assertEqual(CANNOT_CREATE, done.returncode)
        self.assertIn("/nonexistent/stint.db", done.stderr)

    def test_a_file_that_is_no_database_is_refused_and_left_as_it_was(self):
        path = self.folder / "letter.db"
        path.write_bytes(b"Dear all, this is a letter.\n" * 1000)

        done = self.stint("node", "--db", str(path), "--front-door", self.front_door, "--events", self.events)

        self.assertNotEqual(DONE, done.returncode)
        self.assertIn("letter.db", done.stderr)
        self.assertEqual(b"Dear all, this is a letter.\n" * 1000, path.read_bytes())

    def test_a_ping_waits_for_a_server_that_is_starting(self):
        import subprocess
        from support.fleet import PROGRAM

        with open(self.folder / "ping.log", "wb") as log:
            ping = subprocess.Popen(
                [PROGRAM, "ping", "--wait", "30s", "--server", self.server_door], stdout=log, stderr=log
            )
        self.addCleanup(ping.kill)

        self.start_server()

        self.assertEqual(DONE, ping.wait(30))


class WithServerTest(ProcessTest):
    def setUp(self):
        super().setUp()
        self.server = self.start_server()

    def ids(self, *arguments, **extra):
        done = self.stint("enqueue", *arguments, **extra)
        self.assertEqual(DONE, done.returncode, done.stderr)
        return [int(line) for line in done.stdout.splitlines()]

    def test_a_second_node_on_the_same_file_is_refused_and_the_first_goes_on(self):
        other = f"tcp://127.0.0.1:{free_port()}"

        second = self.stint("node", "--db", "stint.db", "--front-door", other, "--events", self.events)

        self.assertNotIn(second.returncode, [DONE, -6, -11])
        self.assertIn("stint.db", second.stderr)
        self.assertEqual(1, len(self.ids("echo")))

    def test_a_front_door_that_is_taken_is_named(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            endpoint = f"tcp://127.0.0.1:{taken.getsockname()[1]}"

            done = self.stint(
                "node",
                "--db",
                "other.db",
                "--front-door",
                endpoint,
                "--events",
                f"tcp://127.0.0.1:{free_port()}",
            )

        self.assertNotIn(done.returncode, [DONE, -6, -11])
        self.assertIn(endpoint, done.stderr)

    def test_enqueue_prints_one_id_a_line(self):
        self.assertEqual(1, len(self.ids("echo", "hello")))
        self.assertEqual(5, len(set(self.ids("echo", "--count", "5"))))

    def test_a_payload_comes_from_the_command_line_from_stdin_or_is_empty(self):
        client = self.client()
        [said], [read], [none] = (
            self.ids("echo", "hello"),
            self.ids("echo", "-", stdin=b"a\x00b"),
            self.ids("echo"),
        )

        payloads = [client.job(id_)["payload"] for id_ in [said, read, none]]

        self.assertEqual(
            ["hello", b"a\x00b", b""], [payloads[0], as_bytes(payloads[1]), as_bytes(payloads[2])]
        )

    def test_options_of_enqueue_reach_the_job(self):
        [id_] = self.ids(
            "-q", "email", "echo", "--delay", "1h", "--priority", "2", "--max-attempts", "3", "--meta", "a=b"
        )

        details = self.client().job(id_)

        job = details["job"]
        self.assertEqual(
            ("email", "scheduled", 2, 3), (job["queue"], job["state"], job["priority"], job["max_attempts"])
        )
        self.assertEqual({"a": "b"}, details["meta"])

    def test_a_batch_key_makes_a_repeated_command_harmless(self):
        self.assertEqual(self.ids("echo", "--batch-key", "once"), self.ids("echo", "--batch-key", "once"))

    def test_a_file_of_jobs_is_sent_line_by_line(self):
        path = self.folder / "jobs.jsonl"
        path.write_text(
            '{"handler": "echo", "payload": "text"}\n'
            '{"handler": "echo", "payload": {"to": "you"}, "queue": "email"}\n'
            '{"handler": "echo", "payload_base64": "AAEC", "delay": "1h"}\n'
        )

        ids = self.ids("--file", str(path))

        client = self.client()
        text, tree, bytes_ = [client.job(id_) for id_ in ids]
        self.assertEqual("text", text["payload"])
        self.assertEqual(({"to": "you"}, "email"), (json.loads(tree["payload"]), tree["job"]["queue"]))
        self.assertEqual((b"\x00\x01\x02", "scheduled"), (bytes_["payload"], bytes_["job"]["state"]))

    def test_a_bad_line_is_named_and_ends_with_65(self):
        path = self.folder / "jobs.jsonl"
        for line in [
            '{"handler": ',
            '{"handler": 5}',
            '{"handler": "echo", "hue": 1}',
            '{"handler": "echo", "priority": 10}',
        ]:
            with self.subTest(line):
                path.write_text('{"handler": "echo"}\n' + line + "\n")
                done = self.stint("enqueue", "--file", str(path))
                self.assertEqual(BAD_DATA, done.returncode, done.stderr)
                self.assertIn("2", done.stderr)

    def test_what_the_server_refuses_ends_with_1_and_its_error(self):
        done = self.stint("job", "show", "987654321")

        self.assertEqual(REFUSED, done.returncode)
        self.assertIn("not_found", done.stderr)

    def test_a_queue_without_jobs_is_shown_while_a_worker_or_a_setting_names_it(self):
        worker = self.start_worker("w", {"echo": "cat"}, ["served:2"])
        self.eventually(lambda: self.client().ask("list_workers")["workers"], 30, "the worker is known")
        for arguments in (["limit", "set", "queue", "limited", "--rate", "5"], ["queue", "pause", "paused"]):
            self.assertEqual(DONE, self.stint(*arguments).returncode)

        listed = json.loads(self.stint("queue", "list", "--json").stdout)["queues"]
        shown = self.stint("queue", "show", "limited")
        unknown = self.stint("queue", "show", "nobody")

        self.assertEqual(
            [("limited", 0, 0), ("paused", 0, 0), ("served", 0, 1)],
            [(queue["name"], queue["waiting"], queue["workers"]) for queue in listed],
        )
        self.assertEqual((DONE, ""), (shown.returncode, shown.stderr))
        self.assertEqual((REFUSED, ""), (unknown.returncode, unknown.stdout))
        self.assertIn("there is no queue 'nobody'", unknown.stderr)
        worker.stop()

    def test_every_command_that_prints_data_takes_json(self):
        [id_] = self.ids("echo", "hello")
        for arguments in [
            ["status"],
            ["ping"],
            ["job", "list"],
            ["job", "show", str(id_)],
            ["queue", "list"],
            ["queue", "show", "default"],
            ["worker", "list"],
        ]:
            with self.subTest(" ".join(arguments)):
                done = self.stint(*arguments, "--json")
                self.assertEqual(DONE, done.returncode, done.stderr)
                json.loads(done.stdout)

    def test_a_job_is_cancelled_retried_and_deleted(self):
        [id_] = self.ids("echo", "--delay", "1h")
        client = self.client()

        self.assertEqual(DONE, self.stint("job", "retry", str(id_)).returncode)
        self.assertEqual("waiting", client.state(id_))
        self.assertEqual(DONE, self.stint("job", "cancel", str(id_)).returncode)
        self.assertEqual("cancelled", client.state(id_))
        self.assertEqual(DONE, self.stint("job", "delete", str(id_)).returncode)
        self.assertEqual(REFUSED, self.stint("job", "show", str(id_)).returncode)


def as_bytes(value):
    return value.encode() if isinstance(value, str) else value


if __name__ == "__main__":
    unittest.main(verbosity=2)
