"""What every job's script does around the library: its log, its configuration, its end."""

import logging
import math
import os
import select
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NoReturn, TextIO

from centinel.belonging import end_with_run
from centinel.configuration import Configuration, load
from centinel.progress import Progress
from centinel.schemas import one_line

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Those that end a job in good order."""

LOCK_SECONDS = 30.0
"""How long a job waits for one that outlived its run."""


def configuration_of(config: Mapping[str, Any]) -> Configuration:
    """Returns the configuration that the run already checked."""
    return load(config, is_checked=True)


@contextmanager
def job(name: str, log: str) -> Iterator[Progress]:
    """Logs to the job's file; what ends the job unexpectedly is one line on standard error.

    Yields the progress, which writes to both. The traceback stands in the log. The job ends with
    the run that it belongs to, so that it never writes beside a new one.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    end_with_run()
    path = Path(log)
    with _opened(path) as stream:
        logging.basicConfig(stream=stream, level=logging.INFO, format="%(asctime)s %(message)s")
        try:
            yield Progress(name, streams=(sys.stderr, stream))
        except KeyboardInterrupt:
            sys.exit(128 + signal.SIGINT)
        except Exception as error:
            logging.exception("the job failed")
            print(f"centinel: {name}: {_said(error)} (log: {path})", file=sys.stderr, flush=True)
            sys.exit(1)


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    """The log of the job. A full disk holds none: that is not worth a traceback of its own."""
    logging.raiseExceptions = False
    path.parent.mkdir(parents=True, exist_ok=True)
    stream = path.open("w", encoding="utf-8", errors="replace")
    try:
        yield stream
    finally:
        with suppress(OSError):
            stream.close()


def _leave(number: int, _frame: FrameType | None) -> NoReturn:
    """Ends the job as an exception does, so that no temporary file stays behind."""
    sys.exit(128 + number)


def _said(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        where = f": {error.filename}" if error.filename else ""
        return f"{error.strerror}{where}"
    return one_line(f"{type(error).__name__}: {error}")


class Stop(threading.Event):
    """Set where a job is to end at once.

    By a signal too: it takes no lock, which the thread that the signal interrupts may hold (an
    ordinary event was seen to wait for itself).
    """

    is_near = False
    """The job ends as soon as the request under way has: no further one is sent."""

    def __init__(self) -> None:
        super().__init__()
        self._is_set = False
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)

    def is_set(self) -> bool:
        """Returns whether the job is to end."""
        return self._is_set

    def set(self) -> None:
        """Has the job end; once and for all."""
        self._is_set = True
        with suppress(BlockingIOError):  # full of what nobody needs to read
            os.write(self._writer, b"\0")

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for it, at most so many seconds; returns whether the job is to end."""
        if not self._is_set:
            waiting = select.poll()
            waiting.register(self._reader, select.POLLIN)
            waiting.poll(None if timeout is None else math.ceil(timeout * 1000))
        return self._is_set


def stop_event(grace: float = 0.0) -> Stop:
    """Returns an event that a signal sets, so that the job can end in good order.

    A request that is under way then is given up at once, or has `grace` seconds to end: a server
    may keep silent for a minute.
    """
    from centinel.download import Interrupted
    from centinel.http import Client

    stop = Stop()

    def end(number: int, frame: FrameType | None) -> None:
        is_asking = Client._request.__code__ in _codes(frame)
        if grace and is_asking and number != signal.SIGALRM:
            stop.is_near = True
            signal.setitimer(signal.ITIMER_REAL, grace)
            return
        stop.set()
        if is_asking:
            raise Interrupted("ended by a signal")

    for number in (*SIGNALS, *((signal.SIGALRM,) if grace else ())):
        signal.signal(number, end)
    return stop


def _codes(frame: FrameType | None) -> Iterator[CodeType]:
    """The code of a frame, and of all that wait for it."""
    while frame is not None:
        yield frame.f_code
        frame = frame.f_back
