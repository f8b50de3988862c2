"""Child processes end in every case, and everything that they started with them."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from centinel.tools import ToolError, run
from tests.unit.children import (
    SCRIPTS,
    SLEEP,
    WITHIN,
    WRITE_NUMBER,
    is_gone,
    number_in,
    python,
    stop_once_written,
    wait_until,
)


def test_a_child_past_its_deadline_is_killed(tmp_path: Path) -> None:
    file = tmp_path / "number"
    began = time.monotonic()
    with pytest.raises(ToolError) as caught:
        run(python(WRITE_NUMBER + SLEEP, str(file)), deadline=2)
    assert caught.value.what == "timed-out"
    assert caught.value.code is None
    assert 2 <= time.monotonic() - began < WITHIN
    assert is_gone(number_in(file))


def test_output_does_not_put_the_deadline_off() -> None:
    talk = "import time\nwhile True: print('still here', flush=True); time.sleep(0.05)"
    with pytest.raises(ToolError) as caught:
        run(python(talk), deadline=1, stall=60)
    assert caught.value.what == "timed-out"


def test_a_child_that_falls_silent_is_stalled() -> None:
    code = "import time; print('begun', flush=True); time.sleep(600)"
    with pytest.raises(ToolError, match="stalled: said nothing for 1 s") as caught:
        run(python(code), deadline=None, stall=1)
    assert caught.value.what == "stalled"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_slow_steady_output_on_either_stream_is_no_stall(stream: str) -> None:
    code = (
        "import sys, time\n"
        f"for n in range(8): print(n, file=sys.{stream}, flush=True); time.sleep(0.5)"
    )
    ended = run(python(code), deadline=None, stall=3)
    assert ended.seconds > 3
    assert (ended.stdout.decode() + ended.stderr).split() == [str(n) for n in range(8)]


def test_what_was_said_before_the_end_is_kept() -> None:
    code = "import sys, time; print('cannot go on', file=sys.stderr, flush=True); time.sleep(600)"
    with pytest.raises(ToolError) as caught:
        run(python(code), deadline=None, stall=2)
    assert caught.value.stderr == "cannot go on\n"


def test_a_killed_child_never_does_what_it_was_about_to_do(tmp_path: Path) -> None:
    begun, go, marker = tmp_path / "begun", tmp_path / "go", tmp_path / "marker"
    code = (
        "import os, sys, time, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "begun, go, marker = sys.argv[1:]\n"
        "open(begun, 'w').write(f'{os.getpid()}\\n')\n"
        "while not os.path.exists(go): time.sleep(0.01)\n"
        "open(marker, 'w').close()"
    )
    with stop_once_written(begun) as stop, pytest.raises(ToolError):
        run(python(code, str(begun), str(go), str(marker)), stop=stop)
    number = number_in(begun)
    go.touch()
    wait_until(lambda: is_gone(number), "the child is gone")
    assert not marker.exists()


def test_what_a_killed_child_started_is_killed_with_it(tmp_path: Path) -> None:
    file = tmp_path / "number"
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', *sys.argv[1:]])"
    with stop_once_written(file) as stop, pytest.raises(ToolError):
        run(python(code, WRITE_NUMBER + SLEEP, str(file)), stop=stop)
    number = number_in(file)
    wait_until(lambda: is_gone(number), "the grandchild is gone")


def test_what_a_child_left_running_ends_with_it(tmp_path: Path) -> None:
    """It has the child's streams too: reading to their end alone would wait for it."""
    file = tmp_path / "number"
    code = (
        "import os, subprocess, sys, time\n"
        "subprocess.Popen([sys.executable, '-c', *sys.argv[1:]])\n"
        "while not os.path.exists(sys.argv[2]): time.sleep(0.01)\n"
        "print('done')"
    )
    ended = run(python(code, WRITE_NUMBER + SLEEP, str(file)))
    assert ended.stdout == b"done\n"
    number = number_in(file)
    wait_until(lambda: is_gone(number), "the grandchild is gone")


def test_what_made_a_session_of_its_own_does_not_keep_us_waiting(tmp_path: Path) -> None:
    file = tmp_path / "number"
    code = (
        "import os, subprocess, sys, time\n"
        "subprocess.Popen([sys.executable, '-c', *sys.argv[1:]], start_new_session=True)\n"
        "while not os.path.exists(sys.argv[2]): time.sleep(0.01)\n"
        "print('done')"
    )
    try:
        ended = run(python(code, WRITE_NUMBER + SLEEP, str(file)))
        assert ended.stdout == b"done\n"
        assert ended.seconds < WITHIN
    finally:
        os.kill(number_in(file), signal.SIGKILL)


def test_a_child_dies_with_a_caller_that_is_killed(tmp_path: Path) -> None:
    file = tmp_path / "number"
    code = (
        f"import sys; sys.path.insert(0, {str(SCRIPTS)!r})\n"
        "from centinel.tools import run\n"
        "run([sys.executable, '-c', *sys.argv[1:]], deadline=None)"
    )
    with subprocess.Popen(python(code, WRITE_NUMBER + SLEEP, str(file))) as caller:
        number = number_in(file)
        assert not is_gone(number)
        caller.send_signal(signal.SIGKILL)
    wait_until(lambda: is_gone(number), "the child is gone")


def test_a_child_dies_when_its_caller_is_interrupted(tmp_path: Path) -> None:
    file = tmp_path / "number"
    code = (
        f"import sys; sys.path.insert(0, {str(SCRIPTS)!r})\n"
        "from centinel.tools import run\n"
        "try: run([sys.executable, '-c', *sys.argv[1:]], deadline=None)\n"
        "except KeyboardInterrupt: sys.exit(7)"
    )
    with subprocess.Popen(python(code, WRITE_NUMBER + SLEEP, str(file))) as caller:
        number = number_in(file)
        caller.send_signal(signal.SIGINT)
        assert caller.wait(WITHIN) == 7
    assert is_gone(number)


def test_a_child_ends_when_it_is_told_to_stop(tmp_path: Path) -> None:
    file = tmp_path / "number"
    with stop_once_written(file) as stop, pytest.raises(ToolError) as caught:
        run(python(WRITE_NUMBER + SLEEP, str(file)), deadline=None, stop=stop)
    assert caught.value.what == "stopped"
    assert is_gone(number_in(file))


def test_output_over_the_bound_is_a_failure_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "number"
    code = WRITE_NUMBER + "\nwhile True: print('y' * 1000)"
    with pytest.raises(ToolError, match="more than 5000 bytes") as caught:
        run(python(code, str(file)), most_output=5000, deadline=None)
    assert caught.value.what == "too-much-output"
    assert is_gone(number_in(file))


def test_what_the_taker_of_lines_raises_ends_the_child(tmp_path: Path) -> None:
    file = tmp_path / "number"

    def take(line: str) -> None:
        raise LookupError(line)

    with pytest.raises(LookupError, match="begun"):
        run(python(WRITE_NUMBER + "print('begun', flush=True);" + SLEEP, str(file)), on_line=take)
    assert is_gone(number_in(file))


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_nothing_of_ours_is_left_open() -> None:
    before = descriptors()
    run(python("print('x')"), input_bytes=b"x")
    with pytest.raises(ToolError):
        run(python(SLEEP), deadline=0.2)
    with pytest.raises(ToolError):
        run(["/no/such/program"])
    assert descriptors() == before


def test_a_child_is_bounded_where_the_kernel_has_no_descriptor_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> int:
        raise OSError("not in this kernel")

    monkeypatch.setattr(os, "pidfd_open", refuse)
    assert run(python("print('x')")).stdout == b"x\n"
    with pytest.raises(ToolError, match="timed-out"):
        run(python("import os; os.close(1); os.close(2);" + SLEEP), deadline=1)


def test_a_child_whose_caller_died_before_it_could_be_told_does_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "number"
    monkeypatch.setattr(os, "getpid", lambda: 1 << 30)  # nobody's: as if it had another parent now
    with pytest.raises(ToolError, match="exit code 1"):
        run(python(WRITE_NUMBER, str(file)))
    assert not file.exists()
