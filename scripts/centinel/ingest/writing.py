"""Writes what became of the requests of a source: rows, entities, items, and the table."""

import itertools
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import orjson

from centinel import locks
from centinel.files import read_lines, to_bytes, whole
from centinel.http import Client
from centinel.ingest import database, items, statuses, uploading
from centinel.ingest.entities import entity_of
from centinel.ingest.lines import key_of, parsed, spelt
from centinel.ingest.request import BadRequest, Request
from centinel.ingest.results import Results
from centinel.ingest.rows import Fileset, bundle_name
from centinel.ingest.strategies import EXISTING
from centinel.record import Json
from centinel.store import Store

LOCK_SECONDS = 600.0
"""How long the jobs of other sources may take to write the table that all share."""


@dataclass
class Finisher:
    """Makes rows and what belongs to a hit: its item folder, its upload, its entity."""

    results: Results
    client: Callable[[], Client]
    """Asks archive.org, where items are uploaded; made only then."""
    _client: Client | None = None

    def finished(self, line: str, asked: Request | BadRequest) -> tuple[Json, Json | None]:
        """Returns the row of a request, and the entity where it is a hit. Never raises for one."""
        row, found = self.results.both(asked, line)
        if found is None or not row["hit"]:
            return row, None
        try:
            row = self._staged(row, found)
        except Exception as error:  # noqa: BLE001 (the edge of a unit of work)
            message = f"not staged: {type(error).__name__}: {error}"
            row |= {"hit": False, "status": statuses.INTERNAL_ERROR, "error_message": message}
        return row, entity_of(found, row) if row["hit"] else None

    def _staged(self, row: Json, found: Fileset) -> Json:
        item = found.capture.item
        if found.item_name is None or item is None or item.platform == EXISTING:
            return row
        metadata = _metadata(found, self.results.settings.archiveorg.collection)
        folder = items.stage(self.results.store, found.item_name, metadata, self._files(found))
        row = {**row, "item_folder": self.results.store.relative(folder)}
        archiveorg = self.results.settings.archiveorg
        if not uploading.is_wanted(archiveorg):
            return row
        self._client = self._client or self.client()
        done = uploading.upload(self._client, archiveorg, folder, found.files, metadata)
        is_hit = self.results.table.of(done.status).is_hit
        status = done.status if done.status != statuses.SUCCESS else row["status"]
        return {**row, "hit": is_hit, "status": status, "error_message": done.message}

    def _files(self, found: Fileset) -> Iterable[items.Staged]:
        """The files of an item: each of the manifest, or the platform's archive of them all."""
        store = self.results.store
        if found.bundle is not None:
            from centinel.ingest.observing import observed_of

            name = bundle_name(found)
            seen = observed_of(store, found.bundle, name)
            yield items.Staged(name, seen, store.blob(found.bundle.blob))
            return
        for file in found.files:
            if file.observed is not None and file.observed.sha256 is not None:
                yield items.Staged(file.path, file.observed, store.blob(file.observed.sha256))


def _metadata(found: Fileset, collection: str) -> Json:
    """What an item says of itself: the helper's words, else what the platform declares."""
    item = found.capture.item
    if item is None:
        return {}
    landing = found.capture.landing["final_url"]
    said: Json = {
        "title": item.title,
        "date": item.published,
        "source": landing,
        "licenseurl": item.licence if (item.licence or "").startswith("http") else None,
        "rights": item.terms,
        "collection": collection,
    }
    whole = {**said, **item.archiveorg_item_meta}
    return {key: value for key, value in whole.items() if value not in (None, "", [])}


Pair = tuple[Json, Json | None]
"""A row, and the entity where it is a hit."""


def write(store: Store, pairs: Iterable[Pair]) -> Counter[str]:
    """Writes `results.jsonl` and `filesets.jsonl` whole; returns how many ended how.

    Raises OSError for a fault of this machine.
    """
    counts: Counter[str] = Counter()
    with whole(store.ingest_results) as to_rows, whole(store.ingest_filesets) as to_entities:
        for row, entity in pairs:
            to_rows.write(to_bytes(row) + b"\n")
            if entity is not None:
                to_entities.write(to_bytes(entity) + b"\n")
            counts[row["status"]] += 1
    return counts


def save(results: Path, rows: Iterable[Json]) -> None:
    """Writes rows to the table of all sources, under a lock; raises DatabaseError and OSError."""
    waiting = iter(rows)
    with locks.held(results / ".ingest.lock", LOCK_SECONDS):
        while some := list(itertools.islice(waiting, database.AT_ONCE)):
            database.upsert(results, some)


@dataclass
class Spool:
    """Rows and entities by what their request goes by, on disk: manifests may be long."""

    _places: dict[str, tuple[int, int]] = field(default_factory=dict)
    _file: IO[bytes] = field(default_factory=tempfile.TemporaryFile)

    def __len__(self) -> int:
        return len(self._places)

    def put(self, key: str, pair: Pair) -> None:
        """Keeps what was made of a request, over what was kept before."""
        start = self._file.seek(0, os.SEEK_END)
        self._places[key] = (start, self._file.write(to_bytes(list(pair))))

    def get(self, key: str) -> Pair | None:
        """Returns what was kept; None where nothing was."""
        if key not in self._places:
            return None
        start, length = self._places[key]
        self._file.seek(start)
        row, entity = orjson.loads(self._file.read(length))
        return row, entity

    def rows(self) -> Iterator[Json]:
        """Yields the rows, in the order in which their requests were first kept."""
        for start, length in self._places.values():
            self._file.seek(start)
            yield orjson.loads(self._file.read(length))[0]

    def load(self, store: Store) -> None:
        """Keeps what stands already; nothing of files that are torn or of another form."""
        try:
            for row in read_lines(store.ingest_results):
                self.put(_key(row["request"]), (row, None))
            for entity in read_lines(store.ingest_filesets):
                key = _key(entity["provenance"]["request"])
                kept = self.get(key)
                if kept is not None:
                    self.put(key, (kept[0], entity))
        except (OSError, ValueError, KeyError, TypeError):
            self._places.clear()


def _key(request: Json | str) -> str:
    line = spelt(request)
    return key_of(line, parsed(line))
