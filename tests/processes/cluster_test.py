#!/usr/bin/python3
"""A cluster of processes: a storage node, two limiter nodes, workers; nodes are killed and started again (rules D9, L10,
L12)."""

import unittest

from support.fleet import PATIENCE, ProcessTest, free_port
from support.spans import most_in_any, worst_excess
from support.wire import Client, Refused, Session


class ClusterTest(ProcessTest):
    limiters = ("limiter-1", "limiter-2")

    def setUp(self):
        super().setUp()
        self.echo = self.script("echo.sh", "#!/bin/sh\nexec cat\n")

    def start_cluster(self):
        self.server = self.start_server()
        for name, node in self.limiter_nodes.items():
            self.eventually(lambda node=node: "linked to all nodes" in node.logged(), 30, f"{name} has all its links")

    def queues_of(self, limiter, count):
        """Names of queues that live at this limiter."""
        names = [f"queue-{number}" for number in range(20 * count)]
        with Client(self.server_door) as client:
            homes = Session(client, ["nobody"], names, worker="asks-for-homes").welcome["homes"]
        return [name for name in names if homes[name] == limiter][:count]

    def completed_of(self, client, queue):
        return len(client.jobs(queue=queue, state="completed"))

    def started_at(self, client, queue=None, handler=None):
        """When the server handed each job out, in seconds of its own clock, which counts milliseconds."""
        events, from_seq = [], 0
        while True:
            filter_ = {"events": ["started"], "queue": queue, "handler": handler}
            page = client.ask("read_events", {"from_seq": from_seq, **filter_})
            events += page["events"]
            if page["next_seq"] == from_seq:
                return [event["at_ms"] / 1000 for event in events for _ in event["items"]]
            from_seq = page["next_seq"]

    def test_any_door_serves_jobs_and_workers_of_every_queue(self):
        self.start_cluster()
        queues = self.queues_of("limiter-1", 2) + self.queues_of("limiter-2", 2)
        doors = [self.server_door, *self.limiter_doors.values()]
        for number, door in enumerate(doors):
            self.front_door = door
            self.start_worker(f"w{number}", {"echo": self.echo}, [f"{queue}:1" for queue in queues])

        with Client(doors[1]) as client:
            for queue in queues:
                client.enqueue("echo", 10, queue=queue)
            self.eventually(lambda: client.ask("get_stats")["completed"] == 40, 60, "all jobs are done")

    def test_a_second_node_of_a_name_is_refused_and_the_first_keeps_its_place(self):
        self.start_cluster()
        [queue] = self.queues_of("limiter-1", 1)
        self.start_worker("w", {"echo": self.echo}, [f"{queue}:1"])
        config = str(self.folder / "limiter-1.toml")
        elsewhere = f"tcp://127.0.0.1:{free_port()}"

        second = self._start(["node", "--config", config, "--front-door", elsewhere], "second.log")
        self.eventually(lambda: "the name limiter-1 is taken" in second.logged(), 10, "it is told so")

        self.assertIn("the name limiter-1 is taken", self.server.logged())
        self.assertNotIn("link down", self.server.logged())
        client = self.client()
        client.enqueue("echo", 5, queue=queue)
        self.eventually(lambda: self.completed_of(client, queue) == 5, 30, "the first node's queue works")

        second.kill()
        self.limiter_nodes["limiter-1"].kill()
        self.start_limiter("limiter-1")
        client.enqueue("echo", 5, queue=queue)
        self.eventually(lambda: self.completed_of(client, queue) == 10, 30, "it works after a restart")

    def test_an_ask_for_queues_of_two_homes_is_told_which_to_ask_apart(self):
        self.start_cluster()
        queues = self.queues_of("limiter-1", 1) + self.queues_of("limiter-2", 1)

        with self.assertRaises(Refused) as refused:
            Session(self.client(), ["echo"], queues).next_batch(wait_ms=0)

        self.assertEqual("bad_message", refused.exception.code)

    def test_a_limiter_node_that_dies_stops_its_own_queues_only(self):
        self.start_cluster()
        [dead], [alive] = self.queues_of("limiter-2", 1), self.queues_of("limiter-1", 1)
        self.start_worker("w", {"echo": self.echo}, [f"{dead}:2", f"{alive}:2"])
        client = self.client()
        client.enqueue("echo", queue=dead)
        self.eventually(lambda: self.completed_of(client, dead) == 1, 30, "the queue works")

        self.limiter_nodes["limiter-2"].kill()
        client.enqueue("echo", 5, queue=dead)
        client.enqueue("echo", 5, queue=alive)
        self.eventually(lambda: self.completed_of(client, alive) == 5, 30, "the other queue goes on")
        self.assertEqual(1, self.completed_of(client, dead))
        [waiting] = [job["id"] for job in client.jobs(queue=dead, state="waiting")][:1]
        self.assertEqual("no_limiter", client.ask("explain_job", {"id": waiting})["hold"])

        self.start_limiter("limiter-2")
        self.eventually(lambda: self.completed_of(client, dead) == 6, 30, "the queue works again")

    def test_a_restarted_limiter_node_gives_no_fresh_burst_rule_L10(self):
        rate, burst, count = 4, 8, 30
        self.start_cluster()
        [queue] = self.queues_of("limiter-2", 1)
        limited = self.stint("limit", "set", "queue", queue, "--rate", str(rate), "--burst", str(burst))
        self.assertEqual(0, limited.returncode, limited.stderr)
        client = self.client()
        for number in range(2):
            self.start_worker(f"w{number}", {"echo": self.echo}, [f"{queue}:20"])
        client.enqueue("echo", count, queue=queue)

        for at_least in [burst + 1, burst + 6]:
            self.eventually(lambda least=at_least: self.completed_of(client, queue) >= least, 60, "jobs run")
            self.limiter_nodes["limiter-2"].kill()
            self.start_limiter("limiter-2")
        self.eventually(lambda: self.completed_of(client, queue) == count, 60, "all jobs are done")

        starts = self.started_at(client, queue)
        self.assertEqual(count, len(starts))
        # A millisecond is what the clock of events cannot tell apart.
        self.assertLessEqual(worst_excess(starts, rate, burst), rate * 0.001)

    def test_a_limit_holds_while_all_nodes_are_killed_in_turn_rule_L10(self):
        rate, burst, count = 20, 5, 150
        self.start_cluster()
        queues = [self.queues_of(limiter, 1)[0] for limiter in self.limiters]
        limit = {"max": 8, "window_ms": 1000, "count": "started"}
        client = self.client()
        client.ask("set_limit", {"scope": "handler", "name": "shared", "limit": limit})
        for queue in queues:
            client.ask("set_limit", {"scope": "queue", "name": queue, "limit": {"rate": rate, "burst": burst}})
        for number in range(2):
            self.start_worker(
                f"w{number}", {"echo": self.echo, "shared": self.echo}, [f"{queue}:10" for queue in queues]
            )
        for queue in queues:
            client.enqueue("echo", count, queue=queue)
            client.enqueue("shared", 20, queue=queue)
        every = 2 * (count + 20)

        def completed():
            # Retried jobs count too: an outage may cost a batch its way, but no job its end.
            return every - sum(client.ask_again("get_stats", {})[state] for state in ["waiting", "running", "retrying"])

        for victim in ["limiter-1", "server", "limiter-2", "server"]:
            least = completed() + 30
            self.eventually(lambda least=least: completed() >= least, 60, "jobs run")
            if victim == "server":
                self.server.kill()
                self.server = self.start_server()
            else:
                self.limiter_nodes[victim].kill()
                self.start_limiter(victim)
        self.eventually(lambda: completed() == every, 120, "all jobs are done")

        client = self.client()
        starts = {queue: self.started_at(client, queue) for queue in queues}
        for queue in queues:
            # A millisecond is what the clock of events cannot tell apart.
            self.assertLessEqual(worst_excess(starts[queue], rate, burst), rate * 0.001, queue)
        shared = self.started_at(client, handler="shared")
        self.assertEqual(8, most_in_any(shared, 1.0 - 0.001))
        self.assertEqual({"completed"}, {job["state"] for queue in queues for job in client.jobs(queue=queue)})
        print(f"{sum(map(len, starts.values()))} starts of {every} jobs over 4 kills, no span above its limit", flush=True)

    def test_a_door_passes_a_parked_ask_on_again_to_a_restarted_limiter_rule_D9(self):
        self.start_cluster()
        [queue] = self.queues_of("limiter-2", 1)
        client = self.client()
        session = Session(client, ["echo"], [queue])
        ask = session.new_ask(wait_ms=60_000)
        correlation = client.send("request_batch", ask)
        client.ask("ping")  # answered behind the ask: that one has been passed on

        self.limiter_nodes["limiter-2"].kill()
        self.start_limiter("limiter-2")
        with Client(self.server_door) as other:
            [id_] = other.enqueue("echo", queue=queue)
        answered, batch = client.receive(correlation, 30 * PATIENCE)

        if answered == "error":  # passed on before the limiter's own way to storage was up: to be asked again
            self.assertIn("retry_in_ms", batch)
            batch = client.ask_again("request_batch", ask, 30 * PATIENCE)
        self.assertEqual([id_], [job["id"] for job in batch["jobs"]])

    def test_a_door_passes_requests_on_again_to_a_restarted_storage_node_rule_D9(self):
        self.start_cluster()
        client = self.client()
        session = Session(client, ["echo"])
        self.server.pause()  # it reads nothing any more
        correlation = client.send("enqueue", {"jobs": [{"handler": "echo"}], "batch_key": "once"})
        unkeyed = client.send("enqueue", {"jobs": [{"handler": "other"}]})
        client.ask("ping")
        self.server.kill()

        answered, error = client.receive(unkeyed, 30 * PATIENCE)
        self.assertEqual(("error", "storage_unavailable"), (answered, error["code"]))
        self.start_server()

        answered, answer = client.receive(correlation, 30 * PATIENCE)
        self.assertEqual("enqueued", answered)
        self.assertEqual(answer["ids"], [job["id"] for job in session.next_batch()])
        self.assertEqual(1, client.ask_again("get_stats", {})["running"])
        self.assertEqual(0, client.ask("get_stats")["waiting"])

    def test_a_request_for_a_node_that_is_away_is_refused_and_names_it(self):
        self.start_cluster()
        [queue] = self.queues_of("limiter-2", 1)
        session = Session(self.client(), ["echo"], [queue])
        self.limiter_nodes["limiter-2"].kill()

        def refusal():
            try:
                session.next_batch(wait_ms=0)
            except Refused as refused:
                return refused

        refused = self.eventually(refusal, 30, "the door notices")
        self.assertEqual("unavailable", refused.code)
        self.assertIn("limiter-2", refused.error["message"])
        self.assertIn("retry_in_ms", refused.error)

    def test_nodes_of_different_clusters_refuse_each_other_and_say_why(self):
        self.start_cluster()
        self.limiter_nodes["limiter-2"].stop()
        doors = dict(self.limiter_doors)
        self.limiter_doors["limiter-3"] = "tcp://127.0.0.1:9"
        stranger = self.start_limiter("limiter-2", ready=False)
        said = "have different [cluster] sections"

        self.eventually(lambda: said in stranger.logged(), 30, "the stranger says why")
        self.eventually(lambda: said in self.server.logged(), 30, "the server says why")
        for log in [stranger.logged(), self.server.logged()]:
            line = next(line for line in log.splitlines() if said in line)
            self.assertIn("node limiter-2", line)
        with Client(doors["limiter-2"]) as client:
            self.assertFalse(client.ask("ping")["ready"])
            with self.assertRaises(Refused) as refused:
                client.ask("get_stats")
        self.assertEqual("unavailable", refused.exception.code)

        stranger.stop()
        self.limiter_doors = doors
        self.start_limiter("limiter-2")

    def test_link_messages_of_strangers_are_refused(self):
        self.start_cluster()
        client = self.client()
        for type_ in ["link", "link_hello", "link_welcome"]:
            client.send_frames([b"STINT1", type_.encode(), b"c" * 50, b"\x80"])
            self.assertEqual(b"error", client.receive_frames()[1], type_)
        self.assertTrue(client.ask("ping")["ready"])

    def test_a_limiter_node_that_its_cluster_does_not_name_does_not_start(self):
        node = self.start_limiter("limiter-9", ready=False)

        self.assertEqual(78, node.wait())
        self.assertIn("limiter-9", node.logged())


if __name__ == "__main__":
    unittest.main(verbosity=2)
