#!/usr/bin/python3
"""A worker for the handler `upper`, one job at a time: worker_dealer.py ENDPOINT [JOBS, after which it ends]"""
import os
import sys

import msgpack
import zmq

if len(sys.argv) < 2:
    print("usage:", __doc__.split(": ")[1], file=sys.stderr)
    sys.exit(64)
endpoint, most = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else float("inf")
door = zmq.Context.instance().socket(zmq.DEALER)
door.linger = 1000
door.connect(endpoint)
session, ask, done = os.urandom(16), 0, 0


def call(kind, **body):
    """One request and its answer; without an answer, the same again: all that a worker says may be repeated."""
    while True:
        correlation = os.urandom(8)
        door.send_multipart([b"STINT1", kind, correlation, msgpack.packb({"session": session, **body})])
        while door.poll(40_000):
            _, answered, echoed, answer = door.recv_multipart()
            if echoed == correlation and answered == b"error":
                sys.exit(f"refused: {msgpack.unpackb(answer)}")
            if echoed == correlation:
                return msgpack.unpackb(answer)


call(b"hello", worker=f"python-{os.getpid()}", handlers={"upper": {}}, queues=["default"])
while done < most:
    ask += 1
    batch = call(b"request_batch", ask=ask, queues={"default": 1}, got=ask - 1, wait_ms=30_000)
    for job in batch["jobs"]:
        run = {"id": job["id"], "run": job["run"]}
        call(b"heartbeat", got=ask, jobs=[run])  # "I have it", before the work starts
        try:
            result = {"outcome": "completed", "result": job["payload"].upper()}
        except Exception as fault:
            result = {"outcome": "failed", "error": {"type": type(fault).__name__, "message": str(fault)}}
        call(b"finish", got=ask, results=[{**run, **result}])
        done += 1
call(b"goodbye")
