#!/usr/bin/python3
"""Asks whether a handler is limited, and when there is room: ask_limit.py ENDPOINT HANDLER"""
import sys

import msgpack
import zmq

if len(sys.argv) != 3:
    print("usage:", __doc__.split(": ")[1], file=sys.stderr)
    sys.exit(64)
endpoint, handler = sys.argv[1:]
door = zmq.Context.instance().socket(zmq.REQ)
door.linger, door.rcvtimeo = 0, 10_000
door.connect(endpoint)
door.send_multipart([b"STINT1", b"get_limit", b"", msgpack.packb({"scope": "handler", "name": handler})])
_, kind, _, body = door.recv_multipart()
state = msgpack.unpackb(body)
print(state if kind == b"error" else f"limited: {state['limited']}, room in {state.get('available_in_ms')} ms")
sys.exit(kind == b"error")
