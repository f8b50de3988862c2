"""Reads documents in a process that may be lost: no document takes a run down.

Every family of readers has a file that kills its process, hangs it, or takes all memory, and no
handler catches that.  The process is kept between documents, so that it costs little, and replaced
after one that ended it.
"""

import os
import select
import signal
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from centinel import tools
from centinel.configuration import Limits
from centinel.files import parse_line, to_bytes, write_all
from centinel.readers.document import Document
from centinel.readers.outcome import BEGINS, FAULT, OUTCOME, Outcome
from centinel.record import Json

SECONDS_FOR_MEBIBYTE = 2.0
"""Processor time that a reader has beyond its limit for what is large: the slowest of those that
stream take about one."""

WALL = 4.0
"""How many times its processor time a reader may take by the clock, on a machine that is busy."""

_WORKER = "centinel.readers.worker"
"""Run, never imported here: it brings all readers."""

_SCRIPTS = Path(__file__).parents[2]
_CHUNK = 1 << 16
_LAST_WORDS = 2000
_POLL_SECONDS = 0.25


class WorkerFault(OSError):
    """The process could not work at all: a fault of this machine, no word about a document."""


class _Ended(Exception):
    """The process is no more, or had to be ended; the message says how."""


@dataclass
class Isolation:
    """One process that reads, and its successors; a context manager that ends them."""

    orders: Mapping[str, Sequence[str]]
    """The names of the readers of each kind, in order."""
    scratch: Path
    """A folder of its own for what a reading leaves; the text is there until the next one."""
    limits: Limits = field(default_factory=Limits)
    _child: tools.Child | None = None
    _errors: IO[bytes] | None = None
    _unread: bytearray = field(default_factory=bytearray)

    def __enter__(self) -> Self:
        self.scratch.mkdir(parents=True, exist_ok=True)
        self._empty_scratch()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()
        self._empty_scratch()
        self.scratch.rmdir()

    def read(self, document: Document, title: str | None = None) -> Outcome:
        """Returns what `reading.read` would, with the text in `file`, in the scratch folder.

        A reader that ended the process, or took too much of anything, gave way with that as its
        reason.  Raises OSError for a fault of this machine.
        """
        lost: dict[str, str] = {}
        while True:
            self._empty_scratch()
            reader: list[str] = []
            try:
                return self._ask(document, title, lost, reader)
            except _Ended as ended:
                self._end()
                if not reader:
                    raise WorkerFault(f"the process that reads did not work: {ended}") from None
                lost[reader[-1]] = str(ended)

    def _ask(
        self, document: Document, title: str | None, lost: Mapping[str, str], begun: list[str]
    ) -> Outcome:
        """Returns the outcome; puts the readers that begin into `begun`.  Raises `_Ended`."""
        size = document.path.stat().st_size
        seconds = self.limits.seconds + SECONDS_FOR_MEBIBYTE * (size >> 20)
        self._send(self._request(document, title, lost, seconds))
        while True:
            answer = self._answer(seconds)
            if BEGINS in answer:
                begun.append(answer[BEGINS])
            elif FAULT in answer:
                raise OSError(answer["number"], answer[FAULT], str(document.path))
            elif OUTCOME in answer:
                return Outcome.from_json(answer[OUTCOME])

    def _request(
        self, document: Document, title: str | None, lost: Mapping[str, str], seconds: float
    ) -> Json:
        return {
            "path": str(document.path),
            "kind": document.kind,
            "declared_type": document.declared_type,
            "languages": list(document.languages),
            "title": title,
            "lost": dict(lost),
            "seconds": seconds,
            "scratch": str(self.scratch),
        }

    def _send(self, request: Json) -> None:
        """Asks the process that is there; one that had left since is replaced."""
        if self._child is not None and self._child.poll() is not None:
            self._end()
        child = self._child or self._start()
        try:
            _write(child, request)
        except BrokenPipeError:
            self._end()
            child = self._start()
            try:
                _write(child, request)
            except BrokenPipeError:
                raise _Ended(self._how()) from None

    def _start(self) -> tools.Child:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
        self._unread.clear()
        try:
            child = tools.start(
                [sys.executable, "-m", _WORKER],
                has_input=True,
                stderr=self._errors,
                environment={"PYTHONPATH": _python_path()},
            )
        except tools.ToolError as error:
            raise WorkerFault(f"the process that reads did not start: {error}") from None
        self._child = child
        orders = {kind: list(order) for kind, order in self.orders.items()}
        try:
            _write(child, {"memory": self.limits.memory, "orders": orders})
        except BrokenPipeError:
            raise _Ended(self._how()) from None
        return child

    def _answer(self, seconds: float) -> Json:
        """Returns the next answer; raises `_Ended` where the process ends or is silent too long."""
        child = self._child
        assert child is not None and child.stdout is not None
        until = time.monotonic() + WALL * seconds
        while (end := self._unread.find(b"\n")) < 0:
            left = until - time.monotonic()
            if left <= 0:
                raise _Ended(f"not done after {WALL * seconds:.0f} s")
            # A short wait, so that a signal that ends this job is not kept waiting.
            ready, _, _ = select.select([child.stdout], [], [], min(left, _POLL_SECONDS))
            if not ready:
                continue
            chunk = os.read(child.stdout.fileno(), _CHUNK)
            if not chunk:
                raise _Ended(self._how())
            self._unread += chunk
        line = bytes(self._unread[: end + 1])
        del self._unread[: end + 1]
        answer = parse_line(line)
        if answer is None:
            raise _Ended("what it said is no JSON")
        return answer

    def _how(self) -> str:
        """Returns how the process ended, with its last words."""
        assert self._child is not None and self._errors is not None
        code = self._child.wait()
        if code == -signal.SIGXCPU:
            return "took too much processor time"
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - _LAST_WORDS))
        said = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return ": ".join([f"its process died: {tools.ended_with(code)}", *said[-1:]])

    def _end(self) -> None:
        if self._child is not None:
            tools.end(self._child)
        if self._errors is not None:
            self._errors.close()
        self._child = self._errors = None

    def _empty_scratch(self) -> None:
        for left in self.scratch.iterdir():
            left.unlink()


def _write(child: tools.Child, request: Json) -> None:
    assert child.stdin is not None
    write_all(child.stdin.fileno(), to_bytes(request) + b"\n")


def _python_path() -> str:
    """Returns where the process finds this library, installed or not."""
    paths = [str(_SCRIPTS), os.environ.get("PYTHONPATH", "")]
    return os.pathsep.join(path for path in paths if path)
