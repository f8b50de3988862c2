"""What a record tells is kept, told on, and never trusted where it does not fit."""

import random
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest

from centinel.report import frames, told
from centinel.report.over_time import OverTime, over_time_of
from centinel.store import Store
from tests.unit.report.recorded import Recorded, at


def from_scratch(store: Store) -> OverTime:
    """The figures of the whole record, without what is kept."""
    kept = store.over_time.read_bytes()
    store.over_time.unlink()
    found = over_time_of(store)
    store.over_time.write_bytes(kept)
    return found


def small(folder: Path) -> Recorded:
    record = Recorded.under(folder)
    record.snapshot(at(1), ["a", "b"])
    record.kept(at(1, 10), "a")
    told.keep(record.store, "")
    return record


def lines_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts the lines of each piece of a record that is read from now on."""
    counts: list[int] = []
    columns = frames._columns

    def counting(lines: bytes, schema: frames.Schema) -> pl.DataFrame:
        counts.append(len(lines.splitlines()))
        return columns(lines, schema)

    monkeypatch.setattr(frames, "_columns", counting)
    return counts


@pytest.mark.parametrize("seed", range(4))
def test_what_is_told_on_is_what_the_whole_record_tells(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    record = Recorded.under(tmp_path)
    names = [f"{number:02}" for number in range(12)]
    when = at(1, 0)
    for step in range(120):
        when += timedelta(minutes=draw.randrange(1, 900))
        event = draw.randrange(8)
        if event == 0:
            record.snapshot(when, draw.sample(names, 7), is_cut=draw.random() < 0.3)
        elif event == 1:
            record.failed(when)
        elif event < 4:
            record.kept(when, draw.choice(names))
        else:
            record.said(when, draw.choice(names), draw.choice(("live", "gone", "blocked")))
        if step % 10 == 0:
            told.keep(record.store, "")
            assert over_time_of(record.store) == from_scratch(record.store)


def test_only_lines_that_came_since_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = small(tmp_path)
    record.said(at(2), "b", "gone")
    counts = lines_read(monkeypatch)
    over_time_of(record.store)
    assert counts == [1]
    told.keep(record.store, "")
    over_time_of(record.store)
    assert counts == [1, 1]


def test_a_record_without_new_lines_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    record = small(tmp_path)
    before = record.store.over_time.stat()
    told.keep(record.store, "")
    assert record.store.over_time.stat().st_ino == before.st_ino


def test_a_month_that_begins_is_told_on(tmp_path: Path) -> None:
    record = small(tmp_path)
    record.kept(at(2, month=4), "b")
    assert over_time_of(record.store) == from_scratch(record.store)
    assert over_time_of(record.store).points[-1].kept == 2


def test_a_torn_end_is_passed_over_and_what_follows_is_told(tmp_path: Path) -> None:
    record = small(tmp_path)
    month = record.store.record_month(at(1))
    month.write_bytes(month.read_bytes() + b'{"type":"observ')
    told.keep(record.store, "")
    month.write_bytes(month.read_bytes() + b"\n")
    record.kept(at(2), "b")
    assert over_time_of(record.store) == from_scratch(record.store)
    assert over_time_of(record.store).points[-1].kept == 2


def test_a_record_that_somebody_changed_is_read_anew(tmp_path: Path) -> None:
    record = small(tmp_path)
    month = record.store.record_month(at(1))
    month.write_bytes(month.read_bytes().replace(b"example/a", b"example/b"))
    assert over_time_of(record.store) == from_scratch(record.store)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no table at all" * 100], ids=len)
def test_a_damaged_file_is_not_used(tmp_path: Path, content: bytes) -> None:
    record = small(tmp_path)
    record.store.over_time.write_bytes(content)
    assert over_time_of(record.store).points[-1].kept == 1
    told.keep(record.store, "")
    assert over_time_of(record.store) == from_scratch(record.store)


@pytest.mark.parametrize("marker", ["", "#metadata"])
def test_a_file_of_another_form_or_marker_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, marker: str
) -> None:
    record = small(tmp_path)
    if not marker:
        monkeypatch.setattr(told, "FORM", "another")
    counts = lines_read(monkeypatch)
    over_time_of(record.store, marker)
    assert counts == [2]
