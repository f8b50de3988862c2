"""A run that is ended in the middle, however, is made up for by plain runs, and loses nothing."""

import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.workflow.conftest import Archived
from tests.workflow.place import DOCUMENTS, PAGES, Place, html, pdf, publish, refusal
from tests.workflow.running import Workflow, wait_until
from tests.workflow.sabotage import Sabotage

MANY = tuple(f"/page-{number:03d}" for number in range(100))
BLOCKED = MANY[80]
"""Artifacts are committed in groups of 64, so one group stands when this page is asked for."""

LONGEST_END = 40.0
"""Seconds in which an interrupted run ends; a waiting answer would take 60 and more."""

ENCLOSING = "/minutes-of-may"
ENCLOSED = "/attached/minutes-of-may.pdf"


def publish_many(place: Place) -> None:
    """A hundred pages, and one that encloses a document which the sitemap does not name."""
    place.add_pages(MANY)
    place.add(ENCLOSING, html("Minutes of May", links=[ENCLOSED]))
    place.set(ENCLOSED, pdf("What was said in May"))


@dataclass(frozen=True)
class Undisturbed:
    """What a run that nobody disturbed left: blob by path, and text by name."""

    blobs: dict[str, str]
    texts: dict[str, bytes]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    with Place() as place:
        publish_many(place)
        folder = tmp_path_factory.mktemp("undisturbed") / "whole"
        workflow = Workflow.make(folder, {"town": place.block()})
        workflow.run().succeeded()
        blobs = place.paths_of(workflow.blobs("town"))
        assert blobs.keys() == {*MANY, ENCLOSING, ENCLOSED}
        return Undisturbed(blobs, workflow.texts("town"))


@pytest.fixture
def many(place: Place) -> Iterator[Place]:
    publish_many(place)
    yield place


def _is_like(workflow: Workflow, place: Place, undisturbed: Undisturbed) -> None:
    """Fails unless the folder holds what an undisturbed run left, and nothing unfinished."""
    assert place.paths_of(workflow.blobs("town")) == undisturbed.blobs
    assert workflow.texts("town") == undisturbed.texts
    assert len(workflow.derived("town")) == len(undisturbed.blobs)
    assert workflow.leftovers("town") == []
    assert workflow.reports() == {"report.html", "town/report.html"}
    for blob in undisturbed.blobs.values():
        assert (workflow.source("town") / "blobs" / blob[:2] / blob[2:4] / blob).exists()


def _kill_as_it_writes(workflow: Workflow, folder: Path, script: str, moment: str) -> None:
    """Kills a run on a new snapshot while a rule's script puts a file into its place."""
    sabotage = Sabotage.make(folder, script, moment, stands_still=True)
    with workflow.started("-R", "enumerate", environment=sabotage.environment) as running:
        wait_until(lambda: sabotage.has_happened, f"{script} writes {moment}")
        running.kill()
    wait_until(lambda: not workflow.processes(), "every job ends")


def test_kill_in_the_middle_of_acquire_is_made_up_for_by_a_plain_run(
    many: Place, tmp_path: Path, undisturbed: Undisturbed
) -> None:
    workflow = Workflow.make(tmp_path / "killed", {"town": many.block()})
    hold = many.hold(BLOCKED, html(f"Page {BLOCKED.strip('/')}"))
    with workflow.started() as running:
        hold.wait()
        running.kill()
    assert workflow.reports() == set()
    recorded = workflow.observed("town")
    assert len(recorded) >= 64
    asked = {many.at(path) for path in many.fetched()}
    assert recorded < asked, "the last group was lost"
    many.set(BLOCKED, hold.answer)
    many.forget_requests()

    workflow.run().succeeded()

    again = {many.at(path) for path in many.fetched()}
    assert not recorded & again, "nothing that stands in the record is asked for again"
    assert len(many.fetched()) == len(undisturbed.blobs) - len(recorded)
    _is_like(workflow, many, undisturbed)
    assert workflow.run().succeeded().had_nothing_to_do


def test_enclosure_is_not_lost_when_a_run_is_killed_before_it(
    many: Place, tmp_path: Path, undisturbed: Undisturbed
) -> None:
    workflow = Workflow.make(tmp_path / "killed", {"town": many.block()})
    hold = many.hold(ENCLOSED, pdf("What was said in May"))
    with workflow.started() as running:
        hold.wait()
        running.kill()
    many.set(ENCLOSED, hold.answer)
    many.forget_requests()

    workflow.run().succeeded()

    assert many.asked(ENCLOSED) == 1
    _is_like(workflow, many, undisturbed)
    assert workflow.states("town")[many.at(ENCLOSING)]["owed"] == []


def test_enclosure_is_owed_when_its_page_stands_in_the_record(
    many: Place, tmp_path: Path, undisturbed: Undisturbed
) -> None:
    workflow = Workflow.make(tmp_path / "owed", {"town": many.block()})
    hold = many.hold(ENCLOSED, pdf("What was said in May"))
    with workflow.started() as running:
        hold.wait()
        running.send(signal.SIGTERM)
        running.ended().failed()
    recorded = workflow.observed("town")
    assert many.at(ENCLOSING) in recorded
    assert many.at(ENCLOSED) not in recorded
    many.set(ENCLOSED, hold.answer)
    many.forget_requests()

    workflow.run().succeeded()

    assert many.asked(ENCLOSING) == 0
    assert many.asked(ENCLOSED) == 1
    _is_like(workflow, many, undisturbed)


def test_kill_in_the_middle_of_extract_is_made_up_for_by_a_plain_run(
    many: Place, tmp_path: Path, undisturbed: Undisturbed
) -> None:
    workflow = Workflow.make(tmp_path / "killed", {"town": many.block()})
    with workflow.started() as running:
        wait_until(lambda: len(workflow.times("town", "text/html/**/*.json")) >= 3, "texts")
        running.kill()
    before = workflow.times("town", "text/**/*.json")
    assert 3 <= len(before) < len(undisturbed.texts), "the kill was in the middle"
    assert workflow.reports() == set()
    texts = {name.removesuffix(".json") + ".md" for name in before}
    written = {k: v for k, v in workflow.times("town", "text/**/*.md").items() if k in texts}
    many.forget_requests()

    ran = workflow.run().succeeded()

    assert many.paths() == []
    assert ran.jobs["acquire"] == ran.jobs["enumerate"] == 0
    _is_like(workflow, many, undisturbed)
    after = workflow.times("town", "text/**/*.md")
    assert {name: after[name] for name in written} == written, "what was read is not read again"


@pytest.mark.parametrize(
    ("script", "moment"),
    [
        ("acquire.py", "acquire.json"),
        pytest.param("enumerate.py", "snapshot.json", marks=pytest.mark.slow),
        pytest.param("classify.py", "work/pdf/*.jsonl", marks=pytest.mark.slow),
    ],
)
def test_kill_between_two_outputs_of_a_job_is_made_up_for_by_a_plain_run(
    archived: Archived, tmp_path: Path, script: str, moment: str
) -> None:
    workflow, place = archived.workflow, archived.place
    place.add("/documents/plan.pdf", pdf("A plan for the shore"))
    _kill_as_it_writes(workflow, tmp_path / "sabotage", script, moment)

    workflow.run().succeeded()

    assert len(workflow.derived("town")) == 7
    assert place.fetched() == ["/documents/plan.pdf"]
    assert workflow.reports() == {"report.html", "town/report.html"}
    assert workflow.run().succeeded().had_nothing_to_do


@pytest.mark.parametrize(
    ("script", "moment"),
    [
        ("classify.py", "blobs/*/*/*.kind.json"),
        pytest.param("enumerate.py", "record/snapshots/*.gz", marks=pytest.mark.slow),
        pytest.param("extract.py", "text/pdf/v1/*/*.md", marks=pytest.mark.slow),
        pytest.param("report.py", "tables/changes.csv", marks=pytest.mark.slow),
    ],
)
def test_what_a_killed_job_was_writing_is_removed_by_the_next_run(
    archived: Archived, tmp_path: Path, script: str, moment: str
) -> None:
    workflow, place = archived.workflow, archived.place
    place.add("/documents/plan.pdf", pdf("A plan for the shore"))
    _kill_as_it_writes(workflow, tmp_path / "sabotage", script, moment)
    assert len(workflow.leftovers("town")) == 1

    workflow.run().succeeded()

    assert workflow.leftovers("town") == []
    assert len(workflow.derived("town")) == 7


def test_what_a_killed_job_of_a_run_was_writing_is_removed_as_that_run_ends(
    archived: Archived, tmp_path: Path
) -> None:
    workflow, place = archived.workflow, archived.place
    place.add("/documents/plan.pdf", pdf("A plan for the shore"))
    moment = "blobs/*/*/*.kind.json"
    sabotage = Sabotage.make(tmp_path / "sabotage", "classify.py", moment, stands_still=True)
    with workflow.started("-R", "enumerate", environment=sabotage.environment) as running:
        wait_until(lambda: sabotage.has_happened, "classify writes a sidecar")
        for process in workflow.processes("classify.py"):
            process.kill()
        running.ended().failed()
    assert workflow.leftovers("town") == []


def test_acquire_ends_with_the_process_that_ran_it(
    many: Place, tmp_path: Path, undisturbed: Undisturbed
) -> None:
    workflow = Workflow.make(tmp_path / "orphaned", {"town": many.block()})
    hold = many.hold(BLOCKED, html(f"Page {BLOCKED.strip('/')}"))
    with workflow.started() as running:
        hold.wait()
        (orphan,) = workflow.processes("acquire.py")
        running.kill_main_process_only()
        many.set(BLOCKED, hold.answer)

        workflow.run().succeeded()

        assert not orphan.is_running()
        wait_until(lambda: not workflow.processes(), "the killed run's processes end")
    assert many.asked(BLOCKED) == 2
    assert not {each for each in MANY[:80] if many.asked(each) != 1}, "the orphan kept its work"
    _is_like(workflow, many, undisturbed)


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_signal_ends_acquire_with_what_it_has(
    many: Place, tmp_path: Path, undisturbed: Undisturbed, number: signal.Signals
) -> None:
    workflow = Workflow.make(tmp_path / "interrupted", {"town": many.block()})
    hold = many.hold(BLOCKED, html(f"Page {BLOCKED.strip('/')}"))
    with workflow.started() as running:
        hold.wait()
        running.send(number)

        ran = running.ended(within=LONGEST_END).failed()

        assert not workflow.processes(), "no job outlives the run"
    assert "Traceback" not in ran.output
    recorded = workflow.observed("town")
    assert recorded == {many.at(path) for path in many.fetched()} - {many.at(BLOCKED)}
    many.set(BLOCKED, hold.answer)
    many.forget_requests()

    workflow.run().succeeded()

    assert not recorded & {many.at(path) for path in many.fetched()}
    _is_like(workflow, many, undisturbed)


def test_interrupted_enumeration_is_no_failure_of_the_site(archived: Archived) -> None:
    workflow, place = archived.workflow, archived.place
    before = workflow.record("town")
    hold = place.hold("/sitemap.xml", refusal(500))
    with workflow.started("-R", "enumerate") as running:
        hold.wait()
        running.send(signal.SIGINT)
        ran = running.ended(within=LONGEST_END).failed()
        assert not workflow.processes(), "no job outlives the run"
    assert "Traceback" not in ran.output
    assert workflow.record("town") == before
    place.clear()
    publish(place)

    workflow.run().succeeded()

    assert workflow.json("town", "snapshot.json")["outcome"] == "ok"
    assert place.fetched() == []
    assert len(workflow.derived("town")) == 6
    assert workflow.reports() == {"report.html", "town/report.html"}


def test_interrupted_extract_says_no_traceback_and_is_made_up_for(
    archived: Archived, tmp_path: Path
) -> None:
    workflow, config = archived.workflow, ["pipeline={pdf: {version: 2}}"]
    moment = "text/pdf/v2/*/*.json"
    sabotage = Sabotage.make(tmp_path / "sabotage", "extract.py", moment, stands_still=True)
    with workflow.started(config=config, environment=sabotage.environment) as running:
        wait_until(lambda: sabotage.has_happened, "extract writes what it read")
        running.send(signal.SIGINT)
        ran = running.ended(within=LONGEST_END).failed()
        assert not workflow.processes(), "no job outlives the run"
    assert "Traceback" not in ran.output

    assert workflow.run(config=config).succeeded().kinds_read == {"pdf": 1}

    assert len(workflow.times("town", "text/pdf/v2/*/*.md")) == 2
    assert workflow.leftovers("town") == []


@pytest.mark.slow
def test_slow_site_is_finished_by_several_plain_runs(place: Place, tmp_path: Path) -> None:
    publish(place)
    for path in (*PAGES, *DOCUMENTS):
        place.slow_down(path, 0.4)
    whole = Workflow.make(tmp_path / "whole", {"town": place.block()})
    whole.run().succeeded()
    place.forget_requests()
    workflow = Workflow.make(tmp_path / "slow", {"town": place.block(acquire_for="1s")})
    remaining: list[int] = []

    while not remaining or remaining[-1]:
        assert workflow.run().succeeded().jobs["acquire"] == 1
        remaining.append(workflow.json("town", "acquire.json")["remaining"])
        assert len(workflow.derived("town")) == 6 - remaining[-1]

    assert remaining == sorted(set(remaining), reverse=True), "each run acquired something"
    assert len(remaining) >= 2
    assert sorted(place.fetched()) == sorted(place.listed)
    assert workflow.blobs("town") == whole.blobs("town")
    assert workflow.texts("town") == whole.texts("town")
    assert workflow.run().succeeded().had_nothing_to_do
