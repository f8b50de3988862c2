"""What a file that holds files is said to hold: its entries, by names that are safe and unique."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO

MOST_LISTED = 10_000
"""Entries that are named; the rest of a larger archive is counted only."""

LONGEST_NAME = 500
"""Characters of a name with its folders; file systems stop at 255 bytes a segment."""

_UNSAFE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_DRIVE = re.compile(r"[A-Za-z]:(?=[\\/])")
_SYSTEM_FILES = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
_SYSTEM_FOLDER = "__MACOSX"


class Bomb(Exception):
    """The file would explode: the message says how."""


class Unreadable(Exception):
    """The file cannot be opened, or no further: the message says why."""


@dataclass(frozen=True)
class Raw:
    """An entry as the file states it."""

    name: str
    size: int | None = None
    """Bytes, as stated; `None` where nothing is."""
    modified: str | None = None
    declared_type: str | None = None
    left_out: str | None = None
    """Why it is no document at all: a link, a device."""
    fault: str | None = None
    """Why its bytes cannot be had: encrypted."""
    open: Callable[[], IO[bytes]] | None = None
    """Gives its bytes; valid until the next entry is asked for."""


@dataclass(frozen=True)
class Entry:
    """An entry under a name that is relative, unique in its file, and leads nowhere else."""

    name: str
    raw: Raw
    is_renamed: bool = False
    """Its own name was unsafe."""
    is_again: bool = False
    """Its own name was taken by one before."""

    @property
    def left_out(self) -> str | None:
        """Why it is no document, `None` where it may be one."""
        if self.raw.left_out:
            return self.raw.left_out
        folders, _, last = self.name.rpartition("/")
        is_system = last in _SYSTEM_FILES or _SYSTEM_FOLDER in folders.split("/")
        return "a file of the system that packed it" if is_system else None


@dataclass
class Names:
    """Gives every entry of one file its name, in their order; the same order, the same names."""

    taken: set[str] = field(default_factory=set)
    numbers: dict[str, int] = field(default_factory=dict)
    """By name: the last number that was put behind it."""

    def entries(self, raws: Iterable[Raw]) -> Iterator[Entry]:
        """Yields the entries under their names."""
        for raw in raws:
            name, is_renamed = safe_name(raw.name)
            unique = self._unique(name)
            self.taken.add(unique)
            yield Entry(unique, raw, is_renamed, unique != name)

    def _unique(self, name: str) -> str:
        folders, slash, last = name.rpartition("/")
        stem, dot, extension = last.rpartition(".")
        if not stem:
            stem, dot, extension = last, "", ""
        number, unique = self.numbers.get(name, 1), name
        while unique in self.taken:
            number += 1
            unique = f"{folders}{slash}{stem}~{number}{dot}{extension}"
        self.numbers[name] = number
        return unique


def safe_name(name: str) -> tuple[str, bool]:
    """Returns a name with its folders as a relative path, and whether anything unsafe went:
    an absolute start, a drive, `..`, control characters, excess length.  Backslashes part folders.
    """
    plain = _UNSAFE.sub("", name)
    path = _DRIVE.sub("", plain, count=1).replace("\\", "/")
    segments = [each for each in path.split("/") if each.strip() not in ("", ".")]
    kept = [each for each in segments if each.strip() != ".."]
    is_unsafe = len(plain) != len(name) or path != plain.replace("\\", "/")
    is_unsafe |= path.startswith("/") or len(kept) != len(segments)
    joined = "/".join(kept)
    if len(joined) > LONGEST_NAME:
        joined, is_unsafe = _shortened(joined), True
    return (joined, is_unsafe) if joined else ("unnamed", True)


def _shortened(name: str) -> str:
    """Returns the end of a name that is too long: there is the extension."""
    return name[-LONGEST_NAME:].lstrip("/").lstrip(".") or "unnamed"
