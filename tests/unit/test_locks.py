"""A lock keeps others out as long as its process lives, and no longer."""

import fcntl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from centinel.locks import Busy, held, take

HOLDER = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from centinel import locks
stream = locks.take(Path(sys.argv[2]))
print("held", flush=True)
time.sleep(float(sys.argv[3]))
"""
SCRIPTS = str(Path(__file__).parents[2] / "scripts")


@contextmanager
def another_process(path: Path, seconds: float = 60) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the lock."""
    command = [sys.executable, "-c", HOLDER, SCRIPTS, str(path), str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            yield holder
        finally:
            holder.kill()


def test_a_lock_is_refused_while_another_process_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "results" / "town" / ".lock"
    with another_process(path), pytest.raises(Busy, match=str(path)):
        take(path)


def test_a_lock_ends_with_the_process_that_was_killed(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    with another_process(path) as holder:
        holder.kill()
        holder.wait()
        take(path).close()


def test_a_lock_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    with another_process(path, seconds=0.5):
        started = time.monotonic()
        with held(path, wait=30):
            assert time.monotonic() - started < 20


def test_a_wait_ends(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    with another_process(path):
        started = time.monotonic()
        with pytest.raises(Busy), held(path, wait=0.3):
            pass
        assert 0.3 <= time.monotonic() - started < 20


def test_a_lock_is_free_after_its_block_however_that_ended(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    with pytest.raises(ValueError, match="odd"), held(path):
        raise ValueError("odd")
    with held(path), pytest.raises(Busy), held(path):
        pass
    take(path).close()


def test_a_refused_lock_leaves_nothing_open(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    with another_process(path):
        before = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(5):
            with pytest.raises(Busy):
                take(path)
        assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_lock_is_one_of_the_kernel(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    path.write_text("left by a killed run")
    with held(path), path.open() as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert path.exists()
