"""Many sources, five jobs: each acquires others beside its own, and every source stays whole."""

import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.sites.server import Answer, sitemap
from tests.workflow.place import Hold, Place, html
from tests.workflow.running import Ran, Workflow, wait_until

pytestmark = pytest.mark.slow

PAGES = tuple(f"/page-{number:02d}" for number in range(12))
RPS = 2.0
AT_ONCE = 5
"""Jobs that wait on the network at once: `profiles/default`."""


@contextmanager
def places(count: int, pages: tuple[str, ...] = PAGES) -> Iterator[dict[str, Place]]:
    """Gives so many sites of the same pages, by the id of their source."""
    with ExitStack() as opened:
        found = {f"town-{number:02d}": opened.enter_context(Place()) for number in range(count)}
        for place in found.values():
            place.add_pages(pages)
        yield found


def made(folder: Path, sites: Mapping[str, Place], **settings: Any) -> Workflow:
    blocks = {name: place.block(**{"rps": RPS, **settings}) for name, place in sites.items()}
    return Workflow.make(folder, blocks)


def acquired(workflow: Workflow, sites: Mapping[str, Place], **config: int) -> Ran:
    """Runs the workflow up to what acquire writes of each source."""
    targets = [f"{workflow.results_name}/{name}/artifacts.jsonl" for name in sites]
    return workflow.run(*targets, config=[f"{key}={value}" for key, value in config.items()])


def most_side_by_side(sites: Mapping[str, Place]) -> int:
    """How many sites were between their first page and their last at the same moment."""
    spans = []
    for place in sites.values():
        at = [request.at for request in place.requests if request.path in PAGES]
        spans += [(min(at), 1), (max(at), -1)]
    most = now = 0
    for _, change in sorted(spans):
        now += change
        most = max(most, now)
    return most


def are_whole(workflow: Workflow, sites: Mapping[str, Place]) -> None:
    """Fails unless each page of each site was asked for once, and stands in the record."""
    for name, place in sites.items():
        assert sorted(place.fetched()) == sorted(PAGES), name
        assert workflow.observed(name) == {place.at(path) for path in PAGES}
        state = workflow.json(name, "acquire.json")
        assert (state["counts"]["asked"], state["remaining"]) == (len(PAGES), 0)
        assert not (workflow.source(name) / "share.json").exists()


def test_more_sources_than_jobs_are_acquired_side_by_side_and_nothing_twice(
    tmp_path: Path,
) -> None:
    with places(14) as sites:
        workflow = made(tmp_path / "many", sites)
        ran = acquired(workflow, sites).succeeded()
        assert most_side_by_side(sites) > 2 * AT_ONCE
        are_whole(workflow, sites)
        assert ran.jobs["acquire"] == len(sites), "each source keeps a job of its own"
        assert list((workflow.results / ".runs").iterdir()) == []
        assert acquired(workflow, sites).succeeded().had_nothing_to_do


def test_without_it_five_are_acquired_at_a_time(tmp_path: Path) -> None:
    with places(14) as sites:
        workflow = made(tmp_path / "alone", sites)
        acquired(workflow, sites, beside=0).succeeded()
        assert most_side_by_side(sites) <= AT_ONCE
        are_whole(workflow, sites)


def test_a_run_of_one_source_touches_nobody_else(tmp_path: Path) -> None:
    with places(3) as sites:
        workflow = made(tmp_path / "one", sites)
        acquired(workflow, sites).succeeded()
        for place in sites.values():
            place.add_pages([*PAGES, "/news"])
            place.forget_requests()
        workflow.run("results/town-00/artifacts.jsonl", "-R", "enumerate").succeeded()
        assert sites["town-00"].asked("/news") == 1
        assert sites["town-01"].paths() == sites["town-02"].paths() == []


def test_one_dead_host_harms_nobody(tmp_path: Path) -> None:
    with places(8) as sites:
        workflow = made(tmp_path / "dead", sites)
        names = [f"results/{name}/snapshot.jsonl" for name in sites]
        workflow.run(*names).succeeded()
        for name in ("town-01", "town-06"):
            sites[name].stop()
        acquired(workflow, sites).succeeded()
        for name in ("town-01", "town-06"):
            state = workflow.json(name, "acquire.json")
            assert state["counts"] == {"asked": 5, "error": 5}
            assert (state["put_off"], state["remaining"]) == (len(PAGES) - 5, len(PAGES) - 5)
        are_whole(workflow, {k: v for k, v in sites.items() if k not in ("town-01", "town-06")})


def test_limit_holds_for_each_source(tmp_path: Path) -> None:
    with places(8) as sites:
        workflow = made(tmp_path / "limited", sites, limit=7)
        acquired(workflow, sites).succeeded()
        assert {name: len(place.fetched()) for name, place in sites.items()} == dict.fromkeys(
            sites, 7
        )


def _one_job_at_a_time(sites: Mapping[str, Place]) -> list[str]:
    return [f"results/{name}/artifacts.jsonl" for name in sites] + ["--resources", "network=1"]


def test_killed_anywhere_a_plain_run_makes_up_for_it_and_asks_nothing_twice(
    tmp_path: Path,
) -> None:
    with places(6) as sites:
        workflow = made(tmp_path / "killed", sites)
        with workflow.started(*_one_job_at_a_time(sites)) as running:
            wait_until(lambda: len(_recorded(workflow, sites)) >= 12, "some are recorded")
            running.kill()
        wait_until(lambda: not workflow.processes("acquire.py"), "companions end too")
        recorded = _recorded(workflow, sites)
        assert len({name for name, _ in recorded}) > 1, "the job had companions"
        for place in sites.values():
            place.forget_requests()
        acquired(workflow, sites).succeeded()
        for name, place in sites.items():
            assert workflow.observed(name) == {place.at(path) for path in PAGES}
            again = {(name, place.at(path)) for path in place.fetched()}
            assert not again & recorded, "nothing that stands in the record is asked for again"


def test_ended_by_a_signal_it_loses_nothing_and_leaves_no_process(tmp_path: Path) -> None:
    with places(6) as sites:
        workflow = made(tmp_path / "ended", sites)
        with workflow.started(*_one_job_at_a_time(sites)) as running:
            wait_until(lambda: len(_recorded(workflow, sites)) >= 12, "some are recorded")
            running.send(signal.SIGINT)
            running.ended().failed()
            wait_until(lambda: not workflow.processes("acquire.py"), "all have ended")
        asked = {
            (name, place.at(path)) for name, place in sites.items() for path in place.fetched()
        }
        assert asked == _recorded(workflow, sites)
        acquired(workflow, sites).succeeded()
        for name, place in sites.items():
            assert sorted(place.fetched()) == sorted(PAGES), name
            assert workflow.observed(name) == {place.at(path) for path in PAGES}


def test_a_source_gets_its_own_job_while_it_is_acquired_beside_another(tmp_path: Path) -> None:
    """The longest snapshot is acquired first, by a job that does not end; others wait beside it."""
    with places(4) as sites:
        longest = sites["town-00"]
        longest.add_pages(f"/more-{number}" for number in range(20))
        workflow = made(tmp_path / "over", sites)
        workflow.run(*(f"results/{name}/snapshot.jsonl" for name in sites)).succeeded()
        hold: Hold = longest.hold("/more-0", html("Page more-0"))
        targets = [f"results/{name}/artifacts.jsonl" for name in sites]
        with workflow.started(*targets, "--resources", "network=2") as running:
            hold.wait()
            others = {name: place for name, place in sites.items() if name != "town-00"}
            written = [workflow.source(name) / "acquire.json" for name in others]
            wait_until(lambda: all(each.exists() for each in written), "their own jobs ended")
            assert running.is_running
            are_whole(workflow, others)
            hold.released.set()
            running.ended().succeeded()


def test_enumerations_that_take_long_leave_a_slot_to_acquire(tmp_path: Path) -> None:
    with places(AT_ONCE + 2) as sites:
        workflow = made(tmp_path / "long", sites)
        workflow.run("results/town-00/snapshot.jsonl").succeeded()
        slow = [place for name, place in sites.items() if name != "town-00"]
        holds = [
            place.hold("/sitemap.xml", Answer(sitemap([place.at(PAGES[0])]), "application/xml"))
            for place in slow
        ]
        targets = [f"results/{name}/artifacts.jsonl" for name in sites]
        with workflow.started(*targets) as running:
            written = workflow.source("town-00") / "acquire.json"
            wait_until(written.exists, "it is acquired while the others are enumerated")
            assert sum(hold.reached.is_set() for hold in holds) <= AT_ONCE - 1
            for hold in holds:
                hold.released.set()
            running.ended().succeeded()


def _recorded(workflow: Workflow, sites: Mapping[str, Place]) -> set[tuple[str, str]]:
    return {(name, each) for name in sites for each in workflow.observed(name)}
