"""The audit of a source of datasets counts its requests by status."""

from pathlib import Path

import orjson

from centinel.files import write_whole
from centinel.report.ingested import ingested_of
from centinel.report.source import write
from centinel.store import Store
from tests.unit.report.results import PIPELINE, SOURCE, Results, clock, snapshot


def row(status: str, hit: bool = False, **more: object) -> dict[str, object]:
    """A row, as far as the audit reads it."""
    return {
        "hit": hit,
        "status": status,
        "request": {"base_url": f"https://x.example/{status}"},
        "ingest_strategy": "web-fileset" if hit else None,
        "file_count": 2 if hit else None,
        "total_size": 1000 if hit else None,
        "error_message": None if hit else "<b>why</b>",
        **more,
    }


def keep(store: Store, *rows: dict[str, object]) -> None:
    """Writes the results of a source."""
    write_whole(store.ingest_results, b"".join(orjson.dumps(each) + b"\n" for each in rows))


def test_requests_are_counted_by_status_hits_first(tmp_path: Path) -> None:
    store = Store(tmp_path, "town")
    assert ingested_of(store) is None
    misses = [row("not-found")] * 5 + [row("bad-request", request="no <request>")]
    keep(store, *misses, row("success", True), row("success", True, total_size=None))
    found = ingested_of(store)
    assert found is not None
    assert (found.requests, found.hits, found.files, found.size) == (8, 2, 4, 1000)
    counts = [(each.status, each.is_hit, each.count) for each in found.outcomes]
    assert counts == [("success", True, 2), ("not-found", False, 5), ("bad-request", False, 1)]
    assert [len(each.examples) for each in found.outcomes] == [2, 3, 1]
    assert found.outcomes[2].examples == (("no <request>", "<b>why</b>"),)


def test_the_page_says_how_requests_ended_and_what_needs_somebody(tmp_path: Path) -> None:
    results = Results(tmp_path).write(snapshot())
    keep(results, row("not-found"), row("success", True))
    write(results, SOURCE, PIPELINE, clock)
    page = results.report.read_text()
    assert "1 of 2 dataset requests gave no verified set." in page
    assert "<b>why</b>" not in page, "what strangers wrote is escaped"
    assert "&lt;b&gt;why&lt;/b&gt;" in page


def test_the_page_of_another_source_says_nothing_of_datasets(tmp_path: Path) -> None:
    results = Results(tmp_path).write(snapshot())
    write(results, SOURCE, PIPELINE, clock)
    assert 'id="datasets"' not in results.report.read_text()
