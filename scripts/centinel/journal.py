"""The record: written in groups, bytes before the lines that name them; replayed into a history."""

import gzip
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from centinel.files import (
    parse_line,
    sync,
    sync_all,
    to_bytes,
    write_all,
    write_whole,
)
from centinel.record import (
    Json,
    Line,
    Observation,
    Resource,
)
from centinel.store import Store

GROUP_LINES = 64
GROUP_SECONDS = 1.0
"""A kill or a power cut loses at most a group: so many artifacts, or so many seconds."""

GROUP_BYTES = 8 << 20
"""Bodies in memory; a group with more of them is written at once."""


def now() -> datetime:
    """Returns the present time in UTC."""
    return datetime.now(UTC)


@dataclass
class Journal:
    """Appends to the record. Use it under the record's lock, and commit before leaving it."""

    store: Store
    clock: Callable[[], datetime] = now
    _months: dict[tuple[int, int], tuple[Path, list[bytes]]] = field(default_factory=dict)
    """The lines of each month in UTC, with its file."""
    _count: int = 0
    _bodies: dict[str, Path | bytes] = field(default_factory=dict)
    _size: int = 0
    """Bytes of the bodies in memory."""
    _opened: float = 0.0

    def add(self, at: datetime, line: Line, body: Path | bytes | None = None) -> None:
        """Adds a line, with the bytes that it names or their file; commits when the group is full.

        A file is moved to its blob; where that blob is there already, it is removed.
        """
        if not self._count:
            self._opened = time.monotonic()
        if body is not None and isinstance(line, Observation):
            self._add_body(line.blob, body)
        utc = at.astimezone(UTC)
        month = (utc.year, utc.month)
        if month not in self._months:
            self._months[month] = (self._file_of(at), [])
        self._months[month][1].append(to_bytes(line.to_json()) + b"\n")
        self._count += 1
        if self._count >= GROUP_LINES or self._size >= GROUP_BYTES or self.is_due():
            self.commit()

    def _file_of(self, at: datetime) -> Path:
        """The file of a month, or a later one that is there: lines stay in the order in which they
        came, though the clock was set back."""
        return max([self.store.record_month(at), *self.store.record_months()])

    def _add_body(self, sha256: str, body: Path | bytes) -> None:
        if sha256 in self._bodies or self.store.has_blob(sha256):
            if isinstance(body, Path):
                body.unlink()
        else:
            self._bodies[sha256] = body
            self._size += len(body) if isinstance(body, bytes) else 0

    def is_due(self) -> bool:
        """Returns whether the open group is older than a group may be."""
        return self._count > 0 and time.monotonic() - self._opened >= GROUP_SECONDS

    def commit(self) -> None:
        """Syncs the group's bytes, names them as blobs, then appends and syncs its lines.

        After a fault of this machine, a second call goes on where the first stopped.
        """
        self._put_into_files()
        sync_all([body for body in self._bodies.values() if isinstance(body, Path)])
        folders = set()
        try:
            for sha256, body in list(self._bodies.items()):
                if isinstance(body, Path):
                    folders.add(_name(body, self.store.blob(sha256)))
                del self._bodies[sha256]
        finally:
            sync_all(folders)
        for month, (path, lines) in list(self._months.items()):
            append(path, b"".join(lines))
            del self._months[month]
        self._count = self._size = 0

    def _put_into_files(self) -> None:
        """A file of its own, not yet where a blob lies: a torn one is never taken for a blob."""
        in_memory = {each: body for each, body in self._bodies.items() if isinstance(body, bytes)}
        if in_memory:
            self.store.incoming.mkdir(parents=True, exist_ok=True)
        for sha256, body in in_memory.items():
            path = self.store.incoming / sha256
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
            try:
                write_all(descriptor, body)
            finally:
                os.close(descriptor)
            self._bodies[sha256] = path


def _name(body: Path, blob: Path) -> Path:
    """Moves a body to its blob; returns the folder, which is new for most of the first blobs."""
    folder = blob.parent
    try:
        folder.mkdir()
    except FileExistsError:
        pass
    except FileNotFoundError:
        folder.mkdir(parents=True, exist_ok=True)
    body.rename(blob)
    return folder


def append(path: Path, lines: bytes) -> None:
    """Appends whole lines and syncs them; where the last line was torn, starts on a new one."""
    is_new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as stream:
        size = stream.seek(0, os.SEEK_END)
        if size and os.pread(stream.fileno(), 1, size - 1) != b"\n":
            lines = b"\n" + lines
        stream.write(lines)
        stream.flush()
        os.fsync(stream.fileno())
    if is_new:
        sync(path.parent)


def keep_snapshot(store: Store, at: datetime, lines: bytes) -> str:
    """Keeps the lines of a snapshot in the record; returns its path as records spell it."""
    path = store.kept_snapshot(at)
    write_whole(path, gzip.compress(lines, mtime=0))
    sync(path)
    sync(path.parent)
    return store.relative(path)


def read_snapshot(store: Store, name: str) -> list[Resource]:
    """Returns the resources of a kept snapshot, by the path that its discovery line gives."""
    return [Resource.from_json(line) for line in _lines_of(store, name)]


def addresses_in(store: Store, name: str) -> set[str]:
    """Returns the addresses in a kept snapshot, in half the time of its resources."""
    return {line["address"] for line in _lines_of(store, name)}


def _lines_of(store: Store, name: str) -> Iterator[Json]:
    with gzip.open(store.root / name) as stream:
        lines = map(parse_line, stream.read().splitlines())
        yield from (line for line in lines if line is not None)


@dataclass
class Torn:
    """Lines of the record that could not be read, as file and line number."""

    places: list[str] = field(default_factory=list)


def read_record(
    store: Store, torn: Torn | None = None, read: Mapping[str, int] | None = None
) -> Iterator[Json]:
    """Yields the record's lines in the order of their months; torn ones are skipped and named.

    `read` says how many bytes of a file are passed over.
    """
    for month in store.record_months():
        with month.open("rb") as stream:
            start = stream.seek((read or {}).get(month.name, 0))
            for number, line in enumerate(stream, 1):
                value = parse_line(line)
                if value is not None:
                    yield value
                elif torn is not None and line.strip():
                    before = month.read_bytes()[:start].count(b"\n") if start else 0
                    torn.places.append(f"{store.relative(month)}:{before + number}")
