"""What a site refuses or cannot give is said where it belongs, and ends no run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.sites.server import Answer, sitemap, sitemap_index
from tests.workflow.conftest import Archived
from tests.workflow.place import PAGES, Place, html, publish, refusal
from tests.workflow.running import Workflow

REFUSALS = {
    "/refused": (refusal(403), "blocked", "http 403", 403),
    "/removed": (refusal(410), "gone", "http 410", 410),
    "/missing": (refusal(404), "gone", "http 404", 404),
    "/broken": (refusal(500), "error", "http 500", 500),
    "/private/denied": (html("Denied"), "blocked", "robots", None),
}


def test_host_that_does_not_answer_fails_alone(place: Place, tmp_path: Path) -> None:
    publish(place)
    with Place() as away:
        blocks = {"away": away.block(), "town": place.block()}
    workflow = Workflow.make(tmp_path / "away", blocks)

    workflow.run().succeeded()

    report = workflow.json("away", "snapshot.json")
    assert report["outcome"] == "failed"
    assert "robots.txt could not be had" in report["reason"]
    assert "refused" in report["reason"], "the reason names what the network said"
    assert (report["found"], report["new"], report["vanished"]) == (None, None, None)
    assert workflow.lines("away", "snapshot.jsonl") == []
    assert len(workflow.derived("town")) == 6
    assert workflow.reports() == {"report.html", "away/report.html", "town/report.html"}
    assert "robots.txt could not be had" in (workflow.source("away") / "report.html").read_text()
    assert workflow.run().succeeded().had_nothing_to_do

    strict = workflow.run(config=["strict=true"]).failed()

    assert strict.own_lines == [line for line in strict.own_lines if "away" in line] != []
    assert "Traceback" not in strict.output
    assert workflow.reports() == {"report.html", "away/report.html", "town/report.html"}


def test_strict_run_without_a_failure_succeeds(archived: Archived) -> None:
    ran = archived.workflow.run(config=["strict=true"]).succeeded()

    assert ran.jobs["strict"] == 1


def test_failed_enumeration_keeps_the_last_good_snapshot(archived: Archived) -> None:
    before = archived.workflow.lines("town", "snapshot.jsonl")
    derived = archived.workflow.derived("town")
    archived.place.set("/sitemap.xml", refusal(500))

    archived.workflow.run("-R", "enumerate").succeeded()

    report = archived.workflow.json("town", "snapshot.json")
    assert report["outcome"] == "failed"
    assert "http 500" in report["reason"]
    assert (report["found"], report["new"], report["vanished"]) == (None, None, None)
    assert archived.workflow.lines("town", "snapshot.jsonl") == before
    assert archived.workflow.derived("town") == derived
    assert archived.place.fetched() == []
    assert "http 500" in (archived.workflow.source("town") / "report.html").read_text()
    archived.place.clear()
    archived.place.add_pages(PAGES[:2])

    archived.workflow.run("-R", "enumerate").succeeded()

    report = archived.workflow.json("town", "snapshot.json")
    assert (report["outcome"], report["found"]) == ("ok", 2)
    assert (report["new"], report["vanished"]) == (0, 4), "against the last good snapshot"
    assert len(archived.workflow.derived("town")) == 6, "what vanished is kept"
    states = archived.workflow.states("town")
    assert [each["in_snapshot"] for each in states.values()].count(False) == 4


def test_child_sitemap_that_fails_makes_the_snapshot_truncated(archived: Archived) -> None:
    place = archived.place
    children = [place.at("/sitemap-pages.xml"), place.at("/sitemap-rest.xml")]
    place.set("/sitemap.xml", Answer(sitemap_index(children), "application/xml"))
    pages = [place.at(path) for path in PAGES]
    place.set("/sitemap-pages.xml", Answer(sitemap(pages), "application/xml"))
    place.set("/sitemap-rest.xml", refusal(500))

    archived.workflow.run("-R", "enumerate").succeeded()

    report = archived.workflow.json("town", "snapshot.json")
    assert (report["outcome"], report["found"], report["truncated"]) == ("ok", 3, True)
    assert (report["new"], report["vanished"]) == (0, None)
    assert [line for line in report["warnings"] if "sitemap-rest.xml" in line and "500" in line]
    discovery = [x for x in archived.workflow.record("town") if x["type"] == "discovery"][-1]
    assert (discovery["truncated"], discovery["found"], discovery["vanished"]) == (True, 3, None)
    assert "at least 3" in (archived.workflow.source("town") / "report.html").read_text()
    assert "at least 3" in (archived.workflow.results / "report.html").read_text()


def test_refusals_are_states_with_a_reason_and_never_artifacts(archived: Archived) -> None:
    for path, (answer, *_) in REFUSALS.items():
        archived.place.add(path, answer)

    archived.workflow.run("-R", "enumerate").succeeded()

    states = archived.workflow.states("town")
    for path, (_, liveness, reason, status) in REFUSALS.items():
        state = states[archived.place.at(path)]
        assert _facts(state) == (liveness, reason, status, 1), path
    assert set(archived.place.fetched()) == REFUSALS.keys() - {"/private/denied"}
    assert len(archived.place.fetched()) == 4, "none of these answers is worth a second request"
    assert len(archived.workflow.blobs("town")) == 6
    counts = archived.workflow.json("town", "acquire.json")["counts"]
    assert (counts["blocked"], counts["gone"], counts["error"]) == (2, 2, 1)
    assert archived.workflow.run().succeeded().had_nothing_to_do


def _facts(state: Mapping[str, Any]) -> tuple[str, str, int | None, int]:
    return (
        state["liveness"],
        state["reason"],
        state["http_status"],
        state["consecutive_failures"],
    )


def test_page_that_is_gone_keeps_what_was_acquired_of_it(archived: Archived) -> None:
    archived.place.set("/parks", refusal(410))
    archived.workflow.write_sources({"town": archived.place.block(revisit="0s")})

    archived.workflow.run("-R", "enumerate").succeeded()

    states = archived.workflow.states("town")
    gone = states.pop(archived.place.at("/parks"))
    assert (gone["liveness"], gone["reason"]) == ("gone", "http 410")
    assert archived.place.at("/parks") in archived.workflow.blobs("town")
    assert archived.workflow.derived("town")[archived.place.at("/parks")]["outcome"] == "text"
    assert {(each["liveness"], each["reason"]) for each in states.values()} == {
        ("live", "not-modified")
    }


@pytest.mark.parametrize("where", ["block", pytest.param("defaults", marks=pytest.mark.slow)])
def test_retry_that_became_due_is_made_by_a_plain_run(archived: Archived, where: str) -> None:
    settings = {"retry": {"error": "1s"}} if where == "block" else {}
    config = ["defaults={retry: {error: 1s}}"] if where == "defaults" else []
    place = archived.place
    archived.workflow.write_sources({"town": place.block(**settings)})
    place.add("/sometimes", refusal(500))
    archived.workflow.run("-R", "enumerate", config=config).succeeded()
    assert archived.workflow.states("town")[place.at("/sometimes")]["liveness"] == "error"
    assert archived.workflow.json("town", "acquire.json")["next_due"] is not None
    place.add("/sometimes", html("Sometimes"))
    place.forget_requests()

    later = archived.workflow.run(config=config).succeeded()

    assert place.fetched() == ["/sometimes"]
    assert place.asked("/sitemap.xml") == 0, "no new snapshot is taken"
    state = archived.workflow.states("town")[place.at("/sometimes")]
    assert (state["liveness"], state["consecutive_failures"]) == ("live", 0)
    assert later.kinds_read == {"html": 1}
    assert archived.workflow.derived("town")[place.at("/sometimes")]["outcome"] == "text"
    assert archived.workflow.run(config=config).succeeded().had_nothing_to_do
