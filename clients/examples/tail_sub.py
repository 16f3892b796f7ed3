#!/usr/bin/python3
"""Prints what happens, and whether something was missed: tail_sub.py EVENTS_ENDPOINT [TOPIC...]"""
import sys

import msgpack
import zmq

if len(sys.argv) < 2:
    print("usage:", __doc__.split(": ")[1], file=sys.stderr)
    sys.exit(64)
stream, seen = zmq.Context.instance().socket(zmq.SUB), {}
stream.connect(sys.argv[1])
for beginning in sys.argv[2:] or [""]:
    stream.subscribe(beginning)
while True:
    topic, body = stream.recv_multipart()
    event = msgpack.unpackb(body)
    if event.get("prev", 0) > seen.get(topic, event.get("prev", 0)):
        print(topic.decode(), f"missed some up to {event['prev']}: read_events has them")
    seen[topic] = event.get("seq", 0)
    print(topic.decode(), event, flush=True)
