"""What the record tells of each artifact, kept in a file beside it.

What acquire writes and plans of all of them stands in columns: a hundred thousand are walked
through without an object for each.
"""

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
from heapq import merge
from operator import itemgetter
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

from centinel import kept
from centinel.kept import Mark

MOST_CHANGED = 1024
"""Entries that wait in memory to be written together."""

MOST_READ = 256
"""Entries that are kept because they are asked for several times in a row."""

_TABLES = """
CREATE TABLE entries (
    artifact BLOB PRIMARY KEY, resource BLOB, stands BLOB, http_status BLOB, asked BLOB, parts TEXT,
    checked INTEGER
) WITHOUT ROWID;
CREATE TABLE seen (artifact BLOB PRIMARY KEY, line BLOB, rest BLOB, notes TEXT) WITHOUT ROWID;
"""
"""Two, in the order of their keys: a walk over one reads no more than it asks for."""

_COLUMNS = "resource, stands, http_status, asked, parts, line, rest, notes"
_FROM = "FROM entries LEFT JOIN seen USING (artifact)"
_ALL = f"SELECT artifact, {_COLUMNS} {_FROM} ORDER BY artifact"
_OWN = f"""
SELECT artifact, {_COLUMNS} {_FROM} WHERE resource IS NULL ORDER BY artifact
"""
_ONE = f"SELECT {_COLUMNS} {_FROM} WHERE artifact = ?"

REMARKABLE = f"""
SELECT artifact, {_COLUMNS} {_FROM} WHERE notes NOT NULL OR checked IS NULL ORDER BY artifact
"""
"""Artifacts with notes, and those that are not simply live: few, for `Index.rows`."""

_RESTING = """
SELECT e.artifact, e.stands, e.http_status, e.checked, CASE WHEN e.parts IS NOT NULL THEN (
    SELECT CASE
        WHEN count(p.checked) = count(*) AND count(p.parts) = 0 AND max(p.checked) <= :latest
        THEN min(p.checked) ELSE -1 END
    FROM json_each(e.parts) AS named
    LEFT JOIN entries AS p ON p.artifact = CAST(named.value AS BLOB)
) END FROM entries AS e WHERE e.resource IS NULL ORDER BY e.artifact
"""

LATEST = (1 << 63) - 1
"""No time is later."""


class Packed(NamedTuple):
    """What is kept of an artifact, as it stands in its row."""

    stands: bytes
    """How it stands: the members of a JSON object."""
    http_status: bytes
    """JSON, as most is."""
    asked: bytes
    """What else is known of it."""
    parts: str | None
    """JSON; None where there are none."""
    checked: int | None
    """When it was seen last, in microseconds since the epoch, where nothing but `revisit` says when
    it is due: it is live, and is no member."""
    seen: "Seen | None"
    """What was observed last; None where that is as it was, or nothing was."""


class Seen(NamedTuple):
    """The latest observation of an artifact, as it stands in its row."""

    line: bytes
    """Its line of `artifacts.jsonl`."""
    rest: bytes
    """What else was observed."""
    notes: str | None


class Resting(NamedTuple):
    """An artifact that is its own resource, as far as columns tell."""

    artifact: str
    stands: bytes
    http_status: bytes
    checked: int | None
    """As `Packed` says; None also where a part is a member."""
    least: int | None
    """The least `checked` of its parts; None without parts, -1 where columns do not tell."""

    def owes_nothing(self, *, is_lost: bool) -> bool:
        """Returns whether columns tell that it has no part that is owed; `is_lost` says that some
        bytes are lost, which no column tells."""
        if self.least is None:
            return True
        return not is_lost and self.checked is not None and self.least >= 0


class Entry(Protocol):
    """What is kept of an artifact."""

    resource: str

    def packed(self) -> Packed:
        """Returns what stands in its row."""
        ...


Kept = TypeVar("Kept", bound=Entry)


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
        return cls(kept.new(path, _TABLES), unpack, path)

    @classmethod
    def kept(
        cls, path: Path, form: str, unpack: Callable[..., Kept], *, is_changed: bool
    ) -> Self | None:
        """Returns the one that is kept; None where there is none of this form, or it is damaged.

        `is_changed` says that the caller will change it. Raises Busy where somebody else does.
        """
        database = kept.opened(path, form, is_changed=is_changed)
        return None if database is None else cls(database, unpack, path)

    def facts(self, *names: str) -> list[Any]:
        """Returns what `keep` was told under these names; None for what it was not told."""
        return kept.facts(self._database, *names)

    def marks(self) -> list[Mark]:
        """Returns the files of the record that the index was made from."""
        return kept.marks(self._database)

    def keep(self, marks: Iterable[Mark], facts: Mapping[str, object]) -> None:
        """Keeps everything, whole or not at all, as what files of the record told.

        Where somebody reads the file just now, it stays as it was: the record tells the same.
        """
        self._write()
        kept.keep(self._database, marks, facts)

    def close(self) -> None:
        """Forgets what was not kept."""
        self._database.close()

    def drop(self) -> None:
        """Forgets everything: what is unexpected may come of damage that nobody saw."""
        self._database.close()
        if self._path is not None:
            kept.remove(self._path)

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
            row = self._database.execute(_ONE, (_key(artifact),)).fetchone()
            if len(self._read) >= MOST_READ:
                self._read.clear()
            self._read[artifact] = self._entry(artifact, *row) if row else None
        return self._read[artifact]

    def _entry(self, artifact: str, resource: bytes | None, *columns: object) -> Kept:
        return self._unpack(artifact if resource is None else _text(resource), *columns)

    def __setitem__(self, artifact: str, entry: Kept) -> None:
        self._read.pop(artifact, None)
        self._changed[artifact] = entry
        if len(self._changed) >= MOST_CHANGED:
            self._write()

    def __delitem__(self, artifact: str) -> None:
        raise TypeError("nothing that the record told is forgotten")

    def _write(self) -> None:
        if not self._changed:
            return
        with kept.faults_of_this_machine():
            kept.begin(self._database)
            rows = [_row(name, each) for name, each in self._changed.items()]
            self._database.executemany(
                "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)",
                (row[:-1] for row in rows),
            )
            self._database.executemany(
                "INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?)",
                ((row[0], *seen) for row in rows if (seen := row[-1]) is not None),
            )
        self._changed.clear()

    def _written(self) -> sqlite3.Connection:
        """The database, with all that waited to be written."""
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

    def lines(self) -> Iterator[bytes]:
        """Yields the line of each artifact that was observed, sorted by artifact."""
        query = "SELECT line FROM seen ORDER BY artifact"
        return (row[0] for row in self._written().execute(query))

    def resting(self, latest: int = LATEST) -> Iterator[Resting]:
        """Yields the artifacts that are their own resources, sorted, without an entry for each.

        Parts that were seen after `latest` (microseconds since the epoch) are left to the entries.
        """
        make = Resting._make
        for key, *columns in self._written().execute(_RESTING, {"latest": latest}):
            yield make((_text(key), *columns))

    def parts(self) -> Iterator[tuple[str, str]]:
        """Yields the artifacts that have parts, and those as JSON, without an entry for each."""
        query = "SELECT artifact, parts FROM entries WHERE parts NOT NULL"
        return ((_text(key), parts) for key, parts in self._written().execute(query))

    def standing(self, begins: bytes) -> Iterator[str]:
        """Yields the artifacts whose `stands` begins so, without an entry for each."""
        query = "SELECT artifact FROM entries WHERE substr(stands, 1, ?) = ?"
        rows = self._written().execute(query, (len(begins), begins))
        return (_text(key) for (key,) in rows)

    def of_resources(self, marker: Callable[[str], str]) -> Iterator[tuple[str, Kept]]:
        """Yields each resource with the entry of its own artifact, sorted; `marker` names that."""
        own = self.rows(_OWN)
        return merge(
            (each for each in own if marker(each[0]) == each[0]),
            self.of_others(marker),
            key=itemgetter(0),
        )

    def of_others(self, marker: Callable[[str], str]) -> Iterator[tuple[str, Kept]]:
        """Yields those whose own artifact has another address, sorted."""
        # Sorting whole entries would take long.
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


def _row(artifact: str, entry: Entry) -> tuple[Any, ...]:
    """An artifact that is its own resource is not spelt twice."""
    resource = None if entry.resource == artifact else _key(entry.resource)
    return _key(artifact), resource, *entry.packed()
