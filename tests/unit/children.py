"""Processes for the tests of those that start them."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

SCRIPTS = Path(__file__).parents[2] / "scripts"
WITHIN = 20.0
"""Seconds in which what is sure to happen has happened, on a machine under load as well."""


def python(code: str, *arguments: str) -> list[str]:
    """A command line that runs some Python."""
    return [sys.executable, "-c", code, *arguments]


def wait_until(holds: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + WITHIN
    while not holds():
        assert time.monotonic() < until, f"not within {WITHIN:.0f} s: {what}"
        time.sleep(0.01)


def is_gone(number: int) -> bool:
    """Whether a process has ended, whether or not somebody took its exit code."""
    try:
        return psutil.Process(number).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def number_in(path: Path) -> int:
    """The number that a process wrote to a file, once it is there."""
    wait_until(lambda: path.exists() and path.read_text().endswith("\n"), f"{path} is written")
    return int(path.read_text())


@contextmanager
def stop_once_written(path: Path) -> Iterator[threading.Event]:
    """An event that is set once a process wrote its number."""
    stop = threading.Event()

    def wait() -> None:
        number_in(path)
        stop.set()

    thread = threading.Thread(target=wait)
    thread.start()
    yield stop
    thread.join()


WRITE_NUMBER = (
    "import os, sys; open(sys.argv[1] + '~', 'w').write(f'{os.getpid()}\\n');"
    "os.rename(sys.argv[1] + '~', sys.argv[1]);"
)
"""Python that writes its process number to the file that is its first argument, whole."""

SLEEP = "import time; time.sleep(600)"
