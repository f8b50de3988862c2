"""What one job keeps, the next does not make again; and nothing differs where it was deleted."""

from pathlib import Path
from typing import Any

import pytest

from centinel import changes, history, kept, snapshot
from centinel.journal import read_record
from centinel.record import Resource
from centinel.sources.source_kind import Enumeration
from centinel.store import Store
from tests.sites.server import Answer, Site
from tests.unit.support import DAY, PAGE, Clock, Published, acquire, client, source

WRITTEN = ("artifacts.jsonl", "resources.jsonl", "changes.jsonl", "snapshot.jsonl")


def enumerate_(store: Store, site: Site, clock: Clock, *names: str) -> None:
    """Takes a snapshot with pages of these names."""
    found = Enumeration("sitemap", [Resource(f"{site.address}/{name}") for name in names])
    kind = Published(found)
    snapshot.take(store, source(site.address), kind, client(store.incoming), clock)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The types of the lines of the record that were read."""
    types: list[str] = []

    def spied(*arguments: Any, **more: Any) -> Any:
        for line in read_record(*arguments, **more):
            types.append(line["type"])
            yield line

    monkeypatch.setattr(history, "read_record", spied)
    return types


def live(store: Store, site: Site, *, is_deleted: bool) -> dict[str, bytes]:
    """Two snapshots, the second with one page more, and all that is written after them."""
    clock = Clock()
    for names in (("a", "b"), ("a", "b", "c")):
        for step in (
            lambda names=names: enumerate_(store, site, clock, *names),
            lambda: acquire(store, source(site.address), clock),
            lambda: changes.write(store),
        ):
            if is_deleted:
                kept.remove(store.index)
                kept.remove(store.changes_kept)
            step()
        clock.move(DAY)
    return {name: (store.root / name).read_bytes() for name in WRITTEN}


def serve(site: Site) -> None:
    for name in "abc":
        site.set(f"/{name}", Answer(f"<p>Page {name} says so.".encode(), PAGE))


def test_no_job_reads_a_line_that_another_has_read(
    store: Store, site: Site, read: list[str]
) -> None:
    serve(site)
    live(store, site, is_deleted=False)
    assert read == []
    assert len(list(read_record(store))) == 5


def test_nothing_differs_where_what_is_kept_is_deleted_before_each_job(
    tmp_path: Path, site: Site, read: list[str]
) -> None:
    serve(site)
    whole = live(Store(tmp_path / "one", "town"), site, is_deleted=False)
    assert live(Store(tmp_path / "two", "town"), site, is_deleted=True) == whole
    assert len(read) > 5
