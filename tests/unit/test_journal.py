"""The record is only added to, names no bytes that are not there, and replays to what is known."""

import os
from datetime import UTC, datetime, timedelta, timezone
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel import journal
from centinel.files import as_lines, parse_line, to_bytes
from centinel.history import History, replay
from centinel.journal import Journal, append, read_record
from centinel.record import Liveness, Observation, timestamp
from centinel.store import Store
from tests.unit.support import (
    NOON,
    PROPERTY,
    assert_valid,
    lines_of,
    observation,
    observed_in,
    record_of,
    sha256,
    status,
)

A, B = "https://town.example/a", "https://town.example/b"


def incoming(store: Store, name: str, content: bytes) -> Path:
    """A body on its way into the blobs."""
    path = store.incoming / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def observed(artifact: str, content: bytes, **changes: Any) -> Observation:
    """An observation of these bytes."""
    return observation(artifact, blob=sha256(content), size=len(content), **changes)


def add(written: Journal, artifact: str, content: bytes) -> None:
    """Adds an observation with its bytes."""
    body = incoming(written.store, f"body-{artifact.rpartition('/')[2]}", content)
    written.add(NOON, observed(artifact, content), body)


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time stands still: no group is written because of its age."""
    monkeypatch.setattr(journal, "GROUP_SECONDS", 1e9)


# Bytes before lines


def test_a_line_is_written_with_the_bytes_that_it_names(store: Store) -> None:
    written = Journal(store)
    add(written, A, b"minutes")
    written.commit()
    assert store.blob(sha256(b"minutes")).read_bytes() == b"minutes"
    assert list(store.incoming.iterdir()) == []
    (line,) = record_of(store)
    assert (line["type"], line["artifact"], line["blob"]) == ("observation", A, sha256(b"minutes"))
    assert_valid([line], "record_line")


@pytest.mark.usefixtures("still")
def test_a_crash_between_bytes_and_lines_leaves_no_line_without_its_bytes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = Journal(store)
    add(written, A, b"minutes")
    monkeypatch.setattr(journal, "append", crash)
    with pytest.raises(SystemExit):
        written.commit()
    assert store.blob(sha256(b"minutes")).read_bytes() == b"minutes"
    assert list(read_record(store)) == []


def crash(*_arguments: object) -> None:
    """Ends the process, as a power cut would."""
    raise SystemExit


@pytest.mark.usefixtures("still")
def test_bytes_are_synced_before_they_are_named_and_names_before_lines(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        done.append(f"{path.name} {'named' if store.blob(blob).exists() else 'unnamed'}")
        real(descriptor)

    blob = sha256(b"minutes")
    written = Journal(store)
    add(written, A, b"minutes")
    monkeypatch.setattr(os, "fsync", fsync)
    written.commit()
    month = f"{NOON:%Y-%m}.jsonl"
    assert done[:3] == ["body-a unnamed", f"{blob[2:4]} named", f"{month} named"]


@pytest.mark.usefixtures("still")
def test_the_same_bytes_twice_are_two_lines_and_one_blob(store: Store) -> None:
    written = Journal(store)
    add(written, A, b"minutes")
    add(written, B, b"minutes")
    written.commit()
    add(written, A, b"minutes")
    written.commit()
    assert observed_in(store) == [A, B, A]
    assert list(store.incoming.iterdir()) == []
    assert len(list(store.blobs.rglob(sha256(b"minutes")))) == 1


@pytest.mark.usefixtures("still")
def test_bytes_in_memory_become_a_blob_with_their_group(store: Store) -> None:
    written = Journal(store)
    written.add(NOON, observed(A, b"minutes"), b"minutes")
    written.add(NOON, observed(B, b"minutes"), b"minutes")
    assert not store.root.exists(), "nothing is written before its group"
    written.commit()
    assert store.blob(sha256(b"minutes")).read_bytes() == b"minutes"
    assert observed_in(store) == [A, B]
    assert list(store.incoming.iterdir()) == []


STAGES = [("write_all", 1), ("write_all", 2), ("sync_all", 1), ("_name", 1), ("_name", 2),
          ("sync_all", 2), ("append", 1)]  # fmt: skip
"""What a commit does, in order, and at which of its calls the process ends."""


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize(("stage", "number"), STAGES)
def test_a_crash_at_any_stage_leaves_no_torn_blob_and_no_line_without_its_bytes(
    store: Store, monkeypatch: pytest.MonkeyPatch, stage: str, number: int
) -> None:
    bodies = {f"{A}{name}": f"minutes {name}".encode() for name in "xyz"}
    real, calls = getattr(journal, stage), count(1)

    def call(*arguments: Any) -> Any:
        return crash() if next(calls) == number else real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(journal, stage, call)
        with pytest.raises(SystemExit):
            commit(store, bodies)
    assert_sound(store)
    assert observed_in(store) == []
    commit(store, bodies)
    assert_sound(store)
    assert observed_in(store) == list(bodies)


def commit(store: Store, bodies: dict[str, bytes]) -> None:
    """One job that observes these bytes."""
    written = Journal(store)
    for artifact, body in bodies.items():
        written.add(NOON, observed(artifact, body), body)
    written.commit()


def assert_sound(store: Store) -> None:
    """Every blob holds what its name says, and every line has its blob."""
    blobs = {path.name: path.read_bytes() for path in store.blobs.rglob("*") if path.is_file()}
    assert [name for name, content in blobs.items() if sha256(content) != name] == []
    assert {line["blob"] for line in read_record(store)} <= blobs.keys()


@pytest.mark.usefixtures("still")
def test_bodies_that_wait_in_memory_are_bounded(store: Store) -> None:
    written = Journal(store)
    mebibyte = bytes(1 << 20)
    for number in range(8):
        assert list(read_record(store)) == []
        body = mebibyte + bytes([number])
        written.add(NOON, observed(f"{A}{number}", body), body)
    assert len(observed_in(store)) == 8


# Groups


@pytest.mark.usefixtures("still")
def test_a_group_is_sixty_four_lines(store: Store) -> None:
    written = Journal(store)
    for number in range(63):
        written.add(NOON, status(f"{A}{number}", "gone"))
    assert list(read_record(store)) == []
    written.add(NOON, status(B, "gone"))
    assert len(record_of(store)) == 64
    written.add(NOON, status(A, "gone"))
    assert len(record_of(store)) == 64


def test_a_group_is_a_second(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter([10.0, 10.5, 10.9, 11.0])
    monkeypatch.setattr(journal.time, "monotonic", lambda: next(moments))
    written = Journal(store)
    written.add(NOON, status(A, "gone"))  # opens at 10.0, looks at 10.5
    assert not written.is_due()
    assert written.is_due()
    written.commit()
    assert not written.is_due()
    assert len(record_of(store)) == 1


def test_an_old_group_is_written_with_its_next_line(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter([10.0, 10.5, 11.5])
    monkeypatch.setattr(journal.time, "monotonic", lambda: next(moments))
    written = Journal(store)
    written.add(NOON, status(A, "gone"))
    assert list(read_record(store)) == []
    written.add(NOON, status(B, "gone"))
    assert len(record_of(store)) == 2


def test_a_commit_of_nothing_writes_nothing(store: Store) -> None:
    Journal(store).commit()
    assert not store.record.exists()


@pytest.mark.usefixtures("still")
def test_each_line_stands_in_its_month_in_utc(store: Store) -> None:
    west = datetime(2026, 3, 31, 20, 0, tzinfo=timezone(timedelta(hours=-8)))
    written = Journal(store)
    written.add(NOON, status(A, "gone"))
    written.add(west, status(B, "gone", at=west))
    written.commit()
    assert [path.name for path in sorted(store.record.iterdir())] == [
        "2026-03.jsonl",
        "2026-04.jsonl",
    ]
    assert [line["artifact"] for line in read_record(store)] == [A, B]


# Torn lines


def test_a_writer_starts_on_a_new_line_behind_a_torn_one(store: Store) -> None:
    month = store.record_month(NOON)
    append(month, as_lines([status(A, "gone")]))
    torn = month.read_bytes() + b'{"type":"status","artif'
    month.write_bytes(torn)
    append(month, as_lines([status(B, "gone")]))
    assert month.read_bytes().startswith(torn + b"\n{")
    history = replay(store)
    assert set(history.artifacts) == {A, B}
    assert history.torn.places == ["record/2026-03.jsonl:2"]


@pytest.mark.parametrize(
    "torn", [b"{", b"\xff\xfe", b"[1]", b'"text"', b"7", b'{"a": 1} x', b"\x00" * 9]
)
def test_a_line_that_is_no_object_is_skipped_and_named(store: Store, torn: bytes) -> None:
    append(store.record_month(NOON), torn + b"\n" + as_lines([status(A, "gone")]))
    history = replay(store)
    assert set(history.artifacts) == {A}
    assert history.torn.places == ["record/2026-03.jsonl:1"]


def test_an_empty_line_is_nothing(store: Store) -> None:
    append(store.record_month(NOON), b"\n \n" + as_lines([status(A, "gone")]))
    assert replay(store).torn.places == []


def test_a_line_that_lacks_fields_is_said_and_skipped(store: Store) -> None:
    month = store.record_month(NOON)
    append(month, b'{"type":"observation","artifact":"x","at":"2026-03-01T12:00:00Z"}\n')
    append(month, b'{"type":"status"}\n{"type":"discovery"}\n{"type":"unheard-of"}\n{}\n')
    append(month, as_lines([status(A, "gone")]))
    history = replay(store)
    assert set(history.artifacts) == {A}
    assert len(history.torn.places) == 3
    assert history.torn.places[0].startswith("line 1: ")
    assert "missing" in history.torn.places[0]
    assert history.lines == 6


def test_fields_of_another_version_are_ignored(store: Store) -> None:
    line = {**status(A, "gone").to_json(), "unheard_of": 1}
    append(store.record_month(NOON), to_bytes(line) + b"\n")
    assert replay(store).artifacts[A].liveness == "gone"


def test_lone_surrogates_in_a_header_cost_only_themselves(store: Store) -> None:
    written = Journal(store)
    written.add(
        NOON, observed(A, b"", headers={"x-name": "M\ud800rz", "etag": '"1"'}, title="\udfff")
    )
    written.commit()
    (line,) = record_of(store)
    assert line["headers"] == {"x-name": "M?rz", "etag": '"1"'}
    assert line["title"] == "?"


@PROPERTY
@given(
    st.dictionaries(st.text(st.characters()), st.text(st.characters())), st.text(st.characters())
)
def test_whatever_a_stranger_sends_is_a_line_that_can_be_read(
    headers: dict[str, str], name: str
) -> None:
    line = to_bytes(observation(A, headers=headers, filename=name).to_json())
    read = parse_line(line)
    assert read is not None
    assert b"\n" not in line
    assert Observation.from_json(read).artifact == A


# Replay

ADDRESSES = st.sampled_from([A, B, f"{A}#metadata"])
STEPS = st.lists(
    st.tuples(ADDRESSES, st.sampled_from(["observation", *Liveness]), st.integers(0, 3)),
    max_size=12,
)


@PROPERTY
@given(STEPS)
def test_a_replay_gives_what_was_known_while_it_was_written(
    steps: list[tuple[str, str, int]],
) -> None:
    with TemporaryDirectory() as folder:
        store = Store(Path(folder), "town")
        written, live = Journal(store), History()
        for number, (artifact, what, variant) in enumerate(steps):
            take(written, live, NOON + timedelta(days=9 * number), artifact, what, variant)
        written.commit()
        assert replay(store).artifacts == live.artifacts


def take(
    written: Journal, live: History, at: datetime, artifact: str, what: str, variant: int
) -> None:
    """Writes a line, and knows it."""
    if what == "observation":
        headers = {"etag": f'"{variant}"', "x": "y"} if variant else {}
        seen = observation(artifact, at, headers=headers, parts=[B] * variant)
        live.see(seen)
        written.add(at, seen)
        return
    limit = variant or None
    failed = live.next_status(
        timestamp(at), artifact, artifact, Liveness(what), f"reason {variant}", variant, limit=limit
    )
    live.note(failed)
    written.add(at, failed)


def test_now_is_in_utc() -> None:
    assert journal.now().tzinfo is UTC


def test_a_month_that_was_torn_at_its_end_still_gives_its_lines(store: Store) -> None:
    append(store.record_month(NOON), as_lines([status(A, "gone"), status(B, "gone")])[:-20])
    assert [line["artifact"] for line in read_record(store)] == [A]
    with pytest.raises(ValueError, match="unexpected end of data"):
        lines_of(store.record_month(NOON))


def test_lines_stay_in_their_order_though_the_clock_is_set_back(store: Store) -> None:
    ahead = NOON + timedelta(days=60)
    for at, blob in ((ahead, "a"), (NOON, "b")):
        written = Journal(store)
        written.add(at, observation(A, at=at, blob=sha256(blob.encode())))
        written.commit()
    assert [path.name for path in store.record_months()] == [f"{ahead:%Y-%m}.jsonl"]
    seen = replay(store).observed(A)
    assert seen is not None
    assert (seen.at, seen.blob) == (timestamp(NOON), sha256(b"b"))
