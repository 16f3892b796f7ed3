"""Waiting for what must become true: always until a deadline, never for a fixed time."""

import time


class NeverHappened(AssertionError):
    pass


def eventually(look, within=30.0, what="the condition"):
    """Calls `look` until it returns something true and returns that; fails after `within` seconds."""
    deadline = time.monotonic() + within
    pause = 0.005
    while True:
        seen = look()
        if seen:
            return seen
        if time.monotonic() > deadline:
            raise NeverHappened(f"{what}: not within {within:g} s; last seen: {seen!r}")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)
