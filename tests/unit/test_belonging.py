"""A job ends with its run, on this machine and on another; the next run takes its place."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from centinel import belonging
from centinel.belonging import OVER, RUN_VARIABLE, Run, elsewhere, this_machine
from tests.unit.children import SCRIPTS, python

JOB = """
import signal, sys
from centinel import belonging
belonging.LOOK_SECONDS = 0.05
signal.signal(signal.SIGTERM, lambda *_: (print("ended in good order"), sys.exit(7)))
belonging.end_with_run()
print("began", flush=True)
signal.pause()
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(belonging, "LOOK_SECONDS", 0.05)
    monkeypatch.setenv(RUN_VARIABLE, "")


def begun(results: Path, *touched: str, overall: bool = False) -> Run:
    return Run.begin(results, touched, overall)


def on_another_machine(run: Run) -> str:
    """What a job is told of a run whose processes it does not see."""
    return f"elsewhere.1:{run.process}:{run.place}"


@contextmanager
def job(told: str) -> Iterator["subprocess.Popen[str]"]:
    environment = {**os.environ, RUN_VARIABLE: told, "PYTHONPATH": str(SCRIPTS)}
    process = subprocess.Popen(python(JOB), env=environment, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def said(process: "subprocess.Popen[str]") -> str:
    """The next line of a job."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


# Jobs


def test_a_job_on_another_machine_ends_when_its_run_does(tmp_path: Path) -> None:
    run = begun(tmp_path, "a")
    with job(on_another_machine(run)) as process:
        assert said(process) == "began"
        run.end()
        assert said(process) == "ended in good order"
        assert process.wait() == 7


def test_a_job_on_another_machine_goes_on_until_another_run_takes_its_place(tmp_path: Path) -> None:
    killed = begun(tmp_path, "a", "b")
    with job(on_another_machine(killed)) as process:
        assert said(process) == "began"
        begun(tmp_path, "c")
        assert killed.place.exists()
        assert process.poll() is None
        begun(tmp_path, "b")
        assert said(process) == "ended in good order"


def test_a_job_on_this_machine_ends_with_the_process_of_its_run(tmp_path: Path) -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as main:
        run = Run(this_machine(), main.pid, begun(tmp_path, "a").place)
        with job(f"{run.machine}:{run.process}:{run.place}") as process:
            assert said(process) == "began"
            assert not elsewhere(run.place).exists()
            main.kill()
            assert said(process) == "ended in good order"


@pytest.mark.parametrize("machine", ["elsewhere.1", this_machine()])
def test_a_job_that_waited_longer_than_its_run_never_begins(tmp_path: Path, machine: str) -> None:
    run = begun(tmp_path, "a")
    run.end()
    told = f"{machine}:{run.process}:{run.place}"
    environment = {**os.environ, RUN_VARIABLE: told, "PYTHONPATH": str(SCRIPTS)}
    ended = subprocess.run(python(JOB), env=environment, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == f"{OVER}\n"


def test_a_file_system_that_gives_no_answer_ends_no_job(tmp_path: Path) -> None:
    run = begun(tmp_path, "a")
    unreadable = Run(run.machine, run.process, run.place / "no folder")
    assert run.stands
    assert unreadable.stands


@pytest.mark.parametrize("told", ["", "host:12", "host:x:place", "host:12:", "nonsense"])
def test_a_script_that_is_run_by_hand_belongs_to_no_run(
    monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    monkeypatch.setenv(RUN_VARIABLE, told)
    assert Run.from_environment() is None


def test_a_job_knows_the_run_that_began(tmp_path: Path) -> None:
    run = begun(tmp_path / "odd: name", "a")
    assert Run.from_environment() == run
    assert run.process == os.getpid()


# Runs


def test_what_stands_for_a_run_says_whose_it_is(tmp_path: Path) -> None:
    run = begun(tmp_path, "b", "a", overall=True)
    told = json.loads(run.place.read_text())
    assert (told["sources"], told["overall"], told["process"]) == (["a", "b"], True, os.getpid())


def test_runs_on_other_sources_stand_side_by_side(tmp_path: Path) -> None:
    runs = [begun(tmp_path, "a"), begun(tmp_path, "b"), begun(tmp_path, "c", overall=True)]
    assert all(run.stands for run in runs)
    begun(tmp_path, "d", overall=True)
    assert [run.stands for run in runs] == [True, True, False], "the audit of all is one place"


def test_a_run_waits_for_jobs_of_a_killed_one_only_where_it_had_some_elsewhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(belonging.time, "sleep", waited.append)
    begun(tmp_path, "a")
    killed = begun(tmp_path, "a")
    assert (waited, capsys.readouterr().err) == ([], "")
    elsewhere(killed.place).touch()

    begun(tmp_path, "a")

    assert waited == [2 * belonging.LOOK_SECONDS]
    assert "its jobs on other machines" in capsys.readouterr().err
    assert not elsewhere(killed.place).exists()


def test_a_finished_run_leaves_nothing(tmp_path: Path) -> None:
    run = begun(tmp_path, "a")
    elsewhere(run.place).touch()
    run.end()
    run.end()
    assert list(run.place.parent.iterdir()) == []


def test_a_torn_file_of_a_run_is_in_nobodys_way(tmp_path: Path) -> None:
    place = begun(tmp_path, "a").place.with_name("torn.json")
    place.write_text('{"sources"')
    begun(tmp_path, "a")
    assert place.exists()


def test_a_run_inherits_the_sources_on_which_one_was_killed(tmp_path: Path) -> None:
    begun(tmp_path, "county", "town")
    begun(tmp_path, "school")
    run = begun(tmp_path, "town", "port")
    assert run.inherited == {"town"}
    assert begun(tmp_path, "town").inherited == {"town"}, "that one did not end either"
    other = begun(tmp_path, "county", "school")
    assert other.inherited == {"county", "school"}, "what the others left stands until then"


def test_a_run_that_ended_leaves_nothing_to_inherit(tmp_path: Path) -> None:
    begun(tmp_path, "town").end()
    assert begun(tmp_path, "town").inherited == set()
