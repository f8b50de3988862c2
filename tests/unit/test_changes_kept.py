"""What was told of changes is told on from where it stopped, and is what the whole record tells."""

import os
import sqlite3
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centinel import changes
from centinel.files import as_lines
from centinel.journal import addresses_in, append, keep_snapshot, read_record
from centinel.record import Discovery, Line, Resource, timestamp
from centinel.store import Store
from tests.unit.support import DAY, NOON, PROPERTY, observation, sha256, status

PAGES = [f"https://town.example/{name}" for name in "abcd"]


def told(store: Store) -> bytes:
    """What the whole record tells."""
    return as_lines(changes.tell(read_record(store), partial(addresses_in, store)))


def write(store: Store) -> bytes:
    """What the job writes; Snakemake removed its last output."""
    store.changes.unlink(missing_ok=True)
    changes.write(store)
    return store.changes.read_bytes()


def seen(page: str, at: datetime, content: str) -> Line:
    """A page with this content."""
    name = sha256(content.encode())
    return observation(page, at, blob=name, fingerprint=name)


def listed(store: Store, at: datetime, pages: list[str], *, is_cut: bool, is_same: bool) -> Line:
    """The line of a snapshot."""
    name = keep_snapshot(store, at, as_lines(map(Resource, sorted(pages))))
    count = 0 if is_same else None
    return Discovery(
        timestamp(at), "sitemap", "ok", None, len(pages), is_cut, name, new=count, vanished=count
    )


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("seen"), st.sampled_from(PAGES), st.sampled_from("xy")),
        st.tuples(st.just("status"), st.sampled_from(PAGES), st.sampled_from(["gone", "error"])),
        st.tuples(st.just("listed"), st.sets(st.sampled_from(PAGES)).map(sorted), st.booleans()),
    ),
    max_size=12,
)


def line_of(store: Store, number: int, step: tuple[Any, ...]) -> tuple[datetime, Line]:
    """The line of a step, days after the one before."""
    at, (what, page, how) = NOON + number * 5 * DAY, step
    if what == "seen":
        return at, seen(page, at, how)
    if what == "status":
        return at, status(page, how, at)
    return at, listed(store, at, page, is_cut=how, is_same=False)


@settings(PROPERTY, max_examples=25)
@given(STEPS, st.sets(st.integers(0, 12)), st.none() | st.integers(0, 12))
def test_it_makes_no_difference_where_it_stopped_or_what_was_deleted(
    steps: list[Any], stops: set[int], deleted: int | None
) -> None:
    with TemporaryDirectory() as folder:
        store = Store(Path(folder), "town")
        store.record.mkdir(parents=True)
        for number, step in enumerate(steps):
            at, line = line_of(store, number, step)
            append(store.record_month(at), as_lines([line]))
            if number in stops:
                assert write(store) == told(store)
            if number == deleted:
                store.changes_kept.unlink(missing_ok=True)
        assert write(store) == told(store)
        assert write(store) == told(store)


@pytest.fixture
def kept(store: Store) -> Store:
    """A record that was told, and one line that was not."""
    lines = [
        listed(store, NOON, PAGES[:2], is_cut=False, is_same=False),
        seen(PAGES[0], NOON, "x"),
    ]
    append(store.record_month(NOON), as_lines(lines))
    write(store)
    append(store.record_month(NOON), as_lines([seen(PAGES[0], NOON + DAY, "y")]))
    return store


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The types of the lines that were read."""
    types: list[str] = []

    def spied(*arguments: Any, **more: Any) -> Any:
        for line in read_record(*arguments, **more):
            types.append(line["type"])
            yield line

    monkeypatch.setattr(changes, "read_record", spied)
    return types


def test_only_new_lines_are_read(kept: Store, read: list[str]) -> None:
    assert b'"event":"changed"' in write(kept)
    assert read == ["observation"]
    assert write(kept) == told(kept)
    assert read == ["observation"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda _content: b"",
        lambda _content: b"no database at all" * 100,
        lambda content: content[:-5000],
        lambda content: content[:4096] + bytes(4096) + content[8192:],
    ],
    ids=["empty", "garbage", "cut", "a page of zeros"],
)
def test_what_is_damaged_is_made_again(kept: Store, read: list[str], damage: Any) -> None:
    kept.changes_kept.write_bytes(damage(kept.changes_kept.read_bytes()))
    assert write(kept) == told(kept)
    assert len(read) == 3


def test_what_is_of_another_form_is_made_again(
    kept: Store, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "FORM", "of another version")
    assert write(kept) == told(kept)
    assert len(read) == 3


def test_a_record_that_was_rewritten_is_told_anew(kept: Store, read: list[str]) -> None:
    month = kept.record_month(NOON)
    month.write_bytes(month.read_bytes().replace(b"/a", b"/d"))
    os.utime(month, ns=(1, 1))
    assert write(kept) == told(kept)
    assert len(read) == 3


def test_who_finds_it_busy_tells_all_and_keeps_nothing(kept: Store, read: list[str]) -> None:
    other = sqlite3.connect(kept.changes_kept, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    before = kept.changes_kept.read_bytes()
    assert write(kept) == told(kept)
    assert len(read) == 3
    assert kept.changes_kept.read_bytes() == before
    other.close()


def test_lines_that_are_added_meanwhile_are_told_once(
    kept: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def added(*arguments: Any, **more: Any) -> Any:
        append(kept.record_month(NOON), as_lines([status(PAGES[0], "gone", NOON + 2 * DAY)]))
        return read_record(*arguments, **more)

    with monkeypatch.context() as patch:
        patch.setattr(changes, "read_record", added)
        assert write(kept).count(b"became gone") == 1
    assert write(kept) == told(kept)


def test_a_fault_halfway_leaves_what_was_told(kept: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(changes, "addresses_in", lambda *_: 1 / 0)
        append(
            kept.record_month(NOON),
            as_lines([listed(kept, NOON + 3 * DAY, PAGES, is_cut=False, is_same=False)]),
        )
        with pytest.raises(ZeroDivisionError):
            write(kept)
    assert write(kept) == told(kept)
