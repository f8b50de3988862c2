"""What bounds a source bounds it in all; what fails beside a job is no failure of that job."""

import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from centinel import locks
from centinel.belonging import RUN_VARIABLE
from centinel.history import History
from centinel.share import Share
from tests.sites.server import Answer
from tests.unit.beside_jobs import Jobs, companions, jobs_of
from tests.unit.children import wait_until
from tests.unit.support import PAGE, assert_valid, source

MANY = tuple(f"/{number:02}" for number in range(30))


@pytest.fixture(autouse=True)
def of_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RUN_VARIABLE, "")


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Jobs, threading.Event]]:
    """`second` of many pages, and `own`, whose only page waits until the event is set."""
    released = threading.Event()
    with jobs_of(tmp_path, "own", "second") as jobs:
        jobs.publish("own", "/")
        jobs.sites["own"].set("/", Answer(b"<p>late</p>", PAGE, wait_for=released))
        jobs.publish("second", *MANY)
        yield jobs, released
        released.set()


def is_done(jobs: Jobs) -> bool:
    return jobs.store("second").share.exists() and bool(jobs.share("second")["is_done"])


def test_limit_bounds_what_a_run_acquires_however_many_jobs_do(
    two: tuple[Jobs, threading.Event],
) -> None:
    jobs, released = two
    jobs.blocks["second"]["limit"] = 4
    jobs.begin()
    with jobs.started("own") as process:
        wait_until(lambda: is_done(jobs), "the limit is reached")
        released.set()
        process.wait(20)
    jobs.run("second")
    assert jobs.asked("second") == list(MANY[:4])
    assert jobs.state("second")["remaining"] == len(MANY) - 4
    jobs.begin()
    jobs.run("second")
    assert jobs.asked("second") == list(MANY[:8]), "the next run has a limit of its own"
    assert jobs.state("second")["counts"]["asked"] == 4


def test_what_is_left_of_the_limit_is_for_its_own_job(tmp_path: Path) -> None:
    with jobs_of(tmp_path, "own", "second") as jobs:
        jobs.publish("own", *MANY[:10])
        jobs.publish("second", *MANY)
        jobs.blocks["second"]["limit"] = 25
        jobs.begin()
        jobs.run("own")
        assert 0 < len(jobs.asked("second")) < 25
        jobs.run("second")
        assert jobs.asked("second") == list(MANY[:25])


def test_a_companion_that_is_killed_leaves_nothing_of_the_limit(
    two: tuple[Jobs, threading.Event],
) -> None:
    jobs, released = two
    jobs.blocks["second"]["limit"] = 20
    jobs.begin()
    with jobs.started("own") as process:
        jobs.wait_for("second", 2)
        keeper = psutil.Process(process.pid).children()[0]
        (companion,) = keeper.children()
        companion.kill()
        wait_until(lambda: companion.pid not in map(_pid, companions(process)), "it is gone")
        released.set()
        assert process.wait(20) == 0
    asked = len(jobs.asked("second"))
    jobs.run("second")
    assert len(jobs.asked("second")) == asked, "it is not known how many it asked for"
    jobs.begin()
    jobs.run("second")
    assert len(jobs.asked("second")) > asked


def _pid(process: psutil.Process) -> int:
    return process.pid


def test_the_time_that_a_source_may_take_counts_beside_another_too(
    two: tuple[Jobs, threading.Event],
) -> None:
    jobs, released = two
    jobs.blocks["second"]["acquire_for"] = "1s"
    jobs.begin()
    with jobs.started("own") as process:
        wait_until(lambda: is_done(jobs), "its time is over")
        released.set()
        process.wait(20)
    asked = jobs.asked("second")
    assert 0 < len(asked) < len(MANY)
    jobs.run("second")
    assert jobs.asked("second") == asked
    assert jobs.state("second")["remaining"] == len(MANY) - len(asked)


def test_what_is_due_at_once_is_asked_once_a_run(two: tuple[Jobs, threading.Event]) -> None:
    jobs, released = two
    jobs.blocks["second"] |= {"revisit": "0s", "limit": 3}
    jobs.begin()
    with jobs.started("own") as process:
        wait_until(lambda: is_done(jobs), "the limit is reached")
        released.set()
        process.wait(20)
    # The same run, with a higher limit: what is beyond the three is asked for, and only that.
    (jobs.folder / "sources.yaml").write_text(
        (jobs.folder / "sources.yaml").read_text().replace("limit: 3", "limit: 5")
    )
    jobs.run("second")
    assert jobs.asked("second") == list(MANY[:5])


def test_a_host_that_does_not_answer_is_put_off_for_its_own_job_too(
    two: tuple[Jobs, threading.Event],
) -> None:
    jobs, released = two
    jobs.sites["second"].stop()
    jobs.begin()
    with jobs.started("own") as process:
        wait_until(lambda: is_done(jobs), "the host was given up")
        released.set()
        assert process.wait(20) == 0
    jobs.run("second")
    state = jobs.state("second")
    assert (state["counts"]["error"], state["put_off"]) == (5, len(MANY) - 5)


def test_a_companion_that_fails_is_no_failure_of_the_job_and_says_so_in_its_log(
    two: tuple[Jobs, threading.Event],
) -> None:
    jobs, released = two
    whole = jobs.store("second").snapshot.read_bytes()
    jobs.store("second").snapshot.write_bytes(b"no JSON\n")
    jobs.begin()
    with jobs.started("own") as process:
        wait_until(lambda: is_done(jobs), "it failed")
        released.set()
        assert process.wait(20) == 0
    assert "snapshot.jsonl:1: not a JSON object" in jobs.log("own")
    assert len(jobs.observed("own")) == 1
    jobs.store("second").snapshot.write_bytes(whole)
    jobs.run("second")
    assert jobs.asked("second") == list(MANY), "its own job is not kept from it"


def test_a_source_whose_record_is_in_use_is_passed_over(
    two: tuple[Jobs, threading.Event],
) -> None:
    jobs, released = two
    jobs.begin()
    with locks.held(jobs.store("second").record_lock), jobs.started("own") as process:
        wait_until(lambda: "/" in jobs.asked("own"), "it waits")
        wait_until(lambda: len(companions(process)) >= 1, "others are looked for")
        assert jobs.asked("second") == []
        released.set()
        assert process.wait(20) == 0


# What is passed on


def test_what_a_run_used_up_is_not_held_against_the_next(two: tuple[Jobs, object]) -> None:
    store = two[0].store("second")
    share = Share("first", 7, 5, 1.5, True, Counter(asked=5), Counter(host=2), ["odd"])
    share.write(store)
    assert_valid([two[0].share("second")], "share")
    assert Share.of(store, "first") == share
    assert Share.of(store, "next") == Share("next", counts=Counter(asked=5), warnings=["odd"])


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"run": "first", "counts": {}}', b"\xff"])
def test_what_cannot_be_understood_is_left(two: tuple[Jobs, object], content: bytes) -> None:
    store = two[0].store("second")
    store.share.write_bytes(content)
    assert Share.of(store, "first") == Share("first")


def test_the_others_number_in_the_index_is_gone_on_with() -> None:
    history = History(run=4)
    share = Share()
    share.count_on(history)
    assert (share.index_run, history.run) == (4, 4)
    history.run = 5
    share.count_on(history)
    assert history.run == 4


def test_a_job_says_nothing_of_a_limit_that_there_is_not(two: tuple[Jobs, object]) -> None:
    store = two[0].store("second")
    Share("first", asked=3).begin(store, source("http://a/"))
    assert Share.of(store, "first").asked == 3
    Share("first", asked=3).begin(store, source("http://a/", limit=9))
    assert Share.of(store, "first").asked == 9
