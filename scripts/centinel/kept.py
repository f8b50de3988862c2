"""Files of SQLite beside the record that may be deleted at any time, and are made again.

Each says from which files of the record it was made; where it does not fit them, is of another
form, or is damaged, it is not used.
"""

import errno
import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import orjson

from centinel.files import to_bytes
from centinel.store import Store

LOCKED_SECONDS = 0.5
"""How long somebody is waited for who reads or writes the file."""

_TAIL = 4096
"""Bytes before the end of a file that show that what was added to it stands behind them."""

_FACTS = "CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB);"


class Busy(Exception):
    """Somebody changes the file just now."""


@dataclass(frozen=True)
class Mark:
    """One file of the record, as it was when something was made from it."""

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


def new(path: Path | None, tables: str) -> sqlite3.Connection:
    """Returns an empty database, in place of what is there; None for one that nobody keeps.

    Nothing of it is kept before `keep`. Raises OSError for a fault of this machine.
    """
    with faults_of_this_machine():
        if path is not None:
            remove(path)
            path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(path or "", timeout=LOCKED_SECONDS, isolation_level=None)
        database.executescript(f"BEGIN; {_FACTS} {tables}")
    return database


def opened(path: Path, form: str, *, is_changed: bool) -> sqlite3.Connection | None:
    """Returns the database that is kept; None where there is none of this form, or it is damaged.

    `is_changed` says that the caller will change it. Raises Busy where somebody else does.
    """
    if not path.exists():
        return None
    database = sqlite3.connect(path, timeout=LOCKED_SECONDS, isolation_level=None)
    try:
        if is_changed:
            database.execute("BEGIN IMMEDIATE")
        is_whole = database.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        if is_whole and facts(database, "form") == [form]:
            return database
    except (sqlite3.DatabaseError, orjson.JSONDecodeError) as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
            raise Busy(str(path)) from error
    database.close()
    return None


def facts(database: sqlite3.Connection, *names: str) -> list[Any]:
    """Returns what `keep` was told under these names; None for what it was not told."""
    found = dict(database.execute("SELECT name, value FROM facts").fetchall())
    return [orjson.loads(found[name]) if name in found else None for name in names]


def marks(database: sqlite3.Connection) -> list[Mark]:
    """Returns the files of the record that a database was made from."""
    (stated,) = facts(database, "marks")
    return [Mark(*each) for each in stated]


def keep(
    database: sqlite3.Connection, made_from: Iterable[Mark], told: Mapping[str, object]
) -> None:
    """Keeps everything, whole or not at all, as what files of the record told.

    Where somebody reads the file just now, it stays as it was: the record tells the same. Raises
    OSError for a fault of this machine.
    """
    with faults_of_this_machine():
        begin(database)
        rows = {**told, "marks": [astuple(each) for each in made_from]}
        database.executemany(
            "INSERT OR REPLACE INTO facts VALUES (?, ?)",
            [(name, to_bytes(value)) for name, value in rows.items()],
        )
        with _unless_busy():
            database.execute("COMMIT")


def begin(database: sqlite3.Connection) -> None:
    """Begins to change a database, where that has not begun."""
    if not database.in_transaction:
        database.execute("BEGIN IMMEDIATE")


def remove(path: Path) -> None:
    """Removes a database, and what a killed job left to be undone in it."""
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
def faults_of_this_machine() -> Iterator[None]:
    """A full disk is the same fault whoever met it."""
    try:
        yield
    except sqlite3.OperationalError as error:
        is_full = error.sqlite_errorcode == sqlite3.SQLITE_FULL
        number = errno.ENOSPC if is_full else errno.EIO
        raise OSError(number, f"{os.strerror(number)}: {error}") from error
