"""News, hosts, recordings, staleness, and all sources together over time."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from centinel.changes import Change
from centinel.crumbs import Crumb
from centinel.files import write_json, write_lines
from centinel.record import timestamp
from centinel.report.over_time import Moment, OverTime
from centinel.report.stale import Stale
from centinel.report.summing import as_rows, summed
from centinel.report.transcribed import Transcribed
from centinel.report.versions import VersionFigures
from centinel.store import Store
from tests.unit.report.results import (
    AT,
    BEFORE,
    NOW,
    PIPELINE,
    SITE,
    SOURCE,
    Results,
    blob_of,
    discovery,
    figures,
    record,
    snapshot,
    state,
)


def event(number: int, name: str = "changed", at: str = AT) -> Change:
    artifact = None if name in ("appeared", "vanished") else f"{SITE}{number}"
    return Change(at, f"{SITE}{number}", artifact, name, None, None)


def test_news_is_what_came_after_the_snapshot_before_the_newest(tmp_path: Path) -> None:
    store = Results(tmp_path).write(snapshot())
    record(store, discovery(at=BEFORE), discovery(outcome="failed"), discovery(at=AT))
    listed = [event(1, "appeared", BEFORE), event(2, "appeared"), event(3), event(4)]
    write_lines(store.changes, listed)
    news = figures(store).news
    assert news.since == BEFORE
    assert news.counts == (("changed", 2), ("appeared", 1))
    assert [each.resource for each in news.events] == [f"{SITE}4", f"{SITE}3", f"{SITE}2"]
    assert news.rest == 0


def test_of_a_first_snapshot_the_addresses_are_counted_and_not_listed(tmp_path: Path) -> None:
    store = Results(tmp_path).write(snapshot())
    record(store, discovery())
    write_lines(store.changes, [event(1, "appeared"), event(2, "appeared"), event(1)])
    news = figures(store).news
    assert news.since is None
    assert news.counts == (("appeared", 2), ("changed", 1))
    assert [each.event for each in news.events] == ["changed"]
    assert news.rest == 2


def test_news_shows_five_hundred_and_counts_the_rest(tmp_path: Path) -> None:
    store = Results(tmp_path).write(snapshot())
    write_lines(store.changes, [event(number) for number in range(1203)])
    news = figures(store).news
    assert (len(news.events), news.rest, news.changed) == (500, 703, 1203)
    assert news.events[0].resource == f"{SITE}1202"


def test_news_after_a_clock_that_ran_ahead_is_not_lost(tmp_path: Path) -> None:
    store = Results(tmp_path).write(snapshot())
    record(store, discovery(at="2036-01-01T00:00:00.000000Z"), discovery(at=AT))
    write_lines(store.changes, [event(1, at=BEFORE), event(2), event(3, at="2026-03-05T00:00:00Z")])
    assert [each.resource for each in figures(store).news.events] == [f"{SITE}3", f"{SITE}2"]


def test_without_changes_there_is_no_news(tmp_path: Path) -> None:
    news = figures(Results(tmp_path).write(snapshot())).news
    assert (news.since, news.counts, news.events, news.rest) == (None, (), (), 0)


def crumb(number: int, ruling: str = "open") -> Crumb:
    carriers = [f"{SITE}{each}" for each in range(5)]
    host = f"h{number:03}.example"
    return Crumb(host, 2 * number, number, f"https://{host}/", carriers, ruling)


def test_hosts_on_most_pages_stand_first_and_the_rest_is_counted(tmp_path: Path) -> None:
    store = Results(tmp_path).write(snapshot())
    write_lines(
        store.crumbs, [crumb(each, "ignore" if each > 240 else "open") for each in range(250)]
    )
    crumbs = figures(store).crumbs
    assert (crumbs.count, crumbs.open, len(crumbs.hosts), crumbs.rest) == (250, 241, 200, 50)
    first = crumbs.hosts[0]
    assert (first.host, first.pages, first.links, first.ruling) == (
        "h249.example",
        249,
        498,
        "ignore",
    )
    assert len(first.carriers) == 3


def transcript(store: Store, blob: str, **provenance: Any) -> None:
    """What lies on disk of a recording that was transcribed."""
    path = store.recording_file("audio", PIPELINE.reading("audio").path_version, blob)
    write_json(path, {"blob": blob, "transcript": provenance})


def test_recordings_are_counted_by_engine_and_model(tmp_path: Path) -> None:
    results = Results(tmp_path)
    engine: dict[str, Any] = {"reader": "whisper", "reader_version": "1.5"}
    results.add(SITE + "a.mp3", "audio", **engine)
    results.add(SITE + "same.mp3", "audio", blob=blob_of(SITE + "a.mp3"), **engine)
    results.add(SITE + "b.mp3", "audio", "underivable", reason="no speech was heard")
    results.add(SITE + "c.mp3", "audio", "waiting", reason="not transcribed yet")
    results.add(SITE + "d.mp3", "audio", None)
    results.add(SITE + "e.pdf", "pdf")
    store = results.write(snapshot())
    said = {"engine": "whisper", "engine_version": "1.5"}
    transcript(store, blob_of(SITE + "a.mp3"), **said, seconds=61.5)
    transcript(store, blob_of(SITE + "b.mp3"), **said)
    assert figures(store).transcribed == (
        Transcribed(None, None, None, 2, 0.0, 0, 0, 2),
        Transcribed("whisper", "1.5", None, 2, 61.5, 1, 1, 0),
    )


def test_a_source_without_recordings_has_no_line_on_them(tmp_path: Path) -> None:
    results = Results(tmp_path)
    results.add(SITE)
    assert figures(results.write(snapshot())).transcribed == ()


def test_answers_and_texts_grow_stale(tmp_path: Path) -> None:
    long_ago = timestamp(NOW - SOURCE.revisit - timedelta(seconds=1))
    just_in_time = timestamp(NOW - SOURCE.revisit)
    states = [
        state(SITE + "a", last_checked=long_ago),
        state(SITE + "b", last_checked=just_in_time),
        state(SITE + "c", "blocked", last_checked=long_ago),
        state(SITE + "d", last_checked=long_ago, in_snapshot=False),
    ]
    results = Results(tmp_path, states=states)
    results.add(SITE + "old.pdf", "pdf")
    results.add(SITE + "both.pdf", "pdf")
    results.add(SITE + "none.pdf", "pdf", outcome=None)
    store = results.write(snapshot())
    old = store.derived_file("pdf", 1, "0-of-1")
    write_lines(old, results.derived)
    both = [each for each in results.derived if each.artifact.endswith("both.pdf")]
    write_lines(store.derived_file("pdf", 2, "0-of-1"), both)
    age = NOW - (NOW - timedelta(days=1, hours=4, minutes=23, seconds=53))
    assert figures(store).stale == Stale(AT, age, SOURCE.revisit, 1, 1)


def test_what_an_earlier_version_gave_stands_beside_the_new_one(tmp_path: Path) -> None:
    results = Results(tmp_path)
    results.add(SITE + "a.pdf", "pdf", recovered_by_fallback=True)
    results.add(SITE + "b.pdf", "pdf")
    results.add(SITE + "c.pdf", "pdf", "underivable")
    store = results.write(snapshot())
    assert figures(store).versions == ()
    write_lines(store.derived_file("pdf", 1, "0-of-1"), results.derived)
    write_lines(store.derived_file("pdf", 1, "0-of-2"), results.derived[:1])
    (before,) = figures(store).versions
    assert before == VersionFigures("pdf", "1", 2, 1, 0, 1)
    assert before.rate == pytest.approx(50.0)


def moment(at: str, published: int | None, kept: int, **more: Any) -> Moment:
    states = {"live": kept, "gone": 0, "blocked": 0, "error": 0}
    return Moment(at, published, kept, **states, never_asked=(published or 0) - kept, **more)


def test_sources_are_added_as_each_stood_last() -> None:
    one = as_rows(OverTime((moment("2026-01-01", 10, 5), moment("2026-01-03", 12, 6))))
    two = as_rows(OverTime((moment("2026-01-02", None, 0), moment("2026-01-04", 100, 60))))
    assert summed([one, two, []]).points == (
        moment("2026-01-01", 10, 5),
        moment("2026-01-02", 10, 5, at_least=True),
        moment("2026-01-03", 12, 6, at_least=True),
        moment("2026-01-04", 112, 66),
    )


def test_where_no_snapshot_was_taken_anywhere_nothing_is_known() -> None:
    rows = as_rows(OverTime((moment("2026-01-01", None, 0), moment("2026-01-02", None, 0))))
    assert [each.published for each in summed([rows]).points] == [None, None]


@pytest.mark.parametrize("sources", [0, 1, 3])
def test_sources_of_one_time_each_have_no_course_yet(sources: int) -> None:
    rows = [as_rows(OverTime((moment(f"2026-01-0{n + 1}", 1, 1),))) for n in range(sources)]
    assert summed(rows).points == ()


def test_many_sources_are_thinned_with_the_last_as_it_is() -> None:
    days = [f"2026-{number // 28 + 1:02}-{number % 28 + 1:02}" for number in range(300)]
    rows = [as_rows(OverTime(tuple(moment(day, 2, 1) for day in days))) for _ in range(40)]
    points = summed(rows).points
    assert len(points) == 200
    assert (points[0].at, points[-1].at) == (days[0], days[-1])
    assert (points[-1].published, points[-1].kept) == (80, 40)
