"""How a source stood over time, from its record."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel.files import to_bytes
from centinel.journal import append, read_record, read_snapshot
from centinel.record import Discovery, Json, Status, timestamp
from centinel.report import frames
from centinel.report.over_time import Moment, forwards, over_time_of, thinned
from tests.unit.report.recorded import SITE, Recorded, at


def figures(point: Moment) -> tuple[int | None, int, int, int, int, int, int]:
    return (
        point.published,
        point.kept,
        point.live,
        point.gone,
        point.blocked,
        point.error,
        point.never_asked,
    )


def test_without_a_record_there_is_nothing_to_say(tmp_path: Path) -> None:
    assert over_time_of(Recorded.under(tmp_path).store).points == ()


def test_a_first_run_is_one_point_at_its_end(tmp_path: Path) -> None:
    record = Recorded.under(tmp_path)
    record.snapshot(at(1), ["a", "b", "c"])
    record.kept(at(1, 10), "a")
    record.said(at(1, 11), "b", "blocked")
    (point,) = over_time_of(record.store).points
    assert point == Moment(timestamp(at(1, 11)), 3, 1, 1, 0, 1, 0, 1)


def test_each_day_of_a_pass_is_a_point(tmp_path: Path) -> None:
    record = Recorded.under(tmp_path)
    record.snapshot(at(1), ["a", "b"])
    record.kept(at(1, 10), "a")
    record.kept(at(2, 1), "b")
    points = over_time_of(record.store).points
    assert [figures(each) for each in points] == [(2, 1, 1, 0, 0, 0, 1), (2, 2, 2, 0, 0, 0, 0)]


def test_a_check_of_the_blobs_is_no_time_of_its_own(tmp_path: Path) -> None:
    record = Recorded.under(tmp_path)
    record.snapshot(at(1), ["a"])
    record.kept(at(1, 10), "a")
    before = over_time_of(record.store).points
    line = {"type": "fixity", "at": timestamp(at(3)), "shard": "0-of-1", "lost": []}
    append(record.store.record_months()[-1], to_bytes(line) + b"\n")
    assert over_time_of(record.store).points == before


def test_what_was_kept_counts_whatever_was_answered_since(tmp_path: Path) -> None:
    record = Recorded.under(tmp_path)
    record.snapshot(at(1), ["a", "b"])
    record.kept(at(1, 10), "a")
    record.said(at(1, 11), "b", "error")
    record.snapshot(at(2), ["a", "b"])
    record.said(at(2, 10), "a", "gone")
    record.said(at(2, 11), "b", "gone")
    points = over_time_of(record.store).points
    assert [figures(each) for each in points] == [(2, 1, 1, 0, 0, 1, 0), (2, 1, 0, 2, 0, 0, 0)]


def test_only_what_is_published_then_counts(tmp_path: Path) -> None:
    record = Recorded.under(tmp_path)
    record.snapshot(at(1), ["a", "b"])
    record.kept(at(1, 10), "a")
    record.kept(at(1, 11), "a.pdf")
    record.snapshot(at(2), ["b", "c"])
    record.snapshot(at(3), ["a", "b", "c"])
    points = over_time_of(record.store).points
    assert [figures(each) for each in points] == [
        (2, 1, 1, 0, 0, 0, 1),
        (2, 0, 0, 0, 0, 0, 2),
        (3, 1, 1, 0, 0, 0, 2),
    ]


def test_a_failed_first_enumeration_publishes_an_unknown_number(tmp_path: Path) -> None:
    record = Recorded.under(tmp_path)
    record.failed(at(1))
    record.snapshot(at(2), ["a"])
    points = over_time_of(record.store).points
    assert [each.published for each in points] == [None, 1]


def test_a_failed_enumeration_leaves_the_snapshot_before_standing(tmp_path: Path) -> None:
    record = Recorded.under(tmp_path)
    record.snapshot(at(1), ["a", "b"])
    record.failed(at(2))
    record.said(at(2, 10), "a", "blocked")
    assert figures(over_time_of(record.store).points[-1]) == (2, 0, 0, 0, 1, 0, 1)


def test_a_cut_snapshot_is_the_least_that_was_published(tmp_path: Path) -> None:
    record = Recorded.under(tmp_path)
    record.snapshot(at(1), ["a", "b", "c"])
    record.snapshot(at(2), ["a"], is_cut=True)
    record.snapshot(at(3), ["a", "b"])
    points = over_time_of(record.store).points
    assert [(each.published, each.at_least) for each in points] == [
        (3, False),
        (1, True),
        (2, False),
    ]


def test_a_snapshot_that_is_lost_leaves_out_its_times(tmp_path: Path) -> None:
    record = Recorded.under(tmp_path)
    record.snapshot(at(1), ["a"])
    record.snapshot(at(2), ["a", "b"])
    record.failed(at(3))
    record.snapshot(at(4), ["a", "c"])
    record.store.kept_snapshot(at(2)).unlink()
    found = over_time_of(record.store)
    assert [(each.at, each.published) for each in found.points] == [
        (timestamp(at(1)), 1),
        (timestamp(at(4)), 2),
    ]
    assert found.left_out == 2


def test_torn_lines_are_passed_over(tmp_path: Path) -> None:
    record = Recorded.under(tmp_path)
    record.snapshot(at(1), ["a", "b"])
    month = record.store.record_month(at(1))
    for torn in (b'{"type":"observ\n', b"[1, 2]\n", b"\x00\xff\n", b'{"type": 7, "at": 1}\n'):
        with month.open("ab") as stream:
            stream.write(torn)
    record.kept(at(1, 10), "a")
    assert figures(over_time_of(record.store).points[-1]) == (2, 1, 1, 0, 0, 0, 1)


def test_lines_are_read_in_pieces_and_none_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "CHUNK", 300)
    record = Recorded.under(tmp_path)
    record.snapshot(at(1), [f"{number:02}" for number in range(30)])
    for number in range(30):
        record.kept(at(1, 10, number), f"{number:02}")
    assert figures(over_time_of(record.store).points[-1]) == (30, 30, 30, 0, 0, 0, 0)


def test_an_address_stands_by_the_artifact_that_its_kind_names(tmp_path: Path) -> None:
    record = Recorded.under(tmp_path, marker="#metadata")
    record.snapshot(at(1), ["a", "b"])
    record.kept(at(1, 10), "a")
    bare = Status(timestamp(at(1, 11)), SITE + "b", SITE + "b", "gone", "", 1, "why", None)
    record.write(bare, at(1, 11))
    found = over_time_of(record.store, "#metadata")
    assert figures(found.points[-1]) == (2, 1, 1, 0, 0, 0, 1)


def test_what_was_written_while_the_clock_was_wrong_is_no_time_of_its_own(tmp_path: Path) -> None:
    record = Recorded.under(tmp_path)
    record.snapshot(at(1), ["a", "b"])
    record.snapshot(at(9, month=11), ["a", "b", "c"])
    record.kept(at(9, 10, month=11), "a")
    record.snapshot(at(3), ["a", "b", "c"])
    record.snapshot(at(4), ["a", "b", "c", "d"])
    points = over_time_of(record.store).points
    assert [(each.at[:10], each.published, each.kept) for each in points] == [
        ("2026-03-01", 2, 0),
        ("2026-03-03", 3, 1),
        ("2026-03-04", 4, 1),
    ]


def test_thousands_of_times_are_thinned_with_the_first_and_the_last(tmp_path: Path) -> None:
    record = Recorded.under(tmp_path)
    record.snapshot(at(1), ["a"])
    days = [datetime(2020, 1, 1, 9, tzinfo=UTC) + timedelta(days=each) for each in range(2500)]
    path = record.store.record_month(at(1))
    line = Discovery("", "sitemap", "failed", "http 503", None, None, None).to_json()
    lines = [orjson.dumps({**line, "at": timestamp(day)}) for day in days]
    path.write_bytes(path.read_bytes() + b"\n".join(lines) + b"\n")
    points = over_time_of(record.store).points
    assert len(points) == 200
    assert (points[0].at, points[-1].at) == (timestamp(days[0]), timestamp(days[-1]))
    assert len({each.at for each in points}) == 200


@given(st.integers(1, 5000), st.integers(2, 300))
def test_thinning_keeps_both_ends_and_the_order(count: int, most: int) -> None:
    kept = thinned(range(count), most)
    assert len(kept) == min(count, most)
    assert kept == sorted(set(kept))
    assert (kept[0], kept[-1]) == (0, count - 1)


@given(st.lists(st.sampled_from("abcdef"), max_size=12))
def test_forwards_is_the_longest_row_that_does_not_go_backwards(times: list[str]) -> None:
    found = [times[place] for place in forwards(times)]
    assert found == sorted(found)
    longest = [0] * len(times)
    for place, time in enumerate(times):
        before = (longest[each] for each in range(place) if times[each] <= time)
        longest[place] = 1 + max(before, default=0)
    assert len(found) == max(longest, default=0)


def recomputed(record: Recorded, ends: list[str]) -> list[tuple[int | None, ...]]:
    """The same figures by simple loops: how all addresses stood after each of these times."""
    listed: set[str] | None = None
    states: dict[str, str] = {}
    kept: set[str] = set()
    found: dict[str, tuple[int | None, ...]] = {}
    for line in read_record(record.store):
        take(line, states, kept)
        if line["type"] == "discovery" and line["outcome"] == "ok":
            listed = {each.address for each in read_snapshot(record.store, line["snapshot"])}
        shown = listed or set()
        counts = [sum(states.get(each) == name for each in shown) for name in STATES]
        found[line["at"]] = (None if listed is None else len(shown), len(shown & kept), *counts)
    return [found[end] for end in ends]


STATES = ("live", "gone", "blocked", "error", None)


def take(line: Json, states: dict[str, str], kept: set[str]) -> None:
    if line["type"] == "observation":
        states[line["artifact"]] = "live"
        kept.add(line["artifact"])
    if line["type"] == "status":
        states[line["artifact"]] = line["liveness"]


@pytest.mark.parametrize("seed", range(8))
def test_every_figure_is_what_simple_loops_find(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    record = Recorded.under(tmp_path)
    names = [f"{number:02}" for number in range(20)]
    when = at(1, 0)
    for _ in range(300):
        when += timedelta(minutes=draw.randrange(1, 200))
        name = draw.choice(names)
        event = draw.randrange(20)
        if event == 0:
            record.snapshot(when, draw.sample(names, 12), is_cut=draw.random() < 0.3)
        elif event == 1:
            record.snapshot(when, [each.removeprefix(SITE) for each in record.listed])
        elif event == 2:
            record.failed(when)
        elif event < 10:
            record.kept(when, name, str(event))
        else:
            record.said(when, name, draw.choice(("live", "gone", "blocked", "error")))
    points = over_time_of(record.store).points
    assert len(points) > 20
    assert [figures(each) for each in points] == recomputed(record, [each.at for each in points])
