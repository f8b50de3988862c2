"""The file that is searched: its tables, and who may open it how."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

FORM = 2
"""Raised where the tables or what stands in them change: the file is then made again."""

WAIT_SECONDS = 30.0

CACHE_KIB = 32 << 10
"""What who writes keeps in memory of it; with SQLite's own 2 MiB, most rows of a large index read a
page again that was just written."""

SHARED_WEIGHT = 0.1
"""What a shared line counts for beside a document's own."""

_TABLES = f"""
CREATE TABLE texts (
    id INTEGER PRIMARY KEY, source TEXT, path TEXT, kind TEXT, stamp TEXT, content TEXT,
    UNIQUE (source, path));
CREATE INDEX texts_by_content ON texts (content);
CREATE TABLE addresses (
    text INTEGER, address TEXT, title TEXT, observed_at TEXT, blob TEXT,
    PRIMARY KEY (text, address)) WITHOUT ROWID;
CREATE INDEX addresses_by_blob ON addresses (blob);
CREATE TABLE passages (
    id INTEGER PRIMARY KEY, text INTEGER, place INTEGER, page INTEGER, second INTEGER,
    body TEXT, shared TEXT);
CREATE INDEX passages_by_text ON passages (text);
CREATE TABLE sources (source TEXT PRIMARY KEY, audit TEXT);
CREATE TABLE learned (source TEXT PRIMARY KEY, documents INTEGER);
CREATE TABLE shared (source TEXT, line TEXT, PRIMARY KEY (source, line)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (
    body, shared, content='passages', content_rowid='id',
    tokenize="unicode61 remove_diacritics 2");
INSERT INTO words (words, rank) VALUES ('rank', 'bm25(1.0, {SHARED_WEIGHT})');
PRAGMA user_version = {FORM};
"""  # noqa: S608 (our own numbers)


class NoIndex(Exception):
    """There is no index that can be searched; the message says how to make one."""


def file_in(results: Path) -> Path:
    """Returns where the index of all sources lies."""
    return results / "search.sqlite"


def lock_in(results: Path) -> Path:
    """Returns the lock of whoever writes the index."""
    return results / ".search.lock"


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """Gives the index to change, a new one where there is none of this form, under the lock.

    Each transaction is the caller's: who reads meanwhile sees what was there before it.
    """
    database = _opened(path)
    try:
        yield database
    finally:
        database.close()


def _opened(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return _whole(path)
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        remove(path)
        return _whole(path)


def _whole(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=WAIT_SECONDS, isolation_level=None)
    try:
        # Who reads is never in the way of who writes, and sees whole transactions only.
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        (form,) = database.execute("PRAGMA user_version").fetchone()
        if form == 0 and not database.execute("SELECT 1 FROM sqlite_schema").fetchone():
            database.executescript(f"BEGIN; {_TABLES} COMMIT;")
        elif form != FORM:
            raise sqlite3.DatabaseError(f"{path}: of form {form}")
    except BaseException:
        database.close()
        raise
    return database


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Returns whether the file is none of ours, or no longer whole: not that a disk is full, nor
    that somebody holds it."""
    is_of_this_machine = isinstance(error, sqlite3.OperationalError)
    return not is_of_this_machine or error.sqlite_errorcode == sqlite3.SQLITE_ERROR


def remove(path: Path) -> None:
    """Removes the index, which is made again."""
    for name in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        name.unlink(missing_ok=True)


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Gives the index to search; raises NoIndex where there is none of this form."""
    mend = "to make it: snakemake --cores 4 results/.search"
    if not path.exists():
        raise NoIndex(f"{path} is not there; {mend}")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            (form,) = database.execute("PRAGMA user_version").fetchone()
            if form != FORM:
                raise NoIndex(f"{path} is of another form; {mend}")
            yield database
    except sqlite3.DatabaseError as error:
        raise NoIndex(f"{path} cannot be read ({error}); {mend}") from error
