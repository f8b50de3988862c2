"""A child process says what it says, gets what it is given, and fails with a reason."""

import os
import signal
import sys
from pathlib import Path

import pytest

from centinel import tools
from centinel.tools import ToolError, run
from tests.unit.children import (
    WITHIN,
    python,
)


def test_what_a_program_says_on_both_streams_is_returned() -> None:
    ended = run(python("import sys; print('out'); print('err', file=sys.stderr)"))
    assert (ended.code, ended.stdout, ended.stderr) == (0, b"out\n", "err\n")
    assert 0 < ended.seconds < WITHIN


def test_a_code_that_is_not_accepted_is_a_failure_with_its_stderr() -> None:
    with pytest.raises(ToolError) as caught:
        run(python("import sys; print('no such page', file=sys.stderr); sys.exit(3)"))
    error = caught.value
    assert (error.program, error.what, error.code) == (sys.executable, "failed", 3)
    assert error.stderr == "no such page\n"
    assert str(error) == f"{sys.executable}: failed: exit code 3: no such page"


def test_an_accepted_code_is_an_answer() -> None:
    assert run(python("raise SystemExit(1)"), accept=(0, 1)).code == 1


def test_a_child_that_a_signal_ended_failed_with_that_signal() -> None:
    with pytest.raises(ToolError, match="ended by SIGSEGV") as caught:
        run(python("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"))
    assert (caught.value.what, caught.value.code) == ("failed", -signal.SIGSEGV)


def test_a_password_in_an_address_is_not_in_the_message() -> None:
    with pytest.raises(ToolError) as caught:
        run(python("raise SystemExit('cannot reach https://me:secret@host/page')"))
    assert "secret" not in str(caught.value)
    assert "https://me:***@host/page" in str(caught.value)


def test_without_input_a_program_that_reads_ends_at_once() -> None:
    assert run(["cat"]).stdout == b""


def test_input_is_given_whole_and_the_stream_then_closed() -> None:
    given = os.urandom(3 << 20)
    assert run(["cat"], input_bytes=given).stdout == given
    assert run(["cat"], input_bytes=b"").stdout == b""


def test_a_program_that_does_not_want_its_input_is_no_fault() -> None:
    ended = run(python("import os; os.close(0); print('enough')"), input_bytes=bytes(1 << 20))
    assert ended.stdout == b"enough\n"


def test_two_full_streams_do_not_block_each_other() -> None:
    code = (
        "import os, threading\n"
        "def fill(n):\n"
        "    left = 1 << 20\n"
        "    while left: left -= os.write(n, bytes(min(left, 65536)))\n"
        "threads = [threading.Thread(target=fill, args=(n,)) for n in (1, 2)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]"
    )
    ended = run(python(code))
    assert len(ended.stdout) == 1 << 20
    assert len(ended.stderr) == tools.STDERR_TAIL


def test_of_a_long_stderr_the_end_is_kept() -> None:
    code = "import sys; sys.stderr.write('x' * 300_000 + 'the reason')"
    assert run(python(code)).stderr == "x" * (tools.STDERR_TAIL - 10) + "the reason"


def test_output_up_to_the_bound_is_whole() -> None:
    assert len(run(python("print('y' * 4999)"), most_output=5000).stdout) == 5000


def test_each_line_is_given_as_it_comes(tmp_path: Path) -> None:
    """The child goes on only once its first line was seen."""
    seen = tmp_path / "seen"
    code = (
        "import os, sys, time; print('first', flush=True)\n"
        "while not os.path.exists(sys.argv[1]): time.sleep(0.01)\n"
        "sys.stdout.write('50%\\r100%\\r\\nüber\\nlast'); print('error', file=sys.stderr)"
    )
    lines: list[str] = []

    def take(line: str) -> None:
        lines.append(line)
        seen.touch()

    ended = run(python(code, str(seen)), on_line=take, environment={"PYTHONUTF8": "1"})
    assert lines == ["first", "50%", "100%", "über", "last"]
    assert ended.stdout.decode() == "first\n50%\r100%\r\nüber\nlast"


def test_a_program_that_is_not_there_is_not_installed() -> None:
    with pytest.raises(ToolError) as caught:
        run(["no-such-program-of-centinel", "--version"])
    assert (caught.value.program, caught.value.what) == (
        "no-such-program-of-centinel",
        "not-installed",
    )
    with pytest.raises(ToolError) as caught:
        run(["/no/such/program"])
    assert caught.value.what == "not-installed"


@pytest.mark.parametrize(
    ("content", "mode"),
    [
        pytest.param(b"#!/bin/sh\n", 0o644, id="not executable"),
        pytest.param(b"\x7fELF and nothing more", 0o755, id="no program"),
        pytest.param(b"#!/no/such/interpreter\n", 0o755, id="interpreter missing"),
    ],
)
def test_a_file_that_cannot_be_started_says_so(tmp_path: Path, content: bytes, mode: int) -> None:
    file = tmp_path / "program"
    file.write_bytes(content)
    file.chmod(mode)
    with pytest.raises(ToolError) as caught:
        run([file])
    assert (caught.value.program, caught.value.what) == (str(file), "could-not-start")


def test_a_missing_folder_is_not_taken_for_a_missing_program(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="not-there") as caught:
        run(python(""), folder=tmp_path / "not-there")
    assert caught.value.what == "could-not-start"


def test_an_argument_that_no_system_takes_could_not_start() -> None:
    with pytest.raises(ToolError) as caught:
        run(["cat", "a\0b"])
    assert caught.value.what == "could-not-start"


def test_arguments_arrive_as_they_are_and_no_shell_sees_them() -> None:
    given = ["naïve Straße 東京 🏛", "$(touch x); `id` * > y", "", "a\nb", "\udcff"]
    code = "import os, sys; sys.stdout.buffer.write(b'\\0'.join(map(os.fsencode, sys.argv[1:])))"
    said = run(python(code, *given)).stdout
    assert said.split(b"\0") == [os.fsencode(each) for each in given]


def test_the_environment_is_laid_over_ours_and_the_folder_is_where_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CENTINEL_TEST_KEPT", "kept")
    code = "import os; print(os.environ['CENTINEL_TEST_KEPT'], os.environ['ADDED'], os.getcwd())"
    ended = run(python(code), environment={"ADDED": "added"}, folder=tmp_path)
    assert ended.stdout.decode().split() == ["kept", "added", str(tmp_path)]


def test_a_child_has_no_descriptor_but_its_streams(tmp_path: Path) -> None:
    with (tmp_path / "open").open("w") as stream:
        os.set_inheritable(stream.fileno(), True)
        code = "import os; print(sorted(os.listdir('/proc/self/fd'), key=int)[:-1])"
        assert run(python(code)).stdout.decode().strip() == "['0', '1', '2']"


def test_a_child_leads_a_session_of_its_own() -> None:
    ended = run(
        python("import os; print(os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid())")
    )
    assert ended.stdout == b"True True\n"


def program(folder: Path, name: str, text: str) -> Path:
    """A shell script that can be run by its name once the folder is on the PATH."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_the_version_is_the_first_line_that_is_not_empty(tmp_path: Path) -> None:
    assert tools.version_of(str(program(tmp_path, "one", "echo; echo 1.2; echo more"))) == "1.2"
    assert tools.version_of(str(program(tmp_path, "two", "echo 3.4 >&2"))) == "3.4"
    failing = program(tmp_path, "three", 'test "$1" = -v && echo 5.6; exit 1')
    assert tools.version_of(str(failing), ("-v",)) == "5.6"


def test_a_program_without_a_version_has_none(tmp_path: Path) -> None:
    assert tools.version_of("no-such-program-of-centinel") is None
    assert tools.version_of(str(program(tmp_path, "silent", "exit 0"))) is None
    assert tools.version_of(str(program(tmp_path, "killed", "echo 1; kill -9 $$"))) is None


def test_a_version_is_asked_for_once(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    file = program(tmp_path, "counted", f"echo x >> {asked}; echo 7.8")
    assert [tools.version_of(str(file)) for _ in range(3)] == ["7.8"] * 3
    assert asked.read_text() == "x\n"


def test_installed_is_what_is_on_the_path_and_can_be_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "here", "exit 0")
    program(tmp_path, "no-program", "exit 0").chmod(0o644)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert tools.is_installed("here")
    assert tools.is_installed(sys.executable)
    assert not tools.is_installed("no-program")
    assert not tools.is_installed("absent")


def test_an_error_survives_the_way_between_processes() -> None:
    import pickle

    error = pickle.loads(pickle.dumps(ToolError("ffmpeg", "failed", 1, "no such file\n", "exit")))
    assert (error.program, error.what, error.code, error.stderr) == (
        "ffmpeg",
        "failed",
        1,
        "no such file\n",
    )
