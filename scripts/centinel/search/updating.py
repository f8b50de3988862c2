"""Makes the index what the texts say, touching only what is different."""

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from centinel import locks
from centinel.configuration import Configuration, Pipeline, Source
from centinel.progress import Progress
from centinel.search import database as index
from centinel.search import shared as sharing
from centinel.search.passages import TIMED, passages_of, readable
from centinel.search.shared import Shared
from centinel.standing import Standing, texts_of
from centinel.store import Store

LONGEST_LINE = 1 << 16
"""Bytes of a line that are looked at at once."""


@dataclass
class Updated:
    """What became of the index."""

    texts: int = 0
    added: int = 0
    removed: int = 0
    missing: int = 0
    """Texts that are named and are not there: they are found again when they are."""
    only_shared: int = 0
    """Of those that were added: texts of which every line is shared, such as a menu."""
    unknown: list[str] = field(default_factory=list)
    """Sources of which nothing is known now: what the index had of them stays."""


Group = Mapping[str, list[Standing]]
"""By path of a text the artifacts that have it."""


def update(configuration: Configuration, progress: Progress, wait: float = 0.0) -> Updated:
    """Brings `results/search.sqlite` up to date; makes it where it is missing or of another form.

    One transaction a source: who reads sees each source as it was or as it is. Raises locks.Busy
    where somebody else writes it after `wait` seconds, OSError for a fault of this machine.
    """
    results = configuration.results
    path = index.file_in(results)
    with locks.held(index.lock_in(results), wait):
        try:
            return _update(path, configuration, progress)
        except sqlite3.DatabaseError as error:
            if not index.is_damage(error):
                raise
            progress.say(f"search: {path} is damaged ({error}): it is made again")
            index.remove(path)
            return _update(path, configuration, progress)


def _update(path: Path, configuration: Configuration, progress: Progress) -> Updated:
    updated = Updated()
    with index.writing(path) as database:
        indexed = dict(database.execute("SELECT source, audit FROM sources"))
        for name in sorted(indexed.keys() - configuration.sources.keys()):
            _Source(database, Store(configuration.results, name), updated, progress).forget()
        for name, source in sorted(configuration.sources.items()):
            store = Store(configuration.results, name)
            indexing = _Source(database, store, updated, progress)
            audit = _audit(store, source, configuration.pipeline)
            if audit is None:
                updated.unknown.append(name)
            elif indexed.get(name) == audit:
                indexing.keep()
            else:
                texts = texts_of(store, source, configuration.pipeline)
                if texts is None or audit != _audit(store, source, configuration.pipeline):
                    updated.unknown.append(name)
                else:
                    indexing.write(texts, audit)
    return updated


def _audit(store: Store, source: Source, pipeline: Pipeline) -> str | None:
    """What shows that nothing became of a source since; None while a run works on it.

    A run removes the report of each source that it has a job for, and makes it when it is through.
    """
    try:
        made = store.report.stat().st_mtime_ns
    except FileNotFoundError:
        return None
    versions = sorted(f"{kind} {each.path_version}" for kind, each in pipeline.readings.items())
    return f"{made} {source.key} {' '.join(versions)}"


@dataclass
class _Source:
    """The texts of one source in the index."""

    database: sqlite3.Connection
    store: Store
    updated: Updated
    progress: Progress

    def keep(self) -> None:
        """Counts the texts of a source of which all that there is stands in the index."""
        count = "SELECT count(*) FROM texts WHERE source = ?"
        (texts,) = self.database.execute(count, (self.store.source,)).fetchone()
        self.updated.texts += texts

    def forget(self) -> None:
        """Removes the source's rows, in one transaction."""
        with self._transaction():
            self._write({}, {})
            for table in ("sources", "learned", "shared"):
                self.database.execute(
                    f"DELETE FROM {table} WHERE source = ?",  # noqa: S608 (our own words)
                    (self.store.source,),
                )

    def write(self, texts: Iterable[Standing], audit: str) -> None:
        """Makes the source's rows what the texts say, in one transaction.

        `audit` is what shows later that nothing became of the source since.
        """
        groups: dict[str, list[Standing]] = {}
        for each in texts:
            groups.setdefault(each.text, []).append(each)
        stamps = self._stamps(groups)
        is_whole = len(stamps) == len(groups)
        with self._transaction():
            self._write(groups, stamps)
            self.database.execute(
                "INSERT OR REPLACE INTO sources VALUES (?, ?)",
                (self.store.source, audit if is_whole else None),
            )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self.database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.database.execute("ROLLBACK")
            raise
        self.database.execute("COMMIT")

    def _write(self, groups: Group, stamps: Mapping[str, str]) -> None:
        shared, is_new = self._shared(sorted(stamps))
        known = {
            path: (number, None if is_new else stamp)
            for number, path, stamp in self.database.execute(
                "SELECT id, path, stamp FROM texts WHERE source = ?", (self.store.source,)
            )
        }
        numbers = {
            path: number for path, (number, stamp) in known.items() if stamps.get(path, "") == stamp
        }
        for path, (number, _) in known.items():
            if path not in numbers:
                self._remove(number)
                self.updated.removed += path not in stamps
        # Sorted as the files lie: they, and the rows of the index, are met in their order.
        made = sorted(stamps.keys() - numbers.keys())
        for done, path in enumerate(made, 1):
            numbers[path] = self._add(groups[path][0], stamps[path], shared)
            self.progress.maybe(done, len(made) - done, {"missing": self.updated.missing})
        self._name(groups, numbers)
        self.updated.texts += len(stamps)

    def _stamps(self, groups: Group) -> dict[str, str]:
        """By path what shows that a text is the same; the version is in the path."""
        stamps = {}
        root = str(self.store.root)
        for path, having in groups.items():
            try:
                stat = os.stat(f"{root}/{path}")  # noqa: PTH116 (a hundred thousand)
            except FileNotFoundError:
                self.updated.missing += 1
                continue
            first = having[0]
            stamps[path] = f"{stat.st_size} {stat.st_mtime_ns} {int(first.is_paged)}"
        return stamps

    def _shared(self, paths: list[str]) -> tuple[Shared, bool]:
        """The shared lines, learned again each time that the source has doubled; whether so."""
        source = self.store.source
        row = self.database.execute(
            "SELECT documents FROM learned WHERE source = ?", (source,)
        ).fetchone()
        lines = self.database.execute("SELECT line FROM shared WHERE source = ?", (source,))
        known = Shared(frozenset(line for (line,) in lines))
        if not sharing.is_worth_learning(len(paths), row[0] if row else 0):
            return known, False
        sample = sharing.sample(paths)
        found = sharing.learned(self._readable_lines(path) for path in sample)
        self.database.execute("INSERT OR REPLACE INTO learned VALUES (?, ?)", (source, len(sample)))
        self.database.execute("DELETE FROM shared WHERE source = ?", (source,))
        self.database.executemany(
            "INSERT INTO shared VALUES (?, ?)", ((source, line) for line in sorted(found.lines))
        )
        return found, found != known

    def _readable_lines(self, path: str) -> Iterator[str]:
        with (self.store.root / path).open("rb") as stream:
            yield from (readable(line) for line in _lines(stream))

    def _remove(self, number: int) -> None:
        execute = self.database.execute
        execute(
            "INSERT INTO words (words, rowid, body, shared)"
            " SELECT 'delete', id, body, shared FROM passages WHERE text = ?",
            (number,),
        )
        execute("DELETE FROM passages WHERE text = ?", (number,))
        execute("DELETE FROM addresses WHERE text = ?", (number,))
        execute("DELETE FROM texts WHERE id = ?", (number,))

    def _add(self, text: Standing, stamp: str, shared: Shared) -> int:
        """Writes a text's rows; returns its number."""
        cursor = self.database.execute(
            "INSERT INTO texts (source, path, kind, stamp) VALUES (?, ?, ?, ?)",
            (self.store.source, text.text, text.kind, stamp),
        )
        number = int(cursor.lastrowid or 0)
        digest = hashlib.sha256()
        has_own = False
        with (self.store.root / text.text).open("rb") as stream:
            found = passages_of(
                _lines(stream, digest),
                shared,
                is_paged=text.is_paged,
                is_timed=text.kind in TIMED,
            )
            for place, each in enumerate(found):
                has_own = has_own or bool(each.body)
                cursor.execute(
                    "INSERT INTO passages (text, place, page, second, body, shared)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    (number, place, each.page, each.second, each.body, each.shared),
                )
                cursor.execute(
                    "INSERT INTO words (rowid, body, shared) VALUES (?, ?, ?)",
                    (cursor.lastrowid, each.body, each.shared),
                )
        cursor.execute("UPDATE texts SET content = ? WHERE id = ?", (digest.hexdigest(), number))
        self.updated.added += 1
        self.updated.only_shared += not has_own
        return number

    def _name(self, groups: Group, numbers: Mapping[str, int]) -> None:
        """Puts down at which addresses each text stands; only differences are written."""
        new = {
            (number, each.artifact, each.title, each.observed_at, each.blob)
            for path, number in numbers.items()
            for each in groups[path]
        }
        old = []
        for row in self.database.execute(
            "SELECT text, address, a.title, observed_at, blob FROM texts"
            " JOIN addresses a ON a.text = texts.id WHERE source = ?",
            (self.store.source,),
        ):
            if row in new:
                new.remove(row)
            else:
                old.append(row[:2])
        self.database.executemany("DELETE FROM addresses WHERE text = ? AND address = ?", old)
        self.database.executemany(
            "INSERT INTO addresses VALUES (?, ?, ?, ?, ?)", sorted(new, key=repr)
        )


def _lines(stream: BinaryIO, digest: "hashlib._Hash | None" = None) -> Iterator[str]:
    """The lines of a text; one of a gigabyte comes in pieces."""
    while line := stream.readline(LONGEST_LINE):
        if digest is not None:
            digest.update(line)
        yield line.decode("utf-8", "replace").replace("\0", "")
