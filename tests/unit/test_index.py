"""The index beside the record: whatever becomes of it, what is known is what the record tells."""

import os
import shutil
import sqlite3
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centinel import history as module
from centinel.files import as_lines
from centinel.history import History, replay
from centinel.index import MOST_CHANGED, Index
from centinel.journal import append, read_record
from centinel.known import Known
from centinel.record import Discovery, Line, Status, timestamp
from centinel.store import Store
from tests.unit.support import DAY, NOON, PROPERTY, files_under, observation, status

A, B, C = (f"https://town.example/{name}" for name in "abc")
MAY = NOON + 61 * DAY


def whole(store: Store) -> History:
    """What the whole record tells, without any index."""
    history = History()
    for line in read_record(store, history.torn):
        history.add(line)
    return history


def assert_known(store: Store, told: History) -> None:
    """The history is the one that the whole record tells."""
    wanted = whole(store)
    assert dict(told.artifacts) == dict(wanted.artifacts)
    assert told.discoveries == wanted.discoveries
    assert told.refused_pages == wanted.refused_pages
    assert told.torn.places == wanted.torn.places
    assert told.lines == wanted.lines


def keep(store: Store) -> None:
    """One job that replays the record and keeps the index."""
    history = replay(store)
    history.keep(store)
    history.artifacts.close()


@pytest.fixture
def kept(store: Store) -> Store:
    """A record of two months with its index."""
    page = "f" * 64
    march = [
        Discovery(timestamp(NOON), "sitemap", "ok", None, 2, False, "one"),
        observation(A, headers={"etag": '"1"'}, parts=[C]),
        status(B, "gone", page=page),
        status(C, "error", resource=A),
    ]
    append(store.record_month(NOON), as_lines(march))
    append(store.record_month(MAY), as_lines([status(A, "live", MAY), observation(B, MAY)]))
    keep(store)
    return store


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The artifacts of the lines that were read by replays."""
    artifacts: list[str] = []

    def spied(*arguments: object) -> object:
        for line in read_record(*arguments):  # type: ignore[arg-type]
            artifacts.append(line.get("artifact", line["type"]))
            yield line

    monkeypatch.setattr(module, "read_record", spied)
    return artifacts


def test_what_the_index_holds_is_not_read_again(kept: Store, read: list[str]) -> None:
    assert_known(kept, replay(kept))
    assert read == []


def test_only_what_was_added_since_is_read(kept: Store, read: list[str]) -> None:
    append(kept.record_month(MAY), as_lines([status(C, "blocked", MAY + DAY, resource=A)]))
    june = MAY + 31 * DAY
    append(kept.record_month(june), as_lines([observation(A, june)]))
    assert_known(kept, replay(kept))
    assert read == [C, A]


def test_an_index_that_was_deleted_is_made_again(kept: Store, read: list[str]) -> None:
    kept.index.unlink()
    keep(kept)
    assert len(read) == 6
    read.clear()
    assert_known(kept, replay(kept))
    assert read == []


def test_a_closed_month_that_was_added_to_is_read_again(kept: Store, read: list[str]) -> None:
    append(kept.record_month(NOON), as_lines([status(A, "blocked", NOON + DAY)]))
    assert_known(kept, replay(kept))
    assert len(read) == 7


@pytest.mark.parametrize("month", [NOON, MAY], ids=["closed", "newest"])
def test_a_month_that_was_rewritten_is_read_again(
    kept: Store, read: list[str], month: object
) -> None:
    path = kept.record_month(month)  # type: ignore[arg-type]
    changed = path.read_bytes().replace(b"/b", b"/x")
    path.write_bytes(changed)
    os.utime(path, ns=(1, 1))
    assert_known(kept, replay(kept))
    assert len(read) == 6


def test_a_newest_month_that_was_rewritten_longer_is_read_again(
    kept: Store, read: list[str]
) -> None:
    path = kept.record_month(MAY)
    path.write_bytes(path.read_bytes().replace(b"/b", b"/xyz") + as_lines([status(C, "gone")]))
    assert_known(kept, replay(kept))
    assert len(read) == 7


def test_a_month_that_is_not_there_any_more_is_not_remembered(kept: Store) -> None:
    kept.record_month(NOON).unlink()
    assert_known(kept, replay(kept))


def test_a_month_that_comes_before_others_is_read_in_its_place(kept: Store) -> None:
    append(kept.record_month(NOON + 31 * DAY), as_lines([status(A, "gone", NOON + 31 * DAY)]))
    assert_known(kept, replay(kept))


@pytest.mark.parametrize(
    "damage",
    [
        lambda _content: b"",
        lambda _content: b"no database at all" * 100,
        lambda content: content[:-5000],
        lambda content: content[:4096] + bytes(4096) + content[8192:],
        lambda content: content[:20] + b"\xff" * 40 + content[60:],
    ],
    ids=["empty", "garbage", "cut", "a page of zeros", "a broken head"],
)
def test_a_damaged_index_is_made_again(kept: Store, read: list[str], damage: object) -> None:
    kept.index.write_bytes(damage(kept.index.read_bytes()))  # type: ignore[operator]
    assert_known(kept, replay(kept))
    assert len(read) == 6


@pytest.mark.parametrize("value", [b"{", b"7", b"[7]"])
def test_damage_to_what_stands_beside_the_entries_is_damage(
    kept: Store, read: list[str], value: bytes
) -> None:
    database = sqlite3.connect(kept.index)
    database.execute("UPDATE facts SET value = ? WHERE name <> 'form'", (value,))
    database.commit()
    database.close()
    assert_known(kept, replay(kept))
    assert len(read) == 6


def test_an_index_of_another_form_is_made_again(
    kept: Store, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FORM", "of another version")
    assert_known(kept, replay(kept))
    assert len(read) == 6


def test_what_a_killed_job_did_not_keep_is_read_again(kept: Store, read: list[str]) -> None:
    killed = replay(kept)
    seen = [observation(f"{A}{number:05}", MAY + DAY) for number in range(2 * MOST_CHANGED)]
    for each in seen:
        killed.see(each)
    append(kept.record_month(MAY), as_lines(seen[:10]))
    copy = Store(kept.results / "copy", kept.source)
    shutil.copytree(kept.root, copy.root)  # a kill leaves the file, and the one of what to undo
    assert_known(copy, replay(copy))
    assert read == [each.artifact for each in seen[:10]]


def test_a_torn_line_is_named_once_however_often_the_record_is_read(kept: Store) -> None:
    month = kept.record_month(MAY)
    month.write_bytes(month.read_bytes() + b'{"type":"status","artif')
    for _ in range(2):
        history = replay(kept)
        assert history.torn.places == ["record/2026-05.jsonl:3"]
        history.keep(kept)
        history.artifacts.close()
    append(month, as_lines([status(C, "gone", MAY)]))
    month.write_bytes(month.read_bytes() + b"[]\n")
    history = replay(kept)
    assert history.torn.places == ["record/2026-05.jsonl:3", "record/2026-05.jsonl:5"]
    assert dict(history.artifacts) == dict(whole(kept).artifacts)


def test_who_only_looks_writes_nothing(kept: Store, read: list[str]) -> None:
    before = files_under(kept.root)
    assert_known(kept, replay(kept, is_kept=False))
    assert (read, files_under(kept.root)) == ([], before)
    append(kept.record_month(MAY), as_lines([status(A, "gone", MAY + DAY)]))
    before = files_under(kept.root)
    assert_known(kept, replay(kept, is_kept=False))
    assert (len(read), files_under(kept.root)) == (7, before)


def test_an_index_that_another_process_changes_is_left_to_it(kept: Store, read: list[str]) -> None:
    other = sqlite3.connect(kept.index, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    before = kept.index.read_bytes()
    history = replay(kept)
    assert_known(kept, history)
    history.keep(kept)
    assert len(read) == 6
    assert kept.index.read_bytes() == before
    other.close()


def test_entries_come_sorted_and_by_their_resources() -> None:
    index: Index[Known] = Index.new(None, Known.unpacked)
    places = {f"{A}!": f"{A}!", f"{A}#x": A, f"{A}/p": B, C: C, "\udcff": "\udcff"}
    for artifact, resource in places.items():
        index[artifact] = Known(resource, liveness="live")
    assert list(index) == sorted(places)
    assert [artifact for artifact, _ in index.items()] == sorted(places)
    assert len(index) == len(places)
    marked = index.of_resources(lambda resource: f"{A}#x" if resource == A else resource)
    assert [resource for resource, _ in marked] == sorted([A, f"{A}!", C, "\udcff"])
    with pytest.raises(KeyError):
        index[B]
    with pytest.raises(TypeError):
        del index[C]


def test_what_was_asked_in_this_run_is_known_from_what_was_asked_before(kept: Store) -> None:
    history = replay(kept)
    assert not any(map(history.was_asked, (A, B, C)))
    history.see(observation(A, MAY + DAY))
    history.note(status(C, "gone", MAY + DAY, resource=A))
    assert [history.was_asked(each) for each in (A, B, C)] == [True, False, True]
    history.keep(kept)
    history.artifacts.close()
    assert not any(map(replay(kept).was_asked, (A, B, C)))


LINES = st.lists(
    st.tuples(st.sampled_from([A, B, C]), st.sampled_from(["live", "gone", "seen"])), max_size=8
)


@settings(PROPERTY, max_examples=50)
@given(LINES, st.integers(0, 8))
def test_it_makes_no_difference_where_the_index_was_kept(
    steps: list[tuple[str, str]], cut: int
) -> None:
    with TemporaryDirectory() as folder:
        store = Store(Path(folder), "town")
        lines = [line_of(number, *step) for number, step in enumerate(steps)]
        for part in (lines[:cut], lines[cut:]):
            for at, line in part:
                append(store.record_month(at), as_lines([line]))
            keep(store)
        assert_known(store, replay(store))


def line_of(number: int, artifact: str, what: str) -> tuple[object, Line]:
    """The line of a step, days after the one before."""
    at = NOON + timedelta(days=9 * number)
    if what == "seen":
        return at, observation(artifact, at, parts=[C] * (number % 2))
    made: Status = status(artifact, what, at)
    return at, made
