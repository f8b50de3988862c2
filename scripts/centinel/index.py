"""What the record tells of each artifact, kept in a file beside it.

The file may be deleted at any time, and is made again. It says from which files of the record it
was made; where it does not fit them, or is damaged, it is not used.
"""

import errno
import hashlib
import os
import sqlite3
from collections.abc import (
    Callable,
    ItemsView,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    ValuesView,
)
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from heapq import merge
from operator import itemgetter
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

import orjson

from centinel.files import to_bytes
from centinel.store import Store

MOST_CHANGED = 1024
"""Entries that wait in memory to be written together."""

MOST_READ = 256
"""Entries that are kept because they are asked for several times in a row."""

LOCKED_SECONDS = 0.5
"""How long somebody is waited for who reads or writes the file."""

_TAIL = 4096
"""Bytes before the end of a file that show that what was added to it stands behind them."""

_TABLES = """
CREATE TABLE entries (artifact BLOB PRIMARY KEY, resource BLOB, state BLOB, seen BLOB);
CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB);
"""

_ALL = "SELECT artifact, resource, state, seen FROM entries ORDER BY artifact"
_OWN = (
    "SELECT artifact, resource, state, seen FROM entries WHERE resource IS NULL ORDER BY artifact"
)


class Busy(Exception):
    """Somebody changes the index just now."""


class Entry(Protocol):
    """What is kept of an artifact."""

    resource: str

    def packed(self) -> tuple[bytes, bytes | None]:
        """Returns its state, and what was seen of it last."""
        ...


Kept = TypeVar("Kept", bound=Entry)


@dataclass(frozen=True)
class Mark:
    """One file of the record, as it was when the index was made."""

    name: str
    size: int
    changed: int
    """When it was written to last, in nanoseconds since the epoch."""
    tail: str
    """A hash of its last bytes."""


def marks_of(store: Store) -> list[Mark]:
    """Returns the record's files as they are now, in the order in which they are read."""
    found = []
    for path in store.record_months():
        stat = path.stat()
        found.append(Mark(path.name, stat.st_size, stat.st_mtime_ns, _tail(path, stat.st_size)))
    return found


def _tail(path: Path, size: int) -> str:
    with path.open("rb") as stream:
        start = max(0, size - _TAIL)
        return hashlib.sha256(os.pread(stream.fileno(), size - start, start)).hexdigest()


def read_on(store: Store, made_from: list[Mark]) -> dict[str, int] | None:
    """Returns how far each file of the record was read; None where they are not the same files.

    Lines are only ever added to the newest file; a record with others was changed by somebody.
    """
    files = {path.name: path for path in store.record_months()}
    if list(files)[: len(made_from)] != [mark.name for mark in made_from]:
        return None
    is_newest = {mark.name: mark is made_from[-1] for mark in made_from}
    if all(_fits(files[mark.name], mark, is_newest[mark.name]) for mark in made_from):
        return {mark.name: mark.size for mark in made_from}
    return None


def _fits(path: Path, mark: Mark, is_newest: bool) -> bool:
    stat = path.stat()
    if stat.st_size == mark.size:
        return stat.st_mtime_ns == mark.changed
    if not is_newest or stat.st_size < mark.size or _tail(path, mark.size) != mark.tail:
        return False
    # A line that was torn stays one: who adds to the file starts on a new line.
    with path.open("rb") as stream:
        return b"\n" in os.pread(stream.fileno(), 2, max(0, mark.size - 1))


class Index(MutableMapping[str, Kept], Generic[Kept]):
    """By artifact what is known of it: in a file, since there may be very many.

    What is taken out and changed is to be put in again.
    """

    def __init__(
        self, database: sqlite3.Connection, unpack: Callable[..., Kept], path: Path | None = None
    ) -> None:
        self._database = database
        self._path = path
        self._unpack = unpack
        self._changed: dict[str, Kept] = {}
        self._read: dict[str, Kept | None] = {}

    @classmethod
    def new(cls, path: Path | None, unpack: Callable[..., Kept]) -> Self:
        """Returns an empty one, in place of what is there; None for one that nobody keeps."""
        with _as_faults_of_this_machine():
            if path is not None:
                _remove(path)
                path.parent.mkdir(parents=True, exist_ok=True)
            database = sqlite3.connect(path or "", timeout=LOCKED_SECONDS, isolation_level=None)
            database.executescript(f"BEGIN; {_TABLES}")
        return cls(database, unpack, path)

    @classmethod
    def kept(
        cls, path: Path, form: str, unpack: Callable[..., Kept], *, is_changed: bool
    ) -> Self | None:
        """Returns the one that is kept; None where there is none of this form, or it is damaged.

        `is_changed` says that the caller will change it. Raises Busy where somebody else does.
        """
        if not path.exists():
            return None
        database = sqlite3.connect(path, timeout=LOCKED_SECONDS, isolation_level=None)
        try:
            if is_changed:
                database.execute("BEGIN IMMEDIATE")
            made = cls(database, unpack, path)
            is_whole = database.execute("PRAGMA quick_check").fetchall() == [("ok",)]
            if is_whole and made.facts("form") == [form]:
                return made
        except (sqlite3.DatabaseError, orjson.JSONDecodeError) as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                raise Busy(str(path)) from error
        database.close()
        return None

    def facts(self, *names: str) -> list[Any]:
        """Returns what `keep` was told under these names; None for what it was not told."""
        found = dict(self._database.execute("SELECT name, value FROM facts").fetchall())
        return [orjson.loads(found[name]) if name in found else None for name in names]

    def marks(self) -> list[Mark]:
        """Returns the files of the record that the index was made from."""
        (stated,) = self.facts("marks")
        return [Mark(*each) for each in stated]

    def keep(self, marks: Iterable[Mark], facts: Mapping[str, object]) -> None:
        """Keeps everything, whole or not at all, as what files of the record told.

        Where somebody reads the file just now, it stays as it was: the record tells the same.
        """
        with _as_faults_of_this_machine():
            self._write()
            rows = {**facts, "marks": [astuple(each) for each in marks]}
            self._database.executemany(
                "INSERT OR REPLACE INTO facts VALUES (?, ?)",
                [(name, to_bytes(value)) for name, value in rows.items()],
            )
            with _unless_busy():
                self._database.execute("COMMIT")

    def close(self) -> None:
        """Forgets what was not kept."""
        self._database.close()

    def drop(self) -> None:
        """Forgets everything: what is unexpected may come of damage that nobody saw."""
        self._database.close()
        if self._path is not None:
            _remove(self._path)

    def __getitem__(self, artifact: str) -> Kept:
        found = self._found(artifact)
        if found is None:
            raise KeyError(artifact)
        return found

    def get(self, artifact: str, default: Any = None) -> Any:
        """Returns what is known of an artifact: nothing of most, before they are acquired."""
        found = self._found(artifact)
        return default if found is None else found

    def _found(self, artifact: str) -> Kept | None:
        if artifact in self._changed:
            return self._changed[artifact]
        if artifact not in self._read:
            row = self._database.execute(
                "SELECT resource, state, seen FROM entries WHERE artifact = ?", (_key(artifact),)
            ).fetchone()
            if len(self._read) >= MOST_READ:
                self._read.clear()
            self._read[artifact] = self._entry(artifact, *row) if row else None
        return self._read[artifact]

    def _entry(self, artifact: str, resource: bytes | None, state: bytes, seen: bytes) -> Kept:
        return self._unpack(artifact if resource is None else _text(resource), state, seen)

    def __setitem__(self, artifact: str, entry: Kept) -> None:
        self._read.pop(artifact, None)
        self._changed[artifact] = entry
        if len(self._changed) >= MOST_CHANGED:
            self._write()

    def __delitem__(self, artifact: str) -> None:
        raise TypeError("nothing that the record told is forgotten")

    def _write(self) -> None:
        with _as_faults_of_this_machine():
            if not self._database.in_transaction:
                self._database.execute("BEGIN IMMEDIATE")
            self._database.executemany(
                "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)",
                [_row(name, each) for name, each in self._changed.items()],
            )
        self._changed.clear()

    def _written(self) -> sqlite3.Connection:
        """The database, with all that waited to be written."""
        if self._changed:
            self._write()
        return self._database

    def __len__(self) -> int:
        return int(self._written().execute("SELECT count(*) FROM entries").fetchone()[0])

    def __iter__(self) -> Iterator[str]:
        """Yields the artifacts, sorted."""
        for row in self._written().execute("SELECT artifact FROM entries ORDER BY artifact"):
            yield _text(row[0])

    def items(self) -> ItemsView[str, Kept]:
        """Returns artifacts and entries, sorted; they come one by one."""
        return _Items(self)

    def values(self) -> ValuesView[Kept]:
        """Returns the entries, sorted by artifact; they come one by one."""
        return _Values(self)

    def rows(self, query: str = _ALL) -> Iterator[tuple[str, Kept]]:
        """Yields artifacts and entries, sorted."""
        for key, *row in self._written().execute(query):
            artifact = _text(key)
            yield artifact, self._entry(artifact, *row)

    def of_resources(self, marker: Callable[[str], str]) -> Iterator[tuple[str, Kept]]:
        """Yields each resource with the entry of its own artifact, sorted; `marker` names that."""
        own = self.rows(_OWN)
        return merge(
            (each for each in own if marker(each[0]) == each[0]),
            self._of_others(marker),
            key=itemgetter(0),
        )

    def _of_others(self, marker: Callable[[str], str]) -> Iterator[tuple[str, Kept]]:
        """Those whose own artifact has another address; sorting whole entries would take long."""
        query = "SELECT resource, artifact FROM entries WHERE resource NOT NULL ORDER BY resource"
        for key, artifact in self._written().execute(query):
            resource = _text(key)
            if marker(resource) == _text(artifact):
                yield resource, self[_text(artifact)]


class _Items(ItemsView[str, Kept]):
    _mapping: Index[Kept]

    def __iter__(self) -> Iterator[tuple[str, Kept]]:
        return self._mapping.rows()


class _Values(ValuesView[Kept]):
    _mapping: Index[Kept]

    def __iter__(self) -> Iterator[Kept]:
        return (entry for _, entry in self._mapping.rows())


def _key(artifact: str) -> bytes:
    """Sorts as the text does; a file's name may hold what is no text in UTF-8."""
    return artifact.encode("utf-8", "surrogatepass")


def _text(key: bytes) -> str:
    return key.decode("utf-8", "surrogatepass")


def _row(artifact: str, entry: Entry) -> tuple[bytes, bytes | None, bytes, bytes | None]:
    """An artifact that is its own resource is not spelt twice."""
    resource = None if entry.resource == artifact else _key(entry.resource)
    return _key(artifact), resource, *entry.packed()


def _remove(path: Path) -> None:
    for each in (path, path.with_name(f"{path.name}-journal")):
        each.unlink(missing_ok=True)


@contextmanager
def _unless_busy() -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise


@contextmanager
def _as_faults_of_this_machine() -> Iterator[None]:
    """A full disk is the same fault whoever met it."""
    try:
        yield
    except sqlite3.OperationalError as error:
        is_full = error.sqlite_errorcode == sqlite3.SQLITE_FULL
        number = errno.ENOSPC if is_full else errno.EIO
        raise OSError(number, f"{os.strerror(number)}: {error}") from error
