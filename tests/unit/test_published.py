"""The snapshot as it lies on disk: what it says, in order, and how little of it is in memory."""

import tracemalloc
from pathlib import Path

import pytest

from centinel.history import History
from centinel.planning import plan
from centinel.published import Published
from centinel.record import Resource
from centinel.sources.website import Website
from centinel.store import Store
from tests.unit.support import NOON, source, write_snapshot

TOWN = "https://town.example"
MANY = 20_000


def test_resources_come_as_they_were_written(store: Store) -> None:
    resources = [Resource(f"{TOWN}/a", "2026-02-02", "Fees — Gebühren"), Resource(f"{TOWN}/b")]
    write_snapshot(store, resources)
    published = Published(store.snapshot)
    assert list(published) == resources
    assert (published[1], published[-1], published[:1]) == (*resources[1:] * 2, resources[:1])
    assert len(published) == 2


def test_resources_come_sorted_however_they_were_written(store: Store) -> None:
    write_snapshot(store, [Resource(f"{TOWN}/{name}") for name in ("b", "c", "a")])
    assert [each.address[-1] for each in Published(store.snapshot)] == ["a", "b", "c"]


def test_an_empty_snapshot_has_no_resource(store: Store) -> None:
    write_snapshot(store, [])
    assert list(Published(store.snapshot)) == []


def test_a_line_that_is_no_object_is_named(tmp_path: Path) -> None:
    path = tmp_path / "snapshot.jsonl"
    path.write_bytes(b'{"address":"https://town.example/a"}\n{"addr')
    with pytest.raises(ValueError, match=r"snapshot\.jsonl:2: not a JSON object"):
        Published(path)


def test_a_plan_of_many_addresses_takes_few_bytes_for_each(store: Store) -> None:
    write_snapshot(store, [Resource(f"{TOWN}/{number:06}") for number in range(MANY)])
    tracemalloc.start()
    tasks = plan(Published(store.snapshot), History(), source(), Website(), NOON).tasks
    assert len(tasks) == MANY
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 40 * MANY
    assert peak < 100 * MANY
    assert tasks[MANY - 1].artifact == f"{TOWN}/{MANY - 1:06}"
