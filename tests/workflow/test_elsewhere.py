"""Acquired on one machine and read on another: what comes back is what reading in place gives."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.sites.server import Answer
from tests.workflow.comparing import differing_columns
from tests.workflow.place import DOCUMENTS, PAGES, Place, pdf, publish
from tests.workflow.running import Workflow

READING = ("classify", "extract", "transcribe", "report")
BROUGHT_BACK = (
    "work",
    "text",
    "underivable",
    "derived",
    "tables",
    "changes.jsonl",
    "crumbs.jsonl",
    "report.html",
)
"""What docs/cluster.md brings back where nothing was acquired meanwhile."""

TEXTS = ("text", "underivable")
"""What it brings back where something may have been: plans and lines are made again from them."""

DAMAGED = Answer(b"%PDF-1.7\nnothing that could be read", "application/pdf")


def bring(one: Workflow, other: Workflow, *names: str, keeps_times: bool) -> None:
    """Copies a source, or what is named of it, as rsync does with `-a`, or with `-r` alone."""
    copy = shutil.copy2 if keeps_times else shutil.copyfile
    for name in names or (".",):
        source, target = one.source("town") / name, other.source("town") / name
        if source.is_dir():
            shutil.copytree(source, target, copy_function=copy, dirs_exist_ok=True)
        elif source.exists():
            copy(source, target)


def read_elsewhere(far: Workflow) -> None:
    """The run of docs/cluster.md on the machine that reads: it knows no rule that asks."""
    far.run("results/town/report.html", "--allowed-rules", *READING).succeeded()


def acquired(place: Place, folder: Path) -> Workflow:
    """A machine that acquired what the site has, and read nothing."""
    publish(place)
    place.add("/documents/damaged.pdf", DAMAGED)
    workflow = Workflow.make(folder, {"town": place.block()})
    ran = workflow.run("--until", "acquire").succeeded()
    assert ran.jobs == Counter({"enumerate": 1, "acquire": 1})
    place.forget_requests()
    return workflow


@pytest.mark.slow
@pytest.mark.parametrize("keeps_times", [True, False])
def test_what_was_read_elsewhere_is_what_reading_in_place_gives(
    place: Place, tmp_path: Path, keeps_times: bool
) -> None:
    near = acquired(place, tmp_path / "near")
    in_place = near.copy(tmp_path / "in place")
    in_place.run().succeeded()
    far = Workflow.make(tmp_path / "far", {"town": place.block()})
    bring(near, far, keeps_times=keeps_times)

    read_elsewhere(far)
    bring(far, near, *BROUGHT_BACK, keeps_times=keeps_times)
    ran = near.run().succeeded()

    assert ran.jobs == Counter({"overview": 1, "all": 1}), "the audit of all, and nothing else"
    assert place.paths() == [], "nobody was asked again"
    assert len(near.derived("town")) == len(PAGES) + len(DOCUMENTS) + 1
    assert near.texts("town") == in_place.texts("town") != {}
    assert near.derived("town") == in_place.derived("town")
    assert differing_columns(near.source("town"), in_place.source("town")) == set()
    assert near.run().succeeded().had_nothing_to_do


@pytest.mark.slow
@pytest.mark.parametrize("keeps_times", [True, False])
def test_what_was_acquired_meanwhile_stays_and_is_read(
    place: Place, tmp_path: Path, keeps_times: bool
) -> None:
    near = acquired(place, tmp_path / "near")
    far = Workflow.make(tmp_path / "far", {"town": place.block()})
    bring(near, far, keeps_times=keeps_times)
    place.add("/documents/plan.pdf", pdf("A plan for the shore"))
    near.run("--until", "acquire", "-R", "enumerate").succeeded()
    record = near.record("town")

    read_elsewhere(far)
    bring(far, near, *TEXTS, keeps_times=keeps_times)
    before = near.times("town", "text/**/*")
    ran = near.run().succeeded()

    assert near.record("town") == record
    assert ran.kinds_read["pdf"] == 1, "the shard of the new document"
    after = near.times("town", "text/**/*")
    assert {path: after[path] for path in before} == before, "no document is read twice"
    assert len(after) == len(before) + 2
    line = near.derived("town")[place.at("/documents/plan.pdf")]
    assert line["outcome"] == "text"
    assert near.run().succeeded().had_nothing_to_do


@pytest.mark.slow
def test_a_whole_source_that_went_there_and_back_has_nothing_to_do(
    place: Place, tmp_path: Path
) -> None:
    near = acquired(place, tmp_path / "near")
    near.run().succeeded()
    far = Workflow.make(tmp_path / "far", {"town": place.block()})
    bring(near, far, keeps_times=True)
    read_elsewhere(far)
    shutil.rmtree(near.source("town"))
    bring(far, near, keeps_times=True)

    ran = near.run().succeeded()

    assert ran.jobs in (Counter(), Counter({"overview": 1, "all": 1}))
    assert place.paths() == []
