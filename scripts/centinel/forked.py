"""A process of our own that goes on from here: it shares our memory, and signals reach it alone."""

import logging
import os
import signal
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import NoReturn

from centinel import jobs
from centinel.belonging import end_with_parent

_LOOK_SECONDS = 0.02


def start(work: Callable[[jobs.Stop], None], grace: float = 0.0) -> int:
    """Starts a process that does some work, and returns its number; `end` it in every case.

    Call it from the main thread, with no other at work: what a thread holds stays held. The work
    gets what `jobs.stop_event` gives. On Linux the process gets SIGTERM when this one dies. Raises
    OSError where there may be no further process.
    """
    caller = os.getpid()
    # A signal that came between would meet what was to be done with it here.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, jobs.SIGNALS)
    try:
        number = os.fork()
        if number == 0:
            _be(caller, work, grace)
        return number
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _be(caller: int, work: Callable[[jobs.Stop], None], grace: float) -> NoReturn:
    """The life of the new process; nothing of the old one's is ended or written by it."""
    code = 1
    try:
        end_with_parent()
        if os.getppid() == caller:
            stop = jobs.stop_event(grace)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, jobs.SIGNALS)
            work(stop)
        code = 0
    except Exception:  # the edge of a unit of work
        logging.exception("what was done beside the job failed")
    finally:
        os._exit(code)


def exit_code(number: int) -> int | None:
    """Returns how a process of ours ended, negative for a signal; None while it is at work."""
    try:
        ended, status = os.waitpid(number, os.WNOHANG)
    except ChildProcessError:
        return 0
    return os.waitstatus_to_exitcode(status) if ended else None


def call_back(number: int) -> None:
    """Asks a process that was not yet found to have ended to end."""
    with suppress(ProcessLookupError):
        os.kill(number, signal.SIGTERM)


def kill(number: int) -> None:
    """Ends a process that was not yet found to have ended."""
    with suppress(ProcessLookupError):
        os.kill(number, signal.SIGKILL)


def end(numbers: Collection[int], seconds: float) -> None:
    """Has processes end, and returns when they have; those that take longer are killed."""
    left = set(numbers)
    for number in left:
        call_back(number)
    until = time.monotonic() + seconds
    while left := {each for each in left if exit_code(each) is None}:
        if time.monotonic() >= until:
            for number in left:
                kill(number)
        time.sleep(_LOOK_SECONDS)
