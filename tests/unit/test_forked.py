"""A process that goes on from here: it hears signals from its first moment, and always ends."""

import subprocess
from pathlib import Path

from tests.unit.children import SCRIPTS, is_gone, number_in, python, wait_until

BEGINNING = """
import os, signal, sys, time
from pathlib import Path
from centinel import forked

def ended(number):
    while (code := forked.exit_code(number)) is None:
        time.sleep(0.01)
    return code
"""


def said(code: str) -> list[str]:
    """What a program that begins so prints; standard error is the same stream."""
    ended = subprocess.run(
        python(BEGINNING + code),
        env={"PYTHONPATH": str(SCRIPTS)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=True,
    )
    return ended.stdout.splitlines()


def test_a_signal_that_comes_at_once_is_heard() -> None:
    lines = said("""
for _ in range(20):
    number = forked.start(lambda stop: stop.wait(60))
    forked.call_back(number)
    print(ended(number))
""")
    assert lines == ["0"] * 20


def test_what_hears_no_signal_is_killed_and_nothing_is_left() -> None:
    lines = said("""
def deaf(stop):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)
began = time.monotonic()
number = forked.start(deaf)
time.sleep(0.3)
forked.end([number], 0.2)
print(time.monotonic() - began < 30, forked.exit_code(number))
""")
    assert lines == ["True 0"], "it was found to have ended before"


def test_what_fails_says_so_and_is_no_failure_of_the_caller() -> None:
    lines = said("""
def fail(stop):
    raise ValueError("odd")
print(ended(forked.start(fail)), flush=True)
""")
    assert lines[-1] == "1"
    assert "ValueError: odd" in lines


def test_nothing_of_the_callers_is_written_or_ended_by_it() -> None:
    lines = said("""
import atexit
atexit.register(print, "at the end")
print("once", end=" ")
try:
    print(ended(forked.start(lambda stop: None)))
finally:
    print("after")
""")
    assert lines == ["once 0", "after", "at the end"]


def test_it_ends_with_the_caller(tmp_path: Path) -> None:
    written = tmp_path / "number"
    code = f"""
number = forked.start(lambda stop: stop.wait(600))
Path({str(written)!r}).write_text(f"{{number}}\\n")
time.sleep(600)
"""
    process = subprocess.Popen(python(BEGINNING + code), env={"PYTHONPATH": str(SCRIPTS)})
    number = number_in(written)
    process.kill()
    process.wait()
    wait_until(lambda: is_gone(number), "it ends too")
