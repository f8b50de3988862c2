"""How many jobs and requests a run costs: nothing that is known is asked or read again."""

import shutil
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.workflow.conftest import Archived
from tests.workflow.place import DOCUMENTS, ENUMERATION, PAGES, Place, html, pdf, publish
from tests.workflow.running import Workflow

ONE_OF_EACH = Counter(
    {"enumerate": 1, "acquire": 1, "classify": 1, "report": 1, "overview": 1, "all": 1}
)
DERIVED_OF_PDF_2 = "derived/pdf/v2/*.jsonl"


def test_first_run_makes_every_report_and_a_second_has_nothing_to_do(archived: Archived) -> None:
    assert archived.ran.jobs == ONE_OF_EACH + Counter({"extract": 3})
    assert archived.workflow.reports() == {"report.html", "town/report.html"}
    derived = archived.workflow.derived("town")
    assert set(derived) == {archived.place.at(path) for path in (*PAGES, *DOCUMENTS)}
    assert {line["outcome"] for line in derived.values()} == {"text"}
    assert Counter(line["kind"] for line in derived.values()) == {"html": 3, "pdf": 2, "csv": 1}

    again = archived.workflow.run().succeeded()

    assert again.had_nothing_to_do
    assert not again.jobs
    assert archived.place.paths() == []


def test_unchanged_site_is_enumerated_without_a_page_or_a_reading(archived: Archived) -> None:
    before = archived.workflow.times("town", "text/**/*")

    ran = archived.workflow.run("-R", "enumerate").succeeded()

    assert ran.jobs == ONE_OF_EACH
    assert set(archived.place.paths()) == ENUMERATION
    assert archived.place.asked("/sitemap.xml") == 1
    assert archived.workflow.times("town", "text/**/*") == before
    assert archived.workflow.reports() == {"report.html", "town/report.html"}
    report = archived.workflow.json("town", "snapshot.json")
    assert (report["found"], report["new"], report["vanished"]) == (6, 0, 0)
    assert archived.workflow.run().succeeded().had_nothing_to_do


def test_one_new_document_is_one_request_and_one_reading(archived: Archived) -> None:
    archived.place.add("/documents/plan.pdf", pdf("A plan for the shore"))
    before = archived.workflow.times("town", "text/**/*")

    ran = archived.workflow.run("-R", "enumerate").succeeded()

    assert ran.kinds_read == {"pdf": 1}
    assert ran.jobs == ONE_OF_EACH + Counter({"extract": 1})
    assert archived.place.fetched() == ["/documents/plan.pdf"]
    line = archived.workflow.derived("town")[archived.place.at("/documents/plan.pdf")]
    assert line["outcome"] == "text"
    assert "A plan for the shore" in (archived.workflow.source("town") / line["text"]).read_text()
    after = archived.workflow.times("town", "text/**/*")
    assert {path: after[path] for path in before} == before
    assert archived.workflow.json("town", "snapshot.json")["new"] == 1


def test_page_with_a_newer_lastmod_is_asked_again_and_read_anew(archived: Archived) -> None:
    archived.place.add("/parks", html("Parks", words="The beach is open again"))
    archived.place.modified["/parks"] = "2000-01-01"
    archived.place.modified["/roads"] = "2999-01-01"

    nothing_newer = archived.workflow.run("-R", "enumerate").succeeded()

    assert archived.place.fetched() == [], "lastmod before and far after the last request"
    assert nothing_newer.kinds_read == {}
    observed_at = archived.workflow.states("town")[archived.place.at("/parks")]["last_checked"]
    archived.place.modified["/parks"] = _a_moment_later(observed_at)

    ran = archived.workflow.run("-R", "enumerate").succeeded()

    assert archived.place.fetched() == ["/parks"]
    assert ran.kinds_read == {"html": 1}
    line = archived.workflow.derived("town")[archived.place.at("/parks")]
    assert "open again" in (archived.workflow.source("town") / line["text"]).read_text()


def _a_moment_later(at: str) -> str:
    return (datetime.fromisoformat(at) + timedelta(milliseconds=1)).isoformat()


def test_raised_version_of_a_kind_reads_that_kind_only(archived: Archived) -> None:
    before = archived.workflow.times("town", "text/**/*")

    ran = archived.workflow.run(config=["pipeline={pdf: {version: 2}}"]).succeeded()

    assert ran.kinds_read == {"pdf": 1}
    assert ran.jobs == Counter({"extract": 1, "report": 1, "overview": 1, "all": 1})
    assert archived.place.paths() == []
    after = archived.workflow.times("town", "text/**/*")
    assert {path: after[path] for path in before} == before, "the first version's texts stay"
    assert sorted({path.split("/")[2] for path in after if path.startswith("text/pdf")}) == [
        "v1",
        "v2",
    ]
    assert archived.workflow.times("town", DERIVED_OF_PDF_2)
    again = archived.workflow.run(config=["pipeline={pdf: {version: 2}}"]).succeeded()
    assert again.had_nothing_to_do


def test_raised_version_of_the_table_of_kinds_reads_nothing_again(archived: Archived) -> None:
    before = archived.workflow.times("town", "work/*/*.jsonl")
    sidecars = archived.workflow.times("town", "blobs/**/*.kind.json")

    ran = archived.workflow.run(config=["pipeline={kinds: {version: 2}}"]).succeeded()

    assert ran.jobs == Counter({"classify": 1, "report": 1, "overview": 1, "all": 1})
    assert archived.workflow.times("town", "work/*/*.jsonl").keys() == before.keys()
    renewed = archived.workflow.times("town", "blobs/**/*.kind.json")
    assert all(renewed[path] > sidecars[path] for path in sidecars), "every kind is named again"


@pytest.mark.slow
def test_target_of_one_source_touches_that_source_only(tmp_path: Path) -> None:
    with Place() as one, Place() as other:
        publish(one)
        publish(other)
        blocks = {"one": one.block(), "other": other.block()}
        workflow = Workflow.make(tmp_path / "two", blocks)

        ran = workflow.run("results/one/report.html").succeeded()

        assert workflow.reports() == {"one/report.html"}
        assert not workflow.source("other").exists()
        assert other.paths() == []
        assert ran.jobs["enumerate"] == ran.jobs["report"] == 1
        assert ran.jobs["overview"] == 0

        rest = workflow.run().succeeded()

        assert workflow.reports() == {"report.html", "one/report.html", "other/report.html"}
        assert rest.jobs["enumerate"] == rest.jobs["report"] == 1
        one.forget_requests()
        other.forget_requests()
        before = workflow.times("other", "**/*")

        workflow.run("results/one/report.html", "-R", "enumerate").succeeded()

        assert set(one.paths()) == ENUMERATION
        assert other.paths() == []
        assert workflow.times("other", "**/*") == before


@pytest.mark.slow
def test_limit_makes_each_plain_run_go_on_until_nothing_is_left(
    place: Place, tmp_path: Path
) -> None:
    place.add_pages(f"/page-{number}" for number in range(8))
    workflow = Workflow.make(tmp_path / "limited", {"town": place.block(limit=3)})
    acquired, remaining = [], []
    for _ in range(3):
        ran = workflow.run().succeeded()
        assert ran.jobs["acquire"] == 1
        acquired.append(len(place.fetched()))
        remaining.append(workflow.json("town", "acquire.json")["remaining"])
        assert len(workflow.derived("town")) == acquired[-1], "what was acquired is read"
    assert acquired == [3, 6, 8]
    assert remaining == [5, 2, 0]
    assert workflow.json("town", "snapshot.json")["found"] == 8, "the snapshot is whole"
    assert workflow.run().succeeded().had_nothing_to_do
    assert sorted(place.fetched()) == sorted(place.listed), "nothing was asked for twice"


def test_artifacts_with_the_same_bytes_are_two_lines_that_share_a_text(archived: Archived) -> None:
    archived.place.add(
        "/documents/copy.pdf", pdf("The budget of the year", "Roads cost 120000 dollars")
    )

    archived.workflow.run("-R", "enumerate").succeeded()

    derived = archived.workflow.derived("town")
    original = derived[archived.place.at("/documents/budget.pdf")]
    copy = derived[archived.place.at("/documents/copy.pdf")]
    assert original["blob"] == copy["blob"]
    assert original["text"] == copy["text"] is not None
    assert len(archived.workflow.derived_lines("town")) == 7
    assert len(archived.workflow.texts("town")) == 6


def test_deleted_lines_are_made_again_from_kept_texts(archived: Archived) -> None:
    before = archived.workflow.times("town", "text/**/*")
    lines = archived.workflow.derived("town")
    shutil.rmtree(archived.workflow.source("town") / "derived" / "pdf")
    (archived.workflow.source("town") / "report.html").unlink()

    ran = archived.workflow.run().succeeded()

    assert ran.kinds_read == {"pdf": 1}
    assert archived.workflow.derived("town") == lines
    assert archived.workflow.times("town", "text/**/*") == before
    assert archived.workflow.reports() == {"report.html", "town/report.html"}


def test_dry_run_changes_nothing(archived: Archived) -> None:
    before = archived.workflow.times("town", "**/*")

    ran = archived.workflow.run("--dry-run", "-R", "enumerate").succeeded()

    assert "enumerate" in ran.output
    assert archived.place.paths() == []
    assert archived.workflow.times("town", "**/*") == before
    assert archived.workflow.reports() == {"report.html", "town/report.html"}


def test_pause_is_nobodys_reason_to_run_again(archived: Archived) -> None:
    archived.workflow.write_sources({"town": archived.place.block(rps=50_000)})

    assert archived.workflow.run().succeeded().had_nothing_to_do


def test_excluded_addresses_are_left_out_and_counted(archived: Archived) -> None:
    archived.place.add_pages(["/calendar/1", "/calendar/2", "/news"])
    block = archived.place.block(exclude=["/calendar/"])
    archived.workflow.write_sources({"town": block})

    archived.workflow.run("-R", "enumerate").succeeded()

    assert archived.place.fetched() == ["/news"]
    assert archived.workflow.json("town", "acquire.json")["left_out"] == 2
    assert archived.workflow.json("town", "snapshot.json")["found"] == 9
    archived.workflow.write_sources({"town": archived.place.block()})

    widened = archived.workflow.run().succeeded()

    assert widened.jobs["enumerate"] == 0
    assert sorted(archived.place.fetched()) == ["/calendar/1", "/calendar/2", "/news"]


def test_disabled_source_is_left_out_until_it_is_asked_for(archived: Archived) -> None:
    other = archived.place.block(enabled=False)
    archived.workflow.write_sources({"town": archived.place.block(), "other": other})

    assert archived.workflow.run().succeeded().had_nothing_to_do
    assert not archived.workflow.source("other").exists()

    ran = archived.workflow.run("results/other/report.html").succeeded()

    assert ran.jobs["report"] == 1
    assert archived.workflow.reports() == {"report.html", "town/report.html", "other/report.html"}


@pytest.mark.slow
def test_new_source_runs_by_itself_and_renews_the_audit_of_all(archived: Archived) -> None:
    blocks = {"town": archived.place.block(), "village": archived.place.block(match=["/parks"])}
    archived.workflow.write_sources(blocks)

    ran = archived.workflow.run().succeeded()

    assert ran.jobs == ONE_OF_EACH + Counter({"extract": 1})
    assert archived.place.fetched() == ["/parks"]
    archived.workflow.write_sources({"town": archived.place.block()})

    without = archived.workflow.run().succeeded()

    assert without.jobs == Counter({"overview": 1, "all": 1}), "a source less is another audit"
