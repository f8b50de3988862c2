"""What follows from the record: the state of each artifact, since when, and how often it failed."""

import gzip
from datetime import datetime

import pytest

from centinel import journal
from centinel.files import as_lines
from centinel.history import History
from centinel.journal import keep_snapshot
from centinel.record import NOT_MODIFIED, Discovery, Liveness, Resource, Status, timestamp
from centinel.store import Store
from tests.unit.support import DAY, NOON, observation

A, B = "https://town.example/a", "https://town.example/b"


def test_since_moves_only_with_the_state() -> None:
    history = History()
    days = [NOON + number * DAY for number in range(4)]
    for at, liveness in zip(days, ["error", "error", "blocked", "blocked"], strict=True):
        history.note(follows(history, at, Liveness(liveness)))
    known = history.artifacts[A]
    assert (known.liveness, known.since, known.last_checked) == (
        "blocked",
        timestamp(days[2]),
        timestamp(days[3]),
    )
    assert known.consecutive_failures == 4


def follows(history: History, at: datetime, liveness: Liveness) -> Status:
    """The next status of an artifact."""
    return history.next_status(timestamp(at), A, A, liveness, "reason", None)


def test_an_observation_makes_its_artifact_live_and_ends_the_failures() -> None:
    history = History()
    history.note(follows(history, NOON, Liveness.GONE))
    history.see(observation(A, NOON + DAY))
    known = history.artifacts[A]
    assert (known.liveness, known.since) == ("live", timestamp(NOON + DAY))
    assert (known.consecutive_failures, known.reason, known.http_status) == (0, None, 200)
    history.see(observation(A, NOON + 2 * DAY))
    assert history.artifacts[A].since == timestamp(NOON + DAY)


def test_an_unchanged_answer_keeps_the_observation_and_since() -> None:
    history = History()
    history.see(observation(A, NOON))
    unchanged = history.next_status(timestamp(NOON + DAY), A, A, Liveness.LIVE, "not-modified", 304)
    assert (unchanged.since, unchanged.consecutive_failures) == (timestamp(NOON), 0)
    history.note(unchanged)
    assert history.observed(A) == observation(A, NOON)
    assert history.artifacts[A].last_checked == timestamp(NOON + DAY)
    assert history.artifacts[A].reason == NOT_MODIFIED


def test_a_failure_keeps_the_last_bytes() -> None:
    history = History()
    history.see(observation(A, NOON))
    history.note(follows(history, NOON + DAY, Liveness.GONE))
    assert history.observed(A) is not None
    assert history.artifacts[A].consecutive_failures == 1


def test_a_limit_is_remembered_until_something_else_happens() -> None:
    history = History()
    too_large = history.next_status(
        timestamp(NOON), A, A, Liveness.ERROR, "too-large: 9", 200, size=9, limit=5
    )
    assert (too_large.size, too_large.limit) == (9, 5)
    history.note(too_large)
    assert history.artifacts[A].limit == 5
    history.see(observation(A, NOON + DAY))
    assert history.artifacts[A].limit is None


def test_what_was_never_asked_is_not_known() -> None:
    history = History()
    assert history.known(A) is None
    assert history.observed(A) is None
    assert history.last_good_discovery() is None


def test_only_the_headers_that_are_asked_again_are_remembered() -> None:
    history = History()
    headers = {"etag": '"1"', "last-modified": "yesterday", "set-cookie": "x" * 1000}
    history.see(observation(A, headers=headers))
    seen = history.observed(A)
    assert seen is not None
    assert seen.headers == {"etag": '"1"', "last-modified": "yesterday"}


def test_the_last_good_enumeration_is_found_behind_failed_ones() -> None:
    history = History()
    for outcome, name in (("ok", "one"), ("ok", "two"), ("failed", None)):
        line = Discovery(timestamp(NOON), "sitemap", outcome, None, 1, False, name)
        history.add(line.to_json())
    good = history.last_good_discovery()
    assert good is not None
    assert good.snapshot == "two"


# Snapshots


def test_a_snapshot_is_kept_and_read_back(store: Store) -> None:
    resources = [Resource(A, "2026-02-02", "Fees"), Resource(B, hint="document")]
    name = keep_snapshot(store, NOON, as_lines(resources))
    assert name == "record/snapshots/20260301T120000000000Z.jsonl.gz"
    assert journal.read_snapshot(store, name) == resources


def test_a_kept_snapshot_has_the_same_bytes_every_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = []
    for number in range(2):
        monkeypatch.setattr(gzip.time, "time", lambda at=number * 1000.0: at)
        kept.append(keep_snapshot(store, NOON + number * DAY, as_lines([Resource(A)])))
    first, second = ((store.root / name).read_bytes() for name in kept)
    assert first == second
    assert gzip.decompress(first) == b'{"address":"https://town.example/a"}\n'
