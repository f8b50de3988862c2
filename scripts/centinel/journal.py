"""The record: written in groups, bytes before the lines that name them; replayed into a history."""

import gzip
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from centinel.files import as_lines, parse_line, sync, sync_all, to_bytes, write_whole
from centinel.record import (
    Json,
    Line,
    Observation,
    Resource,
)
from centinel.store import Store

GROUP_LINES = 64
GROUP_SECONDS = 1.0
"""A power cut loses at most a group: so many artifacts, or so many seconds."""


def now() -> datetime:
    """Returns the present time in UTC."""
    return datetime.now(UTC)


@dataclass
class Journal:
    """Appends to the record. Use it under the record's lock, and commit before leaving it."""

    store: Store
    clock: Callable[[], datetime] = now
    _lines: list[tuple[datetime, bytes]] = field(default_factory=list)
    _bodies: dict[str, Path] = field(default_factory=dict)
    _opened: float = 0.0

    def add(self, at: datetime, line: Line, body: Path | None = None) -> None:
        """Adds a line, with the file of the bytes that it names; commits when the group is full.

        The body is moved to its blob; where that blob is there already, the body is removed.
        """
        if not self._lines:
            self._opened = time.monotonic()
        if body is not None and isinstance(line, Observation):
            if line.blob in self._bodies or self.store.blob(line.blob).exists():
                body.unlink()
            else:
                self._bodies[line.blob] = body
        self._lines.append((at, to_bytes(line.to_json()) + b"\n"))
        if len(self._lines) >= GROUP_LINES or self.is_due():
            self.commit()

    def is_due(self) -> bool:
        """Returns whether the open group is older than a group may be."""
        return bool(self._lines) and time.monotonic() - self._opened >= GROUP_SECONDS

    def pending(self, sha256: str) -> Path | None:
        """Returns where the bytes of a blob lie that is not committed yet."""
        return self._bodies.get(sha256)

    def commit(self) -> None:
        """Syncs the group's bytes, names them as blobs, then appends and syncs its lines.

        After a fault of this machine, a second call goes on where the first stopped.
        """
        sync_all(self._bodies.values())
        folders = set()
        try:
            for sha256 in list(self._bodies):
                blob = self.store.blob(sha256)
                blob.parent.mkdir(parents=True, exist_ok=True)
                self._bodies[sha256].rename(blob)
                folders.add(blob.parent)
                del self._bodies[sha256]
        finally:
            sync_all(folders)
        for month, lines in _by_month(self.store, self._lines).items():
            append(month, lines)
        self._lines.clear()


def _by_month(store: Store, lines: Iterable[tuple[datetime, bytes]]) -> dict[Path, bytes]:
    months: dict[Path, bytes] = {}
    for at, line in lines:
        month = store.record_month(at)
        months[month] = months.get(month, b"") + line
    return months


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


def keep_snapshot(store: Store, at: datetime, resources: Iterable[Resource]) -> str:
    """Keeps a snapshot in the record; returns its path as records spell it."""
    path = store.kept_snapshot(at)
    buffer = BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as stream:
        stream.write(as_lines(resources))
    write_whole(path, buffer.getvalue())
    sync(path)
    sync(path.parent)
    return store.relative(path)


def read_snapshot(store: Store, name: str) -> list[Resource]:
    """Returns the resources of a kept snapshot, by the path that its discovery line gives."""
    with gzip.open(store.root / name) as stream:
        lines = (parse_line(line) for line in stream)
        return [Resource.from_json(line) for line in lines if line is not None]


@dataclass
class Torn:
    """Lines of the record that could not be read, as file and line number."""

    places: list[str] = field(default_factory=list)


def read_record(store: Store, torn: Torn | None = None) -> Iterator[Json]:
    """Yields the record's lines in the order of their months; torn ones are skipped and named."""
    for month in sorted(store.record.glob("*.jsonl")):
        with month.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                value = parse_line(line)
                if value is not None:
                    yield value
                elif torn is not None and line.strip():
                    torn.places.append(f"{store.relative(month)}:{number}")
