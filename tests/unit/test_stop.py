"""Whatever a job does when a signal comes, it ends: the event takes no lock and is never missed."""

import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.sites.server import Answer, Site
from tests.unit.children import SCRIPTS, python, wait_until
from tests.unit.support import PAGE

WAITING = """
import signal, time
from centinel import jobs
stop = jobs.stop_event()
print("ready", flush=True)
while not stop.wait(0.001):
    pass
signal.pthread_sigmask(signal.SIG_BLOCK, jobs.SIGNALS)  # Python's end has no handlers any more
began = time.monotonic()
assert stop.is_set() and stop.wait() and stop.wait(60) and time.monotonic() - began < 30
"""

ASKING = """
import sys
from pathlib import Path
from centinel import jobs
from centinel.download import Interrupted
from centinel.http import Client
stop = jobs.stop_event(grace=float(sys.argv[1]))
client = Client(Path("incoming"), private_is_allowed=True, stop=stop, rps=float(sys.argv[2]))
try:
    print("ready", flush=True)
    client.get(sys.argv[3] + "/late")
    print("answered", stop.is_near, flush=True)
    client.rps = float(sys.argv[4])
    client.get(sys.argv[3] + "/late")
except Interrupted:
    print("interrupted", flush=True)
"""


@contextmanager
def started(
    code: str, *arguments: str, folder: Path | None = None
) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        python(code, *arguments),
        env={"PYTHONPATH": str(SCRIPTS), "PATH": "/usr/bin"},
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("count", [1, 2, 40])
def test_signals_end_a_job_that_waits_and_never_have_it_wait_for_itself(count: int) -> None:
    with started(WAITING) as process:
        for number in range(count):
            process.send_signal((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[number % 3])
        assert process.wait(20) == 0


@pytest.fixture
def late() -> Iterator[tuple[Site, threading.Event]]:
    """A site whose page waits until the event is set."""
    released = threading.Event()
    with Site() as site:
        site.set("/robots.txt", Answer(b"", "text/plain"))
        site.set("/late", Answer(b"<p>late</p>", PAGE, wait_for=released))
        yield site, released
        released.set()


def said(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_without_grace_a_request_under_way_is_given_up_at_once(
    late: tuple[Site, threading.Event], tmp_path: Path
) -> None:
    with started(ASKING, "0", "1000", late[0].address, "1000", folder=tmp_path) as process:
        wait_until(lambda: late[0].asked("/late") == 1, "it asks")
        process.send_signal(signal.SIGTERM)
        assert said(process) == "interrupted"


def test_within_the_grace_a_request_under_way_is_answered(
    late: tuple[Site, threading.Event], tmp_path: Path
) -> None:
    site, released = late
    with started(ASKING, "20", "1000", site.address, "1000", folder=tmp_path) as process:
        wait_until(lambda: site.asked("/late") == 1, "it asks")
        process.send_signal(signal.SIGTERM)
        released.set()
        assert said(process) == "answered True"


def test_after_the_grace_it_is_given_up(late: tuple[Site, threading.Event], tmp_path: Path) -> None:
    with started(ASKING, "0.1", "1000", late[0].address, "1000", folder=tmp_path) as process:
        wait_until(lambda: late[0].asked("/late") == 1, "it asks")
        process.send_signal(signal.SIGTERM)
        assert said(process) == "interrupted"


def test_a_pause_between_two_requests_is_no_request_under_way(
    late: tuple[Site, threading.Event], tmp_path: Path
) -> None:
    site, released = late
    released.set()
    # Nobody gets so slowly from here to the signal that the pause is over before it.
    with started(ASKING, "60", "100", site.address, "0.005", folder=tmp_path) as process:
        assert said(process) == "answered False"
        process.send_signal(signal.SIGTERM)
        assert said(process) == "interrupted"
        assert site.asked("/late") == 1
