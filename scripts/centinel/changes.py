"""What happened to a source's resources over time, told from the record and its kept snapshots.

What was told is kept in a file beside the record, which may be deleted: only new lines are told on.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol

from centinel import kept
from centinel.files import to_bytes, write_rendered
from centinel.journal import addresses_in, read_record
from centinel.kept import Busy, Mark
from centinel.record import Json, Line, Liveness
from centinel.store import Store

APPEARED = "appeared"
CHANGED = "changed"
VANISHED = "vanished"
BECAME = {Liveness.GONE: "became gone", Liveness.BLOCKED: "became blocked"}
CAME_BACK = "came back"


@dataclass(frozen=True)
class Change(Line):
    """One event: one line of `changes.jsonl`."""

    at: str
    resource: str
    artifact: str | None
    """The artifact that it happened to; None where it is about the source's list."""
    event: str
    before: str | None
    after: str | None
    """Hashes of blobs for `changed`, else words: a liveness, or how it stood in the list."""


@dataclass(slots=True)
class _Artifact:
    """The last that was seen of one artifact."""

    liveness: str | None = None
    fingerprint: str | None = None
    blob: str | None = None


class Memory(Protocol):
    """What was told before of artifacts and of the source's list."""

    last_was_cut: bool

    def artifact(self, name: str) -> _Artifact:
        """Returns the last that was seen of an artifact, to be changed."""
        ...

    def listed(self) -> set[str]:
        """Returns the addresses that are listed, to be changed."""
        ...

    def left(self) -> set[str]:
        """Returns those that are no longer, to be changed."""
        ...


@dataclass
class _Fresh:
    """Nothing was told before."""

    last_was_cut: bool = False
    artifacts: dict[str, _Artifact] = field(default_factory=dict)
    addresses: tuple[set[str], set[str]] = field(default_factory=lambda: (set(), set()))

    def artifact(self, name: str) -> _Artifact:
        return self.artifacts.setdefault(name, _Artifact())

    def listed(self) -> set[str]:
        return self.addresses[0]

    def left(self) -> set[str]:
        return self.addresses[1]


@dataclass
class _Teller:
    """Walks the record once, and tells what changed from line to line."""

    addresses_in: Callable[[str], set[str]]
    memory: Memory

    def tell(self, line: Json) -> Iterator[Change]:
        teller = {
            "observation": self._observation,
            "status": self._status,
            "discovery": self._discovery,
        }.get(str(line.get("type")))
        return teller(line) if teller else iter(())

    def _observation(self, line: Json) -> Iterator[Change]:
        known = self.memory.artifact(line["artifact"])
        yield from self._liveness(line, known, Liveness.LIVE)
        if known.fingerprint not in (None, line["fingerprint"]):
            yield _change(line, CHANGED, known.blob, line["blob"])
        known.fingerprint, known.blob = line["fingerprint"], line["blob"]

    def _status(self, line: Json) -> Iterator[Change]:
        known = self.memory.artifact(line["artifact"])
        yield from self._liveness(line, known, line["liveness"])

    def _liveness(self, line: Json, known: _Artifact, after: str) -> Iterator[Change]:
        before, known.liveness = known.liveness, after
        if before == after:
            return
        if after == Liveness.LIVE and before in BECAME:
            yield _change(line, CAME_BACK, before, after)
        # An error says nothing of the address: what was gone before it is still gone after it.
        elif after == Liveness.ERROR and before in BECAME:
            known.liveness = before
        # What was never seen otherwise did not become anything.
        elif after in BECAME and before is not None:
            yield _change(line, BECAME[Liveness(after)], before, after)

    def _discovery(self, line: Json) -> Iterator[Change]:
        if line["outcome"] != "ok" or not line.get("snapshot"):
            return
        is_cut = bool(line["truncated"])
        # Equal lists are not unpacked: most snapshots of most sources are.
        if line.get("new") != 0 or line.get("vanished") != 0:
            published, listed = self.addresses_in(line["snapshot"]), self.memory.listed()
            gone = set() if is_cut else listed - published
            if not self.memory.last_was_cut:
                yield from self._listed(line["at"], sorted(published - listed), sorted(gone))
            listed |= published
            listed -= gone
        self.memory.last_was_cut = is_cut

    def _listed(self, at: str, more: list[str], gone: list[str]) -> Iterator[Change]:
        left = self.memory.left() if more or gone else set()
        for address in more:
            event, before = (CAME_BACK, VANISHED) if address in left else (APPEARED, None)
            left.discard(address)
            yield Change(at, address, None, event, before, "listed")
        for address in gone:
            left.add(address)
            yield Change(at, address, None, VANISHED, "listed", None)


def _change(line: Json, event: str, before: str | None, after: str | None) -> Change:
    return Change(line["at"], line["resource"], line["artifact"], event, before, after)


def tell(
    lines: Iterable[Json],
    addresses_in: Callable[[str], set[str]],
    memory: Memory | None = None,
) -> Iterator[Change]:
    """Yields the events that a record's lines tell, in their order.

    `addresses_in` gives the addresses of a kept snapshot by its name, `memory` what the lines
    before these told. Nothing is said to have vanished from, or appeared after, a list that was
    cut.
    """
    teller = _Teller(addresses_in, memory or _Fresh())
    for line in lines:
        yield from teller.tell(line)


FORM = "changes 1"
"""What a kept file holds: one of another form is not used."""

_TABLES = """
CREATE TABLE artifacts (
    artifact TEXT PRIMARY KEY, liveness TEXT, fingerprint TEXT, blob TEXT
) WITHOUT ROWID;
CREATE TABLE addresses (
    is_listed INTEGER, address TEXT, PRIMARY KEY (is_listed, address)
) WITHOUT ROWID;
CREATE TABLE told (number INTEGER PRIMARY KEY, lines BLOB);
"""

_TOGETHER = 1 << 20
"""Bytes of lines that are kept in one row."""


class _Kept:
    """What was told, and what is to be remembered for telling on."""

    def __init__(self, database: sqlite3.Connection, path: Path | None, *, is_new: bool) -> None:
        self._database = database
        self._path = path
        self._is_new = is_new
        self._artifacts: dict[str, _Artifact] = {}
        self._before: dict[int, set[str]] = {}
        self._addresses: dict[int, set[str]] = {}
        (was_cut,) = (None,) if is_new else kept.facts(database, "last_was_cut")
        self.last_was_cut = bool(was_cut)

    def artifact(self, name: str) -> _Artifact:
        known = self._artifacts.get(name)
        if known is None:
            known = self._artifacts[name] = _Artifact(*self._row_of(name))
        return known

    def _row_of(self, name: str) -> tuple[str | None, ...]:
        query = "SELECT liveness, fingerprint, blob FROM artifacts WHERE artifact = ?"
        row = None if self._is_new else self._database.execute(query, (name,)).fetchone()
        return row or ()

    def listed(self) -> set[str]:
        return self._addresses_that(1)

    def left(self) -> set[str]:
        return self._addresses_that(0)

    def _addresses_that(self, is_listed: int) -> set[str]:
        if is_listed not in self._addresses:
            query = "SELECT address FROM addresses WHERE is_listed = ?"
            found = {row[0] for row in self._database.execute(query, (is_listed,))}
            self._before[is_listed], self._addresses[is_listed] = found, set(found)
        return self._addresses[is_listed]

    def take(self, changes: Iterable[Change]) -> None:
        """Takes what is told on."""
        lines, size = [], 0
        for change in changes:
            lines.append(to_bytes(change.to_json()) + b"\n")
            size += len(lines[-1])
            if size >= _TOGETHER:
                self._insert(lines)
                lines, size = [], 0
        if lines:
            self._insert(lines)

    def _insert(self, lines: list[bytes]) -> None:
        with kept.faults_of_this_machine():
            self._database.execute("INSERT INTO told (lines) VALUES (?)", (b"".join(lines),))

    def told(self) -> Iterator[bytes]:
        """Yields all that was told, in order."""
        rows = self._database.execute("SELECT lines FROM told ORDER BY number")
        return (row[0] for row in rows)

    def keep(self, marks: Iterable[Mark]) -> None:
        """Keeps what was told, as what these files of the record tell."""
        with kept.faults_of_this_machine():
            self._database.executemany(
                "INSERT OR REPLACE INTO artifacts VALUES (?, ?, ?, ?)",
                (
                    (name, each.liveness, each.fingerprint, each.blob)
                    for name, each in self._artifacts.items()
                ),
            )
            for is_listed, after in self._addresses.items():
                before = self._before[is_listed]
                self._database.executemany(
                    "DELETE FROM addresses WHERE is_listed = ? AND address = ?",
                    ((is_listed, each) for each in before - after),
                )
                self._database.executemany(
                    "INSERT INTO addresses VALUES (?, ?)",
                    ((is_listed, each) for each in after - before),
                )
        kept.keep(self._database, marks, {"form": FORM, "last_was_cut": self.last_was_cut})

    def close(self) -> None:
        """Forgets what was not kept."""
        self._database.close()

    def drop(self) -> None:
        """Forgets everything: what is unexpected may come of damage that nobody saw."""
        self._database.close()
        if self._path is not None:
            kept.remove(self._path)


def write(store: Store) -> None:
    """Writes `changes.jsonl` of a source: what was told before, and what the record tells since.

    Raises OSError for a fault of this machine.
    """
    marks = kept.marks_of(store)
    memory, read = _recalled(store)
    try:
        lines = read_record(store, read=read)
        memory.take(tell(lines, partial(addresses_in, store), memory))
        if kept.marks_of(store) == marks:  # else somebody added lines meanwhile
            memory.keep(marks)
        write_rendered(store.changes, memory.told())
    except OSError:
        raise
    except Exception:
        memory.drop()
        raise
    finally:
        memory.close()


def _recalled(store: Store) -> tuple[_Kept, dict[str, int]]:
    """What was told, and how far each file of the record was read for it."""
    path = store.changes_kept
    try:
        database = kept.opened(path, FORM, is_changed=True)
    except Busy:
        return _Kept(kept.new(None, _TABLES), None, is_new=True), {}
    if database is not None:
        try:
            read = kept.read_on(store, kept.marks(database))
            if read is not None:
                return _Kept(database, path, is_new=False), read
        except (ValueError, TypeError, KeyError):
            pass  # damaged: it is made again
        database.close()
    return _Kept(kept.new(path, _TABLES), path, is_new=True), {}
