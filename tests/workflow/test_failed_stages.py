"""A stage that fails once is made up for by the next plain run, whatever it left behind."""

from hashlib import sha256
from pathlib import Path

import pytest

from tests.workflow.conftest import Archived
from tests.workflow.place import ENUMERATION, html, pdf
from tests.workflow.sabotage import Sabotage

MOMENTS = {
    "enumerate": ("start", "record/*.jsonl", "snapshot.jsonl", "snapshot.json"),
    "acquire": ("start", "artifacts.jsonl", "acquire.json"),
    "classify": ("start", "work/pdf/*.jsonl"),
    "extract": ("start", "text/pdf/*/*/*.json", "derived/pdf/*/*.jsonl"),
    "report": ("start", "town/report.html"),
    "overview": ("start", "results/report.html"),
}
FAST = {"start", "artifacts.jsonl"}
CASES = [
    pytest.param(stage, moment, marks=[pytest.mark.slow] if moment not in FAST else [])
    for stage, moments in MOMENTS.items()
    for moment in moments
]


@pytest.mark.parametrize(("stage", "moment"), CASES)
def test_next_plain_run_makes_up_for_a_stage_that_failed(
    archived: Archived, tmp_path: Path, stage: str, moment: str
) -> None:
    archived.place.add("/documents/plan.pdf", pdf("A plan for the shore"))
    sabotage = Sabotage.make(tmp_path / "sabotage", f"{stage}.py", moment)

    failed = archived.workflow.run("-R", "enumerate", environment=sabotage.environment).failed()

    assert sabotage.has_happened, failed.output
    assert failed.jobs[stage] == 1
    assert "Traceback" not in failed.output
    if moment != "start":
        assert [line for line in failed.own_lines if "No space left" in line], failed.output

    archived.workflow.run().succeeded()

    assert archived.workflow.reports() == {"report.html", "town/report.html"}
    line = archived.workflow.derived("town")[archived.place.at("/documents/plan.pdf")]
    assert line["outcome"] == "text"
    assert len(archived.workflow.derived("town")) == 7
    assert archived.place.fetched() == ["/documents/plan.pdf"], "nothing was acquired twice"
    assert archived.workflow.leftovers("town") == []
    assert archived.workflow.run().succeeded().had_nothing_to_do


def test_stage_that_fails_keeps_no_other_source_from_its_end(
    archived: Archived, tmp_path: Path
) -> None:
    blocks = {"town": archived.place.block(), "village": archived.place.block()}
    archived.workflow.write_sources(blocks)
    archived.workflow.run().succeeded()
    sabotage = Sabotage.make(tmp_path / "sabotage", "classify.py", "town/work/pdf/*.jsonl")
    archived.place.add("/documents/plan.pdf", pdf("A plan for the shore"))

    archived.workflow.run("-R", "enumerate", environment=sabotage.environment).failed()

    assert archived.workflow.reports() == {"village/report.html"}
    assert len(archived.workflow.derived("village")) == 7
    archived.place.forget_requests()

    archived.workflow.run().succeeded()

    assert archived.workflow.reports() == {
        "report.html",
        "town/report.html",
        "village/report.html",
    }
    assert len(archived.workflow.derived("town")) == 7
    assert not ENUMERATION & set(archived.place.paths()), "what was done is not done again"


def test_failed_run_of_one_source_is_made_up_for_by_a_run_of_all(
    archived: Archived, tmp_path: Path
) -> None:
    archived.place.add("/documents/plan.pdf", pdf("A plan for the shore"))
    sabotage = Sabotage.make(tmp_path / "sabotage", "classify.py", "start")
    arguments = ("results/town/report.html", "-R", "enumerate")
    archived.workflow.run(*arguments, environment=sabotage.environment).failed()
    assert archived.workflow.reports() == {"report.html"}, "the audit of all was not asked for"

    ran = archived.workflow.run().succeeded()

    assert ran.kinds_read == {"pdf": 1}
    assert archived.workflow.reports() == {"report.html", "town/report.html"}
    assert len(archived.workflow.derived("town")) == 7


@pytest.mark.slow
def test_full_disk_in_the_middle_of_a_group_is_what_the_run_says(
    archived: Archived, tmp_path: Path
) -> None:
    paths = [f"/news-{number:02d}" for number in range(70)]
    archived.place.add_pages(paths)
    digest = sha256(html("Page news-30").body).hexdigest()
    sabotage = Sabotage.make(tmp_path / "sabotage", "acquire.py", f"blobs/*/*/{digest}")

    failed = archived.workflow.run("-R", "enumerate", environment=sabotage.environment).failed()

    assert sabotage.has_happened, failed.output
    assert len(failed.own_lines) == 1, failed.output
    assert "No space left on device" in failed.own_lines[0]
    assert len(archived.workflow.observed("town")) == 6 + 64, "the group was kept after all"
    states = {x["liveness"] for x in archived.workflow.record("town") if x["type"] == "status"}
    assert states == set(), "a full disk is no evidence about an address"

    archived.workflow.run().succeeded()

    assert sorted(archived.place.fetched()) == paths, "each was asked for once"
    assert len(archived.workflow.derived("town")) == 76
