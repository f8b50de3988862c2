"""A job acquires others of its run beside its own source, and harms none of them."""

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from centinel.belonging import RUN_VARIABLE
from tests.sites.server import Answer
from tests.unit.beside_jobs import Jobs, companions, jobs_of
from tests.unit.children import is_gone, wait_until
from tests.unit.support import PAGE, assert_valid

FEW = ("/1", "/2", "/3")
MANY = tuple(f"/{number:02}" for number in range(30))


@pytest.fixture(autouse=True)
def of_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RUN_VARIABLE, "")


@pytest.fixture
def held(tmp_path: Path) -> Iterator[tuple[Jobs, threading.Event]]:
    """Three sources of few pages; the last page of `own` waits until the event is set."""
    released = threading.Event()
    with jobs_of(tmp_path, "own", "second", "third") as jobs:
        for name in jobs.sites:
            jobs.publish(name, *FEW)
        jobs.sites["own"].set("/3", Answer(b"<p>late</p>", PAGE, wait_for=released))
        yield jobs, released
        released.set()


def test_others_are_acquired_while_a_job_waits_for_its_own(
    held: tuple[Jobs, threading.Event],
) -> None:
    jobs, released = held
    jobs.begin()
    with jobs.started("own") as process:
        jobs.wait_for("second", 3)
        jobs.wait_for("third", 3)
        released.set()
        assert process.wait(20) == 0
    assert jobs.observed("own") == list(FEW)


def test_a_companion_writes_nothing_that_is_an_output_and_passes_on_what_came_of_it(
    held: tuple[Jobs, threading.Event],
) -> None:
    jobs, released = held
    run = jobs.begin()
    with jobs.started("own") as process:
        wait_until(lambda: jobs.store("second").share.exists(), "it began")
        wait_until(lambda: jobs.share("second")["is_done"], "it is done")
        released.set()
        process.wait(20)
    store, share = jobs.store("second"), jobs.share("second")
    assert not store.artifacts.exists()
    assert not store.resources.exists()
    assert not store.acquire_state.exists()
    assert_valid([share], "share")
    assert (share["run"], share["asked"], share["counts"]["stored"]) == (run.name, 3, 3)


def test_its_own_job_finds_it_asked_and_says_what_came_of_it(
    held: tuple[Jobs, threading.Event],
) -> None:
    jobs, released = held
    jobs.begin()
    with jobs.started("own") as process:
        jobs.wait_for("second", 3)
        released.set()
        process.wait(20)
    jobs.run("second")
    assert jobs.asked("second") == list(FEW), "nothing is asked twice"
    assert jobs.state("second")["counts"]["asked"] == 3
    assert jobs.state("second")["remaining"] == 0
    assert not jobs.store("second").share.exists()
    assert len(jobs.store("second").artifacts.read_bytes().splitlines()) == 3


def test_only_sources_that_the_run_acquires_are_touched(
    held: tuple[Jobs, threading.Event],
) -> None:
    jobs, released = held
    jobs.begin(acquired=["own", "second"])
    with jobs.started("own") as process:
        jobs.wait_for("second", 3)
        released.set()
        process.wait(20)
    assert jobs.sites["third"].paths() == []


def test_a_source_whose_own_job_has_begun_is_nobody_elses(
    held: tuple[Jobs, threading.Event],
) -> None:
    jobs, released = held
    jobs.begin().claim("third")
    with jobs.started("own") as process:
        jobs.wait_for("second", 3)
        released.set()
        process.wait(20)
    assert jobs.sites["third"].paths() == []


def test_a_source_whose_snapshot_is_to_be_taken_in_this_run_waits_for_it(
    held: tuple[Jobs, threading.Event],
) -> None:
    jobs, released = held
    jobs.begin(enumerated=["third"])
    with jobs.started("own") as process:
        jobs.wait_for("second", 3)
        assert jobs.sites["third"].paths() == []
        jobs.publish("third", *FEW)
        jobs.wait_for("third", 3)
        released.set()
        assert process.wait(20) == 0


def test_none_where_the_setting_says_none(held: tuple[Jobs, threading.Event]) -> None:
    jobs, released = held
    jobs.beside = 0
    jobs.begin()
    with jobs.started("own") as process:
        wait_until(lambda: "/3" in jobs.asked("own"), "it waits")
        assert companions(process) == []
        released.set()
        assert process.wait(20) == 0
    assert jobs.sites["second"].paths() == []


def test_a_source_that_is_asked_quickly_or_not_by_requests_is_left_to_its_own_job(
    held: tuple[Jobs, threading.Event],
) -> None:
    jobs, released = held
    jobs.blocks["second"]["rps"] = 50
    jobs.blocks["third"] = {"folder": "."}
    jobs.begin()
    with jobs.started("own") as process:
        wait_until(lambda: "/3" in jobs.asked("own"), "it waits")
        assert companions(process) == []
        released.set()
        assert process.wait(20) == 0


def test_two_sources_of_one_host_are_not_acquired_side_by_side(
    held: tuple[Jobs, threading.Event],
) -> None:
    jobs, released = held
    jobs.blocks["second"]["site"] = f"{jobs.sites['own'].address}/elsewhere/"
    jobs.begin()
    with jobs.started("own") as process:
        jobs.wait_for("third", 3)
        released.set()
        assert process.wait(20) == 0
    assert jobs.observed("second") == []


def test_at_most_so_many_are_acquired_beside_it(tmp_path: Path) -> None:
    with jobs_of(tmp_path, "own", "a", "b", "c") as jobs:
        for name in jobs.sites:
            jobs.publish(name, *MANY)
        jobs.beside = 2
        jobs.begin()
        with jobs.started("own") as process:
            jobs.wait_for("a", 1)
            jobs.wait_for("b", 1)
            assert len(companions(process)) == 3, "two, and the one that keeps them"
            assert jobs.sites["c"].paths() == []


def test_when_its_own_work_ends_its_companions_end_and_nothing_is_lost(tmp_path: Path) -> None:
    with jobs_of(tmp_path, "own", "second") as jobs:
        jobs.publish("own", *MANY[:15])
        jobs.publish("second", *MANY)
        jobs.begin()
        jobs.run("own")
        recorded = jobs.observed("second")
        assert 0 < len(recorded) < len(MANY)
        assert recorded == jobs.asked("second"), "what was asked stands in the record"
        assert jobs.share("second")["asked"] == len(recorded)
        jobs.run("second")
        assert jobs.asked("second") == list(MANY), "each once"
        assert jobs.state("second")["counts"]["asked"] == len(MANY)


def test_its_own_job_takes_over_while_it_is_acquired_beside_another(tmp_path: Path) -> None:
    with jobs_of(tmp_path, "own", "second") as jobs:
        jobs.publish("own", *MANY)
        jobs.publish("second", *MANY)
        jobs.begin()
        with jobs.started("own", MOST_RPS=10.0):
            jobs.wait_for("second", 3)
            before = len(jobs.asked("own"))
            jobs.run("second")
            assert jobs.asked("second") == list(MANY), "each once"
            assert jobs.state("second")["counts"]["asked"] == len(MANY)
            assert len(jobs.asked("own")) > before, "the other goes on"


def test_its_own_job_waits_for_no_answer_that_a_companion_waits_for(tmp_path: Path) -> None:
    silent = threading.Event()
    with jobs_of(tmp_path, "own", "second") as jobs:
        jobs.publish("own", *MANY)
        jobs.publish("second", *FEW)
        jobs.sites["second"].set("/2", Answer(b"<p>late</p>", PAGE, wait_for=silent))
        jobs.begin()
        with jobs.started("own", GRACE_SECONDS=0.2):
            wait_until(lambda: "/2" in jobs.asked("second"), "the companion waits")
            with jobs.started("second") as process:
                wait_until(lambda: jobs.asked("second").count("/2") == 2, "its own job asks")
                silent.set()
                assert process.wait(20) == 0
        assert jobs.observed("second") == list(FEW)
        assert jobs.asked("second").count("/1") == 1


def test_killed_with_its_companions_it_loses_nothing(tmp_path: Path) -> None:
    with jobs_of(tmp_path, "own", "second") as jobs:
        jobs.publish("own", *MANY)
        jobs.publish("second", *MANY)
        jobs.begin()
        with jobs.started("own") as process:
            jobs.wait_for("second", 3)
            others = companions(process)
            process.send_signal(signal.SIGKILL)
            wait_until(lambda: all(is_gone(each.pid) for each in others), "all end with it")
        recorded = jobs.observed("second")
        assert recorded == jobs.asked("second")[: len(recorded)]
        jobs.run("second")
        assert sorted(jobs.observed("second")) == list(MANY)
        assert all(jobs.asked("second").count(path) == 1 for path in recorded)


def test_a_signal_ends_the_job_and_its_companions_in_good_order(tmp_path: Path) -> None:
    with jobs_of(tmp_path, "own", "second") as jobs:
        jobs.publish("own", *MANY)
        jobs.publish("second", *MANY)
        jobs.begin()
        with jobs.started("own") as process:
            jobs.wait_for("second", 3)
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 0
        assert jobs.observed("second") == jobs.asked("second")
        assert jobs.observed("own") == jobs.asked("own")
