"""The only place that starts a child process: argument lists, bounds, and an end in every case.

A child gets `/dev/null` or the bytes that it was given, never our input, no descriptor of ours but
its three streams, and a session of its own. It is killed with its whole process group at its
deadline, when it stalls, when it says too much and when the caller is ended by an exception. On
Linux the kernel kills it when the caller dies in a way that runs no code, such as SIGKILL; what the
child itself started is then not reached, nor is ever what made a session of its own.
"""

import codecs
import ctypes
import io
import os
import selectors
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import IO

from centinel.masking import masked

DEADLINE_SECONDS = 60.0
"""How long a child may take in all, unless the caller knows better."""

MOST_OUTPUT = 64 << 20
"""Bytes on standard output; what says more is killed: half an output is no output."""

STDERR_TAIL = 64 << 10
"""Bytes of standard error that are kept, its end: programs give their reason last."""

VERSION_SECONDS = 10.0
"""How long a program may take to say its version."""

_DRAIN_SECONDS = 1.0
"""How long what outlived the child may keep its streams open."""

_POLL_SECONDS = 0.05
_CHUNK = 1 << 16
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
"""Loaded here: between fork and exec nothing may be loaded any more."""

Child = subprocess.Popen[bytes]


class What(StrEnum):
    """What went wrong with a child."""

    NOT_INSTALLED = "not-installed"
    COULD_NOT_START = "could-not-start"
    TIMED_OUT = "timed-out"
    STALLED = "stalled"
    STOPPED = "stopped"
    FAILED = "failed"
    TOO_MUCH_OUTPUT = "too-much-output"


class ToolError(Exception):
    """A child that gave no result; a fault of this machine or of the program, not of an address."""

    def __init__(
        self, program: str, what: str, code: int | None = None, stderr: str = "", detail: str = ""
    ) -> None:
        super().__init__(program, what, code, stderr, detail)
        self.program = program
        self.what = What(what)
        self.code = code
        """Its exit code, negative for a signal; None where it did not end by itself."""
        self.stderr = stderr
        self.detail = detail

    def __str__(self) -> str:
        said = next((line for line in reversed(self.stderr.splitlines()) if line.strip()), "")
        parts = [self.program, self.what.value, self.detail, " ".join(said.split())[:300]]
        return masked(": ".join(part for part in parts if part))


@dataclass(frozen=True)
class Completed:
    """A child that ended by itself with an accepted code."""

    code: int
    stdout: bytes
    stderr: str
    """Its end, where it was longer than STDERR_TAIL."""
    seconds: float


def run(
    arguments: Sequence[str | Path],
    *,
    deadline: float | None = DEADLINE_SECONDS,
    stall: float | None = None,
    on_line: Callable[[str], None] | None = None,
    input_bytes: bytes | None = None,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    most_output: int = MOST_OUTPUT,
    accept: Container[int] = (0,),
    stop: threading.Event | None = None,
) -> Completed:
    """Runs a program to its end and returns what it said.

    `deadline` bounds it in all, `stall` the time without output on either stream (seconds, None for
    no bound). `on_line` gets each line of standard output as it comes, `\\r` ends one too; what it
    raises ends the child. `environment` is laid over ours. `stop`, once set, ends the child. What
    the child left running in its process group ends with it.

    Raises ToolError: for a program that is not there, could not be started, took too long, said
    more than `most_output` bytes, was stopped, or ended with a code that `accept` does not hold.
    """
    program = os.fspath(arguments[0])
    began = time.monotonic()
    child = start(
        arguments, has_input=input_bytes is not None, environment=environment, folder=folder
    )
    streams = _Streams(program, child, most_output, on_line, input_bytes or b"")
    limits = _Limits(began, deadline, stall, stop, heard=began)
    try:
        streams.follow(limits)
    finally:
        end(child)
    code, stderr = child.returncode, _text(streams.err)
    if code not in accept:
        raise ToolError(program, What.FAILED, code, stderr, ended_with(code))
    return Completed(code, bytes(streams.out), stderr, time.monotonic() - began)


def is_installed(program: str) -> bool:
    """Returns whether a program is on the PATH, or is an executable file at that path."""
    return shutil.which(program) is not None


def version_of(program: str, arguments: Sequence[str] = ("--version",)) -> str | None:
    """Returns the first line in which a program says its version; None where it does not.

    Whatever its exit code: several say it, and fail. Asked for once a process.
    """
    found = shutil.which(program)
    return None if found is None else _version(found, tuple(arguments))


@lru_cache(maxsize=64)
def _version(program: str, arguments: tuple[str, ...]) -> str | None:
    try:
        ended = run([program, *arguments], deadline=VERSION_SECONDS, accept=range(256))
    except ToolError:
        return None
    said = [*_text(ended.stdout).splitlines(), *ended.stderr.splitlines()]
    return next((line.strip() for line in said if line.strip()), None)


def start(
    arguments: Sequence[str | Path],
    *,
    has_input: bool,
    stderr: int | IO[bytes] = subprocess.PIPE,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Child:
    """Starts a program whose streams the caller follows; `end` it in every case.

    Raises ToolError where it is not there or could not be started.
    """
    program = os.fspath(arguments[0])
    variables = {**os.environ, **(environment or {})}
    caller = os.getpid()

    def die_with_caller() -> None:
        if _LIBC is not None:
            _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != caller:  # it died before the kernel was asked to tell us
            os._exit(1)

    try:
        return subprocess.Popen(  # noqa: S603 (a list of arguments, never a shell)
            [os.fspath(each) for each in arguments],
            bufsize=0,
            stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
            preexec_fn=die_with_caller,
            env=variables,
            cwd=folder,
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        is_missing = isinstance(error, FileNotFoundError) and not _exists(
            program, variables.get("PATH"), folder
        )
        what = What.NOT_INSTALLED if is_missing else What.COULD_NOT_START
        raise ToolError(program, what, detail=str(error)) from None


def _exists(program: str, path: str | None, folder: Path | None) -> bool:
    """Whether there is something to start: a missing folder or interpreter says the same error."""
    if "/" in program:
        return ((folder or Path()) / program).exists()
    return shutil.which(program, path=path) is not None


def _text(said: bytes | bytearray) -> str:
    return said.decode("utf-8", "replace")


def ended_with(code: int) -> str:
    """Returns an exit code in words, a signal by its name."""
    if code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        return f"ended by {signal.Signals(-code).name}"
    return f"ended by signal {-code}"


def _kill(child: Child) -> None:
    """Kills the child's process group. Before it is reaped its number can be nobody else's."""
    if child.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)


def end(child: Child) -> None:
    """Makes sure that nothing of the child is left, and takes its exit code."""
    _kill(child)
    for stream in (child.stdin, child.stdout, child.stderr):
        if stream is not None:
            stream.close()
    child.wait()


@dataclass
class _Limits:
    """When a child has taken too long."""

    began: float
    deadline: float | None
    stall: float | None
    stop: threading.Event | None
    heard: float
    """When it last said something."""

    def over(self, now: float) -> tuple[What, str] | None:
        """Returns which limit is passed, with its figure."""
        if self.stop is not None and self.stop.is_set():
            return What.STOPPED, "the run is being ended"
        if self.deadline is not None and now >= self.began + self.deadline:
            return What.TIMED_OUT, f"not ended after {self.deadline:g} s"
        if self.stall is not None and now >= self.heard + self.stall:
            return What.STALLED, f"said nothing for {self.stall:g} s"
        return None

    def left(self, now: float) -> float | None:
        """Returns the seconds after which to look again; None where nothing is to be looked at."""
        ends = [_POLL_SECONDS] if self.stop is not None else []
        if self.deadline is not None:
            ends.append(self.began + self.deadline - now)
        if self.stall is not None:
            ends.append(self.heard + self.stall - now)
        return max(0.0, min(ends)) if ends else None


@dataclass
class _Lines:
    """Gives whole lines to a function as their bytes come."""

    give: Callable[[str], None]
    decoder: io.IncrementalNewlineDecoder = field(
        default_factory=lambda: io.IncrementalNewlineDecoder(
            codecs.getincrementaldecoder("utf-8")("replace"), translate=True
        )
    )
    open_line: list[str] = field(default_factory=list)

    def take(self, chunk: bytes, final: bool = False) -> None:
        """Takes some bytes; the last ones end the last line."""
        first, *others = self.decoder.decode(chunk, final=final).split("\n")
        self.open_line.append(first)
        for other in others:
            self.give("".join(self.open_line))
            self.open_line = [other]
        if final and any(self.open_line):
            self.give("".join(self.open_line))


@dataclass
class _Streams:
    """The child's streams, read and written together, so that none of them can fill up."""

    program: str
    child: Child
    most_output: int
    on_line: Callable[[str], None] | None
    to_write: bytes
    out: bytearray = field(default_factory=bytearray)
    err: bytearray = field(default_factory=bytearray)
    selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    exit_descriptor: int | None = None
    written: int = 0
    still_open: int = 2

    def follow(self, limits: _Limits) -> None:
        """Returns when the child has ended and its streams are read; raises ToolError."""
        lines = _Lines(self.on_line) if self.on_line else None
        try:
            self._open(lines)
            self._until_exit(limits)
            self._drain()
        finally:
            self.selector.close()
            if self.exit_descriptor is not None:
                os.close(self.exit_descriptor)
        if lines:
            lines.take(b"", final=True)

    def _open(self, lines: _Lines | None) -> None:
        assert self.child.stdout is not None and self.child.stderr is not None

        def take_output(chunk: bytes) -> None:
            self.out += chunk
            if len(self.out) > self.most_output:
                detail = f"more than {self.most_output} bytes"
                raise ToolError(self.program, What.TOO_MUCH_OUTPUT, None, _text(self.err), detail)
            if lines:
                lines.take(chunk)

        self.selector.register(self.child.stdout, selectors.EVENT_READ, take_output)
        self.selector.register(self.child.stderr, selectors.EVENT_READ, self._take_error)
        if self.child.stdin is not None:
            os.set_blocking(self.child.stdin.fileno(), False)
            self.selector.register(self.child.stdin, selectors.EVENT_WRITE)
        with suppress(OSError, AttributeError):  # an old kernel, or another: then it is polled
            self.exit_descriptor = os.pidfd_open(self.child.pid)
            self.selector.register(self.exit_descriptor, selectors.EVENT_READ)

    def _take_error(self, chunk: bytes) -> None:
        self.err += chunk
        del self.err[:-STDERR_TAIL]

    def _until_exit(self, limits: _Limits) -> None:
        while not self._has_exited():
            now = time.monotonic()
            over = limits.over(now)
            if over is not None:
                raise ToolError(self.program, over[0], None, _text(self.err), over[1])
            left = limits.left(now)
            if self.exit_descriptor is None:
                left = _POLL_SECONDS if left is None else min(left, _POLL_SECONDS)
            if self._serve(left):
                limits.heard = time.monotonic()

    def _drain(self) -> None:
        """Reads what is left. What the child left running is ended first, or it would not end."""
        _kill(self.child)
        if self.exit_descriptor is not None:
            self.selector.unregister(self.exit_descriptor)
        until = time.monotonic() + _DRAIN_SECONDS
        while self.still_open and (left := until - time.monotonic()) > 0:
            self._serve(left)

    def _has_exited(self) -> bool:
        """Whether the child has ended. It is not reaped: its group must not lose its number."""
        if not hasattr(os, "waitid"):
            return self.child.poll() is not None
        try:
            options = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self.child.pid, options) is not None
        except ChildProcessError:
            return True

    def _serve(self, seconds: float | None) -> bool:
        """Waits for what can be read or written; returns whether the child said something."""
        heard = False
        for key, events in self.selector.select(seconds):
            if events & selectors.EVENT_WRITE:
                self._write(key.fd)
            elif key.data is not None:
                heard |= self._read(key)
        return heard

    def _read(self, key: selectors.SelectorKey) -> bool:
        chunk = os.read(key.fd, _CHUNK)
        if not chunk:
            self.selector.unregister(key.fileobj)
            self.still_open -= 1
            return False
        key.data(chunk)
        return True

    def _write(self, descriptor: int) -> None:
        assert self.child.stdin is not None
        try:
            self.written += os.write(descriptor, memoryview(self.to_write)[self.written :][:_CHUNK])
        except BlockingIOError:
            return
        except BrokenPipeError:
            self.written = len(self.to_write)  # it does not want more, which is no fault
        if self.written >= len(self.to_write):
            self.selector.unregister(self.child.stdin)
            self.child.stdin.close()
