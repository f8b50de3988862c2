"""The page of all sources."""

from dataclasses import replace
from pathlib import Path

import lxml.html
from lxml.html import HtmlElement

from centinel.configuration import Source
from centinel.files import write_whole
from centinel.report import overview, source
from centinel.report.lines import Row
from centinel.store import Store
from tests.unit.report.results import (
    PIPELINE,
    SITE,
    SOURCE,
    Results,
    clock,
    configuration,
    snapshot,
    state,
)


def named(identifier: str, enabled: bool = True) -> Source:
    return replace(SOURCE, identifier=identifier, enabled=enabled)


def made(tmp_path: Path, *sources: Source) -> tuple[list[Row], HtmlElement]:
    rows = overview.write(configuration(tmp_path, *sources), clock)
    return rows, lxml.html.document_fromstring((tmp_path / "report.html").read_bytes())


def words(element: HtmlElement) -> str:
    return " ".join(" ".join(element.itertext()).split())


def cells(page: HtmlElement) -> dict[str, list[str]]:
    """The text of every line of the table, by its first cell."""
    lines = ([words(cell) for cell in row] for row in page.xpath("//tbody/tr | //tfoot/tr"))
    return {line[0]: line[1:] for line in lines}


def good(tmp_path: Path, identifier: str) -> Store:
    results = Results(tmp_path, identifier, states=[state(SITE)])
    results.add(SITE)
    return results.write(snapshot(source=identifier, found=1, new=1))


def test_what_needs_somebody_stands_first(tmp_path: Path) -> None:
    for identifier in ("calm", "blocked"):
        good(tmp_path, identifier)
    states = [state(SITE, "blocked", reason="http 403")]
    Results(tmp_path, "blocked", states=states).write(snapshot(found=1))
    error = [state(SITE), state(SITE + "b", "error", reason="http 500")]
    Results(tmp_path, "error", states=error).write(snapshot(found=2))
    rows, page = made(tmp_path, *(named(each) for each in ("calm", "error", "blocked", "never")))
    assert [row.source for row in rows] == ["blocked", "never", "error", "calm"]
    attention = words(page.get_element_by_id("attention"))
    assert "This is a block, not an empty source." in attention
    assert "Never run: there are no figures." in attention
    assert "calm" not in attention


def test_a_source_that_was_never_run_is_said_to_be(tmp_path: Path) -> None:
    rows, page = made(tmp_path, named("never"))
    assert rows[0].summary is None
    assert cells(page)["never"][:2] == ["yes", "never run"]
    assert "1 source without figures: not in the totals." in words(page)
    assert not page.xpath("//a[contains(@href, 'never')]")


def test_lines_link_to_reports_that_are_there(tmp_path: Path) -> None:
    store = good(tmp_path, "town")
    source.write(store, named("town"), PIPELINE, clock)
    _, page = made(tmp_path, named("town"))
    assert "town/report.html" in page.xpath("//tbody//@href")
    assert words(page.get_element_by_id("attention")) == "Needs attention Nothing needs you."


def test_totals_are_sums_over_sources_and_say_at_least(tmp_path: Path) -> None:
    for identifier in ("one", "two"):
        results = Results(tmp_path, identifier, states=[state(SITE), state(SITE + "b", "gone")])
        results.add(SITE)
        results.write(snapshot(found=2, truncated=identifier == "two"), remaining=0)
    _, page = made(tmp_path, named("one"), named("two"))
    _, outcome, _, found, _, _, _, live, gone, blocked, *_ = cells(page)["All"]
    assert (outcome, found, live, gone, blocked) == ("", "at least 4", "2", "2", "0")
    assert cells(page)["two"][:4] == ["yes, urgent", "cut short", "2026-03-04", "at least 2"]
    assert cells(page)["one"][:4] == ["no", "ok", "2026-03-04", "2"]


def test_an_unknown_count_makes_its_total_the_least(tmp_path: Path) -> None:
    good(tmp_path, "good")
    failed = snapshot(outcome="failed", reason="http 503", found=None, truncated=None)
    Results(tmp_path, "failed").write(failed)
    _, page = made(tmp_path, named("good"), named("failed"))
    assert cells(page)["failed"][1:4:2] == ["failed", "unknown"]
    assert cells(page)["All"][3] == "at least 1"


def test_the_summary_that_a_report_left_is_what_counts(tmp_path: Path) -> None:
    store = good(tmp_path, "town")
    source.write(store, named("town"), PIPELINE, clock)
    store.resources.unlink()
    rows, _ = made(tmp_path, named("town"))
    assert rows[0].summary is not None
    assert rows[0].summary.live == 1


def test_a_damaged_source_does_not_take_the_others_along(tmp_path: Path) -> None:
    good(tmp_path, "good")
    write_whole(good(tmp_path, "torn").resources, b"{\n")
    rows, page = made(tmp_path, named("good"), named("torn"))
    assert {row.source: row.summary is None for row in rows} == {"good": False, "torn": True}
    assert "resources.jsonl:1: not a JSON object" in cells(page)["torn"][1]


def test_what_is_not_enabled_is_named_and_not_counted(tmp_path: Path) -> None:
    rows, page = made(tmp_path, named("off", enabled=False))
    assert rows == []
    assert "Not enabled, and so not here: off." in words(page)
    assert "No source is enabled" in words(page)
