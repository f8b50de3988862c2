"""Hashes of one body besides its SHA-256, taken while it arrives."""

import hashlib
import queue
import threading
from typing import Any

INLINE_BYTES = 4 << 20
"""From so many bytes on, a thread hashes beside the one that reads: MD5 takes longer than the rest
together (1.4 of 3.0 ms a megabyte, measured), and hashlib lets go of the interpreter's lock."""

_WAITING = 16
"""Chunks that may wait for the thread: a few mebibytes."""


class Digests:
    """Takes chunks; gives lower-case hex digests by name. Ends its thread with `close`."""

    def __init__(self, names: tuple[str, ...] = ()) -> None:
        self._digests: dict[str, Any] = {
            name: hashlib.new(name, usedforsecurity=False) for name in names
        }
        self._size = 0
        self._thread: threading.Thread | None = None

    def update(self, chunk: bytes) -> None:
        """Takes the next bytes."""
        if not self._digests:
            return
        self._size += len(chunk)
        if self._size <= INLINE_BYTES:
            self._hash(chunk)
            return
        if self._thread is None:
            self._queue: queue.Queue[bytes | None] = queue.Queue(_WAITING)
            self._thread = threading.Thread(target=self._run, name="digests", daemon=True)
            self._thread.start()
        self._queue.put(chunk)

    def close(self) -> dict[str, str]:
        """Waits until everything is hashed; returns the digests of what came."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None
            self._size = 0
        return {name: digest.hexdigest() for name, digest in self._digests.items()}

    def _run(self) -> None:
        while (chunk := self._queue.get()) is not None:
            self._hash(chunk)

    def _hash(self, chunk: bytes) -> None:
        for digest in self._digests.values():
            digest.update(chunk)
