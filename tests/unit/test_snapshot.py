"""A snapshot is complete or says that it is not, and no difference is drawn that cannot be."""

from pathlib import Path

import orjson
import pytest

from centinel import snapshot
from centinel.history import replay
from centinel.http import Interrupted
from centinel.journal import read_snapshot
from centinel.record import Resource, SnapshotReport, timestamp
from centinel.sources.source_kind import Enumeration
from centinel.store import Store
from tests.unit.support import (
    DAY,
    NOON,
    Clock,
    Published,
    assert_valid,
    client,
    lines_of,
    record_of,
    source,
)

TOWN = "https://town.example"


def found(*names: str, truncated: bool = False) -> Enumeration:
    """An enumeration that gave pages of these names."""
    resources = [Resource(f"{TOWN}/{name}") for name in names]
    return Enumeration("sitemap", resources, truncated=truncated)


def failed(reason: str = "http 403") -> Enumeration:
    """An enumeration that failed."""
    return Enumeration("sitemap", reason=reason)


def take(store: Store, *enumerations: Enumeration | Exception) -> list[SnapshotReport]:
    """Takes snapshots, a day apart."""
    clock, kind = Clock(), Published(*enumerations)
    reports = []
    for _ in enumerations:
        asking = client(store.incoming)
        reports.append(snapshot.take(store, source(), kind, asking, clock))
        clock.move(DAY)
    return reports


def differences(reports: list[SnapshotReport]) -> list[tuple[int | None, int | None, int | None]]:
    return [(report.found, report.new, report.vanished) for report in reports]


def published(store: Store) -> list[str]:
    """The names in the snapshot that stands."""
    return [line["address"].removeprefix(f"{TOWN}/") for line in lines_of(store.snapshot)]


def test_everything_in_a_first_snapshot_is_new(store: Store) -> None:
    assert differences(take(store, found("a", "b", "c"))) == [(3, 3, 0)]


def test_new_and_vanished_are_differences_of_sets(store: Store) -> None:
    reports = take(store, found("a", "b", "c"), found("c", "d", "e"), found("c", "d", "e"))
    assert differences(reports) == [(3, 3, 0), (3, 2, 2), (3, 0, 0)]


def test_nothing_vanished_from_a_truncated_snapshot(store: Store) -> None:
    reports = take(store, found("a", "b"), found("b", "c", truncated=True))
    assert differences(reports)[1] == (2, 1, None)
    assert (reports[1].outcome, reports[1].truncated) == ("ok", True)


def test_no_difference_is_drawn_against_a_truncated_snapshot(store: Store) -> None:
    reports = take(store, found("a", truncated=True), found("a", "b"), found("b"))
    assert differences(reports) == [(1, 1, None), (2, None, None), (1, 0, 1)]


def test_a_first_snapshot_that_is_truncated_is_all_new(store: Store) -> None:
    (report,) = take(store, found("a", "b", truncated=True))
    assert (report.found, report.new, report.vanished) == (2, 2, None)


def test_a_failed_enumeration_keeps_the_last_good_snapshot(store: Store) -> None:
    reports = take(store, found("a", "b"), failed(), failed("http 500"))
    assert published(store) == ["a", "b"]
    assert differences(reports)[1:] == [(None, None, None)] * 2
    assert [(each.outcome, each.reason) for each in reports[1:]] == [
        ("failed", "http 403"),
        ("failed", "http 500"),
    ]
    assert [each.truncated for each in reports[1:]] == [None, None]


def test_the_next_difference_is_drawn_against_the_last_good_snapshot(store: Store) -> None:
    reports = take(store, found("a", "b"), failed(), found("b", "c"))
    assert differences(reports)[2] == (2, 1, 1)


def test_a_first_enumeration_that_fails_leaves_an_empty_snapshot(store: Store) -> None:
    take(store, failed())
    assert store.snapshot.read_bytes() == b""
    assert not list(store.record.glob("snapshots/*"))


def test_an_empty_snapshot_is_no_failure(store: Store) -> None:
    reports = take(store, found("a"), found())
    assert differences(reports)[1] == (0, 0, 1)
    assert published(store) == []


def test_a_snapshot_is_sorted_and_holds_no_times(store: Store) -> None:
    listing = found("b", "a/2", "a", "B")
    listing.resources.append(Resource(f"{TOWN}/c", "2026-02-02", "Fees", "document"))
    take(store, listing)
    assert published(store) == ["B", "a", "a/2", "b", "c"]
    lines = lines_of(store.snapshot)
    assert lines[0] == {"address": f"{TOWN}/B"}
    assert lines[4] == {
        "address": f"{TOWN}/c",
        "lastmod": "2026-02-02",
        "title": "Fees",
        "hint": "document",
    }
    assert_valid(lines, "resource")
    assert b"2026-03" not in store.snapshot.read_bytes()


def test_two_runs_that_find_the_same_write_the_same_bytes(store: Store) -> None:
    take(store, found("a", "b"))
    first = store.snapshot.read_bytes()
    take(store, found("b", "a"))
    assert store.snapshot.read_bytes() == first


def test_the_record_has_every_enumeration_and_every_snapshot(store: Store) -> None:
    take(store, found("a", "b"), failed(), found("b"))
    lines = record_of(store)
    assert [(line["type"], line["outcome"], line["found"]) for line in lines] == [
        ("discovery", "ok", 2),
        ("discovery", "failed", None),
        ("discovery", "ok", 1),
    ]
    assert_valid(lines, "record_line")
    names = [line["snapshot"] for line in lines]
    assert names[1] is None
    kept = [[each.address for each in read_snapshot(store, name)] for name in (names[0], names[2])]
    assert kept == [[f"{TOWN}/a", f"{TOWN}/b"], [f"{TOWN}/b"]]


def test_everything_about_an_enumeration_reaches_the_report_and_the_record(store: Store) -> None:
    listing = found("a")
    listing.notes.append("robots.txt was read")
    listing.figures["sitemaps_fetched"] = 2
    listing.cut("one sitemap was not read")
    (report,) = take(store, listing)
    written = orjson.loads(store.snapshot_report.read_bytes())
    assert written == report.to_json()
    assert_valid([written], "snapshot_report")
    assert (written["source"], written["method"]) == ("town", "sitemap")
    assert written["taken_at"] == timestamp(NOON)
    (line,) = record_of(store)
    for told in (written, line):
        assert told["notes"] == ["robots.txt was read"]
        assert told["warnings"] == ["one sitemap was not read"]
        assert told["figures"] == {"sitemaps_fetched": 2}


def test_what_is_unexpected_is_a_failure_of_this_enumeration(store: Store) -> None:
    reports = take(store, found("a"), ValueError("odd input"))
    assert (reports[1].outcome, reports[1].reason) == (
        "failed",
        "unexpected: ValueError: odd input",
    )
    assert published(store) == ["a"]


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), Interrupted("ended")])
def test_a_fault_of_this_machine_and_an_end_are_no_evidence(store: Store, fault: Exception) -> None:
    take(store, found("a"))
    before = store.snapshot.read_bytes(), store.snapshot_report.read_bytes(), record_of(store)
    with pytest.raises(type(fault)):
        take(store, fault)
    after = store.snapshot.read_bytes(), store.snapshot_report.read_bytes(), record_of(store)
    assert after == before


def test_the_last_snapshot_is_read_from_the_record_not_from_the_output(store: Store) -> None:
    take(store, found("a", "b"))
    for output in (store.snapshot, store.snapshot_report):
        output.unlink()  # as Snakemake does before a job runs
    reports = take(store, failed())
    assert published(store) == ["a", "b"]
    assert reports[0].outcome == "failed"


def test_the_kept_snapshot_of_a_good_enumeration_is_the_one_that_is_compared(
    store: Store, tmp_path: Path
) -> None:
    take(store, found("a"), failed())
    good = replay(store).last_good_discovery()
    assert good is not None
    assert good.snapshot is not None
    assert (store.root / good.snapshot).is_relative_to(tmp_path)
    assert read_snapshot(store, good.snapshot) == [Resource(f"{TOWN}/a")]
