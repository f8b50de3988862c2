"""One body on its way: hashed, bounded, in a file where it is large, and gone on with."""

import hashlib
import os
import re
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Any

import requests
import urllib3
from urllib3.response import GzipDecoderState

from centinel.digests import Digests
from centinel.files import write_all
from centinel.signatures import HEAD

DEADLINE_SECONDS = 3600.0
"""How long one body may take in all."""

WORTH_RESUMING = 1 << 20
"""Bytes; a smaller body that broke is asked for again whole."""

KEPT_IN_MEMORY = 1 << 20
"""Bytes; only a larger body is written to a file on its way: making one took 80 us of 1.2 ms."""

WRITTEN_BACK = 16 << 20
"""Bytes of a large body that are given to the disk together."""

_CHUNK = 1 << 16
_LARGE_CHUNK = 1 << 18
"""Bytes that are asked for at once, of a small body and of a large one."""
_DECODED = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})
_LENGTH = re.compile(r"[0-9]{1,18}")
_RANGE = re.compile(r"bytes ([0-9]{1,18})-[0-9]{1,18}/([0-9]{1,18}|\*)")


class Interrupted(Exception):
    """The run is being ended: the request was given up, and shows nothing of its address."""


class TooLarge(Exception):
    """The body is over the limit."""

    def __init__(self, size: int) -> None:
        super().__init__(f"{size} bytes or more")
        self.size = size


Wanted = Callable[[Mapping[str, str]], str | None]
"""Looks at an answer's headers, names in any case: says why its body is not wanted, else None."""


class Unwanted(Exception):
    """The headers show that the body is not wanted; the message says why."""


class Undecodable(Exception):
    """The body has a Content-Encoding that was not asked for."""


@dataclass(frozen=True)
class Body:
    """The bytes of an answer: in memory where they are few, else in a file of ours."""

    place: Path
    """Where the file lies until somebody moves it, or is made when somebody wants one."""
    sha256: str
    size: int
    start: bytes
    """The first bytes: all of them where the body is not larger than a mebibyte."""
    is_in_memory: bool = False
    """There is no file yet: `start` is all there is."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """Hashes besides SHA-256, where the client was told to take some; lower-case hex."""

    @property
    def head(self) -> bytes:
        """The bytes that are evidence for the kind."""
        return self.start[:HEAD]

    @property
    def held(self) -> Path | bytes:
        """What becomes the blob: the file, or the bytes that lie in none."""
        return self.start if self.is_in_memory else self.place

    @property
    def path(self) -> Path:
        """The file of the bytes, made where there is none yet."""
        if self.is_in_memory and not self.place.exists():
            self.place.write_bytes(self.start)
        return self.place

    def content(self) -> bytes:
        """Returns all the bytes."""
        return self.start if len(self.start) == self.size else self.place.read_bytes()

    def discard(self) -> None:
        """Removes the file."""
        self.place.unlink(missing_ok=True)


@dataclass
class Download:
    """One body, over as many answers as it takes."""

    path: Path
    max_bytes: int
    stop: threading.Event
    wanted: Wanted | None = None
    also_hashed: tuple[str, ...] = ()
    """Names of hashlib: what bodies are hashed by besides SHA-256."""
    size: int = 0
    start: bytearray = field(default_factory=bytearray)
    """The first bytes: all of them up to a mebibyte; only behind it there is a file."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Of the answer that the body began with, names in any case."""
    _digest: Any = field(default_factory=hashlib.sha256)
    _others: Digests = field(default_factory=Digests)
    _written_back: int = 0
    _until: float = field(default_factory=lambda: time.monotonic() + DEADLINE_SECONDS)

    def range(self) -> dict[str, str]:
        """Returns the headers that ask for the rest; none where the body must begin again.

        Only with a strong validator (RFC 9110, section 13.1.5) and for bytes as they are stored.
        """
        if self.size < WORTH_RESUMING:
            return {}
        tag = self.headers.get("etag", "")
        stamp = tag if tag.startswith('"') else self.headers.get("last-modified", "")
        packed = self.headers.get("content-encoding", "").strip().lower() not in ("", "identity")
        if packed or not stamp:
            return {}
        return {"Range": f"bytes={self.size}-", "If-Range": stamp, "Accept-Encoding": "identity"}

    def take(self, response: requests.Response) -> None:
        """Takes an answer's bytes: the rest after a range, else all of them from the beginning.

        Raises Unwanted, TooLarge, Undecodable, Interrupted, OSError for a fault of this machine,
        and what requests and urllib3 raise for a fault of the transport: then `range` may go on.
        """
        unwanted = self.wanted(response.headers) if self.wanted else None
        if unwanted:
            raise Unwanted(unwanted)
        encoding = response.headers.get("content-encoding", "").strip().lower()
        if encoding not in _DECODED:
            raise Undecodable(f"content-encoding {encoding}, which was not asked for")
        if not self._continues(response):
            self._begin(response)
        announced = response.headers.get("content-length", "")
        if _LENGTH.fullmatch(announced) and self.size + int(announced) > self.max_bytes:
            raise TooLarge(self.size + int(announced))
        self._stream(response)

    def _continues(self, response: requests.Response) -> bool:
        """Whether the answer holds what comes after the bytes that are there."""
        if response.status_code != 206:
            return False
        stated = _RANGE.fullmatch(response.headers.get("content-range", ""))
        if not self.size or stated is None or int(stated[1]) != self.size:
            raise urllib3.exceptions.ProtocolError("a range that was not asked for")
        return True

    def _begin(self, response: requests.Response) -> None:
        if self.size > KEPT_IN_MEMORY:
            self.discard()  # a shorter body than the one that broke has no file
        self.size, self.start, self._digest = 0, bytearray(), hashlib.sha256()
        self._others.close()
        self._others, self._written_back = Digests(self.also_hashed), 0
        self.headers = response.headers

    def _stream(self, response: requests.Response) -> None:
        """Takes the bytes, hashing on the way.

        `read1` gives what has arrived, so that a dripping server meets the deadline.
        """
        raw = response.raw
        with ExitStack() as opened:
            stream: FileIO | None = None
            while chunk := raw.read1(self._piece(), decode_content=True):
                is_first = self.size <= KEPT_IN_MEMORY
                self.size += len(chunk)
                if max(self.size, raw.tell()) > self.max_bytes:
                    raise TooLarge(self.size)
                self._digest.update(chunk)
                self._others.update(chunk)
                if self.size <= KEPT_IN_MEMORY:
                    self.start += chunk
                else:
                    stream = stream or opened.enter_context(self._file(is_first))
                    write_all(stream.fileno(), chunk)
                    self._write_back(stream.fileno())
                self._look_up()
        missing = getattr(raw, "length_remaining", None)
        if missing:
            raise urllib3.exceptions.IncompleteRead(self.size, missing)
        if _is_cut(raw):
            raise urllib3.exceptions.DecodeError("the compressed body ends in the middle")

    def _piece(self) -> int:
        return _CHUNK if self.size <= KEPT_IN_MEMORY else _LARGE_CHUNK

    def _write_back(self, descriptor: int) -> None:
        """Lets the disk begin with what is there, so that syncing it later waits for little."""
        if self.size - self._written_back >= WRITTEN_BACK and hasattr(os, "posix_fadvise"):
            start, self._written_back = self._written_back, self.size
            os.posix_fadvise(descriptor, start, self.size - start, os.POSIX_FADV_DONTNEED)

    def _file(self, is_new: bool) -> FileIO:
        """The open file; a new one begins with what was in memory."""
        stream = self.path.open("wb" if is_new else "ab", buffering=0)
        if is_new:
            write_all(stream.fileno(), self.start)
        return stream

    def _look_up(self) -> None:
        """Ends what takes too long, or is not wanted any more."""
        if time.monotonic() > self._until:
            said = f"not ended after {DEADLINE_SECONDS:.0f} s"
            raise urllib3.exceptions.ReadTimeoutError(None, None, said)  # type: ignore[arg-type]
        if self.stop.is_set():
            raise Interrupted

    def forget(self) -> None:
        """Drops what has come so far: the next answer is to be a whole body."""
        self.discard()
        self.size, self.headers = 0, {}

    def body(self) -> Body:
        """Returns the whole body."""
        is_in_memory, start = self.size <= KEPT_IN_MEMORY, bytes(self.start)
        others = self._others.close()
        return Body(self.path, self._digest.hexdigest(), self.size, start, is_in_memory, others)

    def discard(self) -> None:
        """Removes what has come so far."""
        self._others.close()
        self.path.unlink(missing_ok=True)


def _is_cut(raw: Any) -> bool:
    """Returns whether a compressed body ended too early: urllib3 takes that for a whole one."""
    decoder = getattr(raw, "_decoder", None)
    inflater = getattr(decoder, "_obj", None)
    if inflater is None or not raw.tell():
        return False
    has_garbage_behind = getattr(decoder, "_state", None) == GzipDecoderState.SWALLOW_DATA
    return not inflater.eof and not has_garbage_behind
