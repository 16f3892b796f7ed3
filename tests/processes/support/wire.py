"""The wire as a client in Python sees it: a DEALER that speaks to a front door, and a worker's session on top."""

import itertools
import os
import time

import msgpack
import zmq

MAGIC = b"STINT1"


class NoAnswer(Exception):
    """Nothing came back in time."""


class Refused(Exception):
    """The server answered with `error`."""

    def __init__(self, error):
        super().__init__(f"{error.get('code')}: {error.get('message')} (field: {error.get('field')})")
        self.error = error
        self.code = error["code"]
        self.field = error.get("field")


class Client:
    """One connection. A request waits for its own answer; late answers to earlier ones are dropped."""

    def __init__(self, endpoint):
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.DEALER)
        self._socket.linger = 0
        self._socket.connect(endpoint)
        self._correlations = itertools.count(1)

    def close(self):
        self._socket.close()
        self._context.term()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send_frames(self, frames):
        self._socket.send_multipart(frames)

    def receive_frames(self, within=10.0):
        if not self._socket.poll(max(0, int(within * 1000))):
            raise NoAnswer(f"no answer within {within:g} s")
        return self._socket.recv_multipart()

    def send(self, type_, body=None):
        """Sends one request; returns its correlation."""
        correlation = b"%d" % next(self._correlations)
        self.send_frames([MAGIC, type_.encode(), correlation, msgpack.packb(body or {})])
        return correlation

    def receive(self, correlation, within=10.0):
        """The type and the body of the answer to one request."""
        deadline = time.monotonic() + within
        while True:
            frames = self.receive_frames(deadline - time.monotonic())
            assert len(frames) == 4 and frames[0] == MAGIC, f"not an answer of this wire: {frames!r}"
            if frames[2] == correlation:
                return frames[1].decode(), msgpack.unpackb(frames[3])

    def ask(self, type_, body=None, within=10.0):
        """The body of the answer; raises Refused for an `error`."""
        answered, answer = self.receive(self.send(type_, body), within)
        if answered == "error":
            raise Refused(answer)
        return answer

    def ask_again(self, type_, body, within=30.0, each=1.0):
        """As a client should: no answer, or an error that may pass, and it sends the same request again."""
        deadline = time.monotonic() + within
        while True:
            try:
                return self.ask(type_, body, min(each, max(0.01, deadline - time.monotonic())))
            except NoAnswer:
                pass
            except Refused as refused:
                if refused.error.get("retry_in_ms") is None:
                    raise
                time.sleep(min(refused.error["retry_in_ms"] / 1000, 0.2))
            if time.monotonic() > deadline:
                raise NoAnswer(f"no answer to {type_} within {within:g} s")

    def enqueue(self, handler, count=1, **job):
        """Enqueues `count` equal jobs; returns their ids."""
        return self.ask("enqueue", {"jobs": [{"handler": handler, **job}] * count})["ids"]

    def job(self, id_):
        """The answer of get_job: {job, payload, runs, ...}."""
        return self.ask("get_job", {"id": id_})

    def jobs(self, **filter_):
        """All jobs of list_jobs, over its pages."""
        jobs, page = [], {"cursor": None}
        while "cursor" in page:
            page = self.ask("list_jobs", {**filter_, "cursor": page["cursor"]})
            jobs += page["jobs"]
        return jobs

    def state(self, id_):
        return self.job(id_)["job"]["state"]


class Session:
    """A worker's session over a Client, without heartbeats of its own: what it does not say is not said."""

    def __init__(self, client, handlers, queues=("default",), worker="raw", takeover=False):
        self.client = client
        self.id = os.urandom(16)
        self.got = 0
        self._ask = 0
        self._hello = {
            "worker": worker,
            "session": self.id,
            "handlers": {name: {} for name in handlers},
            "queues": list(queues),
            "takeover": takeover,
        }
        self._queues = list(queues)
        self.welcome = self.hello()

    def hello(self):
        return self.client.ask("hello", self._hello)

    def next_batch(self, permits=1, wait_ms=5000, **extra):
        """Asks anew; returns the jobs of the batch. They count as received with the next thing that is said."""
        body = self.new_ask(permits, wait_ms, **extra)
        jobs = self.client.ask("request_batch", body, within=wait_ms / 1000 + 10)["jobs"]
        self.got = self._ask
        return jobs

    def repeat_ask(self, got, permits=1, wait_ms=5000):
        """Sends the newest ask again; returns the whole answer."""
        return self.client.ask("request_batch", {**self._ask_body(permits, wait_ms), "got": got})

    def new_ask(self, permits=1, wait_ms=5000, **extra):
        """The body of the next ask."""
        self._ask += 1
        return {**self._ask_body(permits, wait_ms), **extra}

    def _ask_body(self, permits, wait_ms):
        return {
            "session": self.id,
            "ask": self._ask,
            "queues": {queue: permits for queue in self._queues},
            "got": self.got,
            "wait_ms": wait_ms,
        }

    def heartbeat(self, jobs, **extra):
        named = [{"id": job["id"], "run": job["run"]} for job in jobs]
        return self.client.ask("heartbeat", {"session": self.id, "got": self.got, "jobs": named, **extra})

    def finish(self, jobs, outcome="completed", **extra):
        results = [{"id": job["id"], "run": job["run"], "outcome": outcome, **extra} for job in jobs]
        return self.client.ask("finish", {"session": self.id, "got": self.got, "results": results})

    def goodbye(self):
        return self.client.ask("goodbye", {"session": self.id})
