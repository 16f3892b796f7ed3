#!/usr/bin/python3
"""Enqueues one job: enqueue_req.py ENDPOINT HANDLER PAYLOAD"""
import sys

import msgpack
import zmq

if len(sys.argv) != 4:
    print("usage:", __doc__.split(": ")[1], file=sys.stderr)
    sys.exit(64)
endpoint, handler, payload = sys.argv[1:]
door = zmq.Context.instance().socket(zmq.REQ)
door.linger, door.rcvtimeo = 0, 10_000
door.connect(endpoint)
jobs = [{"handler": handler, "payload": payload}]
door.send_multipart([b"STINT1", b"enqueue", b"", msgpack.packb({"jobs": jobs})])
_, kind, _, body = door.recv_multipart()
print(kind.decode(), msgpack.unpackb(body))
sys.exit(kind != b"enqueued")
