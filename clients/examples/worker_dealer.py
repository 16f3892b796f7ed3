#!/usr/bin/python3
"""A worker for one handler, `upper`, that takes one job after another: worker_dealer.py ENDPOINT [JOBS]"""
import os
import sys

import msgpack
import zmq

endpoint, most = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None
door = zmq.Context.instance().socket(zmq.DEALER)
door.linger = 1000
door.connect(endpoint)


def call(kind, **body):
    """One request and its answer. Everything a worker says may be said again when no answer comes."""
    while True:
        correlation = os.urandom(8)
        door.send_multipart([b"STINT1", kind, correlation, msgpack.packb(body)])
        while door.poll(40_000):
            _, answered, echoed, answer = door.recv_multipart()
            if echoed == correlation:
                return answered, msgpack.unpackb(answer)


session, ask, done = os.urandom(16), 0, 0
hello = {
    "worker": f"python-{os.getpid()}",
    "session": session,
    "handlers": {"upper": {}},
    "queues": ["default"],
}
call(b"hello", **hello)
while most is None or done < most:
    ask += 1
    answered, batch = call(
        b"request_batch", session=session, ask=ask, queues={"default": 1}, got=ask - 1, wait_ms=30_000
    )
    if answered == b"error":
        sys.exit(f"refused: {batch}")
    for job in batch["jobs"]:
        run = {"id": job["id"], "run": job["run"]}
        call(b"heartbeat", session=session, got=ask, jobs=[run])  # "I have it": before the work starts
        try:
            result = {**run, "outcome": "completed", "result": job["payload"].upper()}
        except Exception as fault:
            result = {
                **run,
                "outcome": "failed",
                "error": {"type": type(fault).__name__, "message": str(fault)},
            }
        call(b"finish", session=session, got=ask, results=[result])
        done += 1
call(b"goodbye", session=session)
