"""Kernel locks: they end with the process that holds them, however it ended."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path


class Busy(Exception):
    """Another process holds the lock; the message names it."""


def take(path: Path, wait: float = 0.0) -> TextIOWrapper:
    """Takes an exclusive lock on a file and returns the open file, which holds it until closed.

    Tries for `wait` seconds; raises Busy when somebody else still holds it then.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    stream = path.open("w")
    until = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                stream.close()
                raise Busy(f"another run holds {path}") from None
            time.sleep(0.2)
        else:
            return stream


@contextmanager
def held(path: Path, wait: float = 0.0) -> Iterator[None]:
    """Holds the lock while the block runs; raises Busy as `take` does."""
    stream = take(path, wait)
    try:
        yield
    finally:
        stream.close()
