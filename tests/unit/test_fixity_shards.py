"""Which shards a run verifies: those that waited longest, up to a bound; and what is read again."""

from datetime import timedelta
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel import fixity
from centinel.configuration import Verification
from centinel.fixity import Shard
from centinel.fixity.rereading import forget_unread
from centinel.fixity.shards import SMALL, due, remove_outgrown, shards_of
from centinel.record import Json, timestamp
from centinel.store import NOT_INTACT, Store
from tests.unit.support import DAY, NOON, PROPERTY, sha256

USUAL = Verification()
BLOB, OTHER = sha256(b"one"), sha256(b"other")


def grown(store: Store, size: int = SMALL + 1) -> None:
    """A source whose list of artifacts has so many bytes."""
    store.root.mkdir(parents=True, exist_ok=True)
    store.artifacts.write_bytes(b"x" * size)


def found(store: Store, shard: str, days: int = 0, turn: int = 0) -> None:
    """A shard that was verified so many days before noon, and the stamp of its job."""
    made = Shard(shard, timestamp(NOON - days * DAY), files=1, bytes=1, turn=turn)
    store.fixity.mkdir(parents=True, exist_ok=True)
    store.fixity_file(shard).write_bytes(orjson.dumps(made.to_json()))
    (store.fixity / f"{shard}.verified").touch()


def test_a_small_source_is_one_shard_and_a_larger_one_sixteen(store: Store) -> None:
    assert shards_of(store) == []
    grown(store, SMALL)
    assert shards_of(store) == ["0-of-1"]
    grown(store)
    assert shards_of(store) == [f"{number:02d}-of-16" for number in range(16)]


def test_all_are_due_at_first_and_none_before_their_time(store: Store) -> None:
    grown(store)
    assert set(due(store, USUAL, NOON).turns.values()) == {0}
    for name in shards_of(store):
        found(store, name, days=89, turn=2)
    assert set(due(store, USUAL, NOON).turns.values()) == {2}
    assert set(due(store, USUAL, NOON + DAY).turns.values()) == {3}


def test_those_that_waited_longest_come_first_up_to_the_bound(store: Store) -> None:
    grown(store)
    bounded = Verification(shards=2)
    names = shards_of(store)
    assert due(store, bounded, NOON).turns == {names[0]: 0, names[1]: 0}
    for number, name in enumerate(names):
        found(store, name, days=100 + number)
    moved = {name for name, turn in due(store, bounded, NOON).turns.items() if turn == 1}
    assert moved == {names[15], names[14]}


def test_a_clock_that_was_set_back_makes_what_it_verified_due(store: Store) -> None:
    grown(store, 1)
    found(store, "0-of-1", days=-365)
    assert due(store, USUAL, NOON).turns == {"0-of-1": 1}


@PROPERTY
@given(st.lists(st.none() | st.integers(0, 200), min_size=16, max_size=16), st.integers(1, 20))
def test_what_a_job_makes_of_the_plan_never_takes_a_shard_out_of_it(
    tmp_path_factory: pytest.TempPathFactory, ages: list[int | None], bound: int
) -> None:
    """A job on a cluster plans again, when others of its run have ended."""
    store = Store(tmp_path_factory.mktemp("results"), "town")
    grown(store)
    names = shards_of(store)
    for name, age in zip(names, ages, strict=True):
        if age is not None:
            found(store, name, days=age)
    wanted = Verification(timedelta(days=90), bound)
    turns = due(store, wanted, NOON).turns
    ran = [
        name for name in turns if turns[name] != (0 if ages[names.index(name)] is not None else -1)
    ]
    assert len(ran) == min(bound, sum(age is None or age >= 90 for age in ages))
    for name in ran:
        assert due(store, wanted, NOON).turns[name] == turns[name]
        found(store, name, days=0, turn=turns[name])
        assert due(store, wanted, NOON).turns[name] == turns[name]


def test_shards_of_a_smaller_source_count_until_all_new_ones_were_verified(store: Store) -> None:
    grown(store, 1)
    found(store, "0-of-1", days=50)
    grown(store)
    names = shards_of(store)
    for name in names[:-1]:
        found(store, name)
    remove_outgrown(store)
    before = fixity.read(store)
    assert before is not None
    assert (before.count, before.complete_at) == (1, timestamp(NOON - 50 * DAY))
    found(store, names[-1])
    remove_outgrown(store)
    after = fixity.read(store)
    assert after is not None
    assert (after.count, after.complete_at) == (16, timestamp(NOON))
    assert not list(store.fixity.glob("0-of-1.*"))


# What could not be read


def line(blob: str, reason: str | None = NOT_INTACT, underivable: str | None = None) -> Json:
    """A line of a shard that was read."""
    outcome = "text" if reason is None else "underivable"
    return {"blob": blob, "outcome": outcome, "reason": reason, "underivable": underivable}


def derived(path: Path, *lines: Json) -> Path:
    """Writes lines of a shard."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(orjson.dumps(each) + b"\n" for each in lines))
    return path


def test_only_shards_that_say_that_lost_bytes_were_not_read_are_read_again(store: Store) -> None:
    pdf = derived(store.derived_file("pdf", 1, "0-of-1"), line(OTHER, None), line(BLOB))
    csv = derived(store.derived_file("csv", 1, "0-of-1"), line(BLOB, None), line(OTHER))
    html = derived(store.derived_file("html", 1, "0-of-1"), line(BLOB, "encrypted"))
    forget_unread(store, {BLOB})
    assert (pdf.exists(), csv.exists(), html.exists()) == (False, True, True)


def test_a_recording_that_was_not_heard_is_tried_again_with_its_verdict_forgotten(
    store: Store,
) -> None:
    verdict = store.underivable_file("audio", "1-tiny.en", BLOB)
    verdict.parent.mkdir(parents=True)
    verdict.write_bytes(b"{}")
    shard = derived(
        store.derived_file("audio", "1-tiny.en", "0-of-1"),
        line(BLOB, underivable=store.relative(verdict)),
    )
    heard = derived(store.recording_file("audio", "1-tiny.en", OTHER), line(OTHER, None))
    unheard = derived(store.recording_file("audio", "1-tiny.en", BLOB), line(BLOB))
    forget_unread(store, {BLOB, OTHER})
    assert [each.exists() for each in (verdict, shard, unheard, heard)] == [False] * 3 + [True]
