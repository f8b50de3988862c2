"""Names that platforms give to files, as relative paths that are safe on any disk."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from unicodedata import normalize

LONGEST_SEGMENT = 200
"""Bytes of UTF-8. File systems allow 255; the rest is left for suffixes such as `.partial`."""

LONGEST_PATH = 1000
"""Bytes of UTF-8. Linux allows 4096 for the whole path, macOS 1024."""

_CONTROL = re.compile(r"[\x01-\x1f\x7f]")
_DRIVE = re.compile(r"[A-Za-z]:/")


@dataclass(frozen=True)
class SafePath:
    """What became of a declared name."""

    path: str
    """Relative, without `..`, unique among its neighbours; also where the name is refused."""
    is_refused: bool = False
    """Whether the name points out of the folder, or is none."""
    note: str | None = None
    """What was changed, or why it is refused."""


def safe_paths(names: Iterable[str]) -> list[SafePath]:
    """Returns a path for each name, in order; no two are one file on a disk that ignores case.

    A name that is absolute, has `..` or NUL in it, or is empty is refused: it gets a path that is
    free, and must not be fetched under it. Others are changed as little as can be, with a note.
    """
    judged = [_judged(name, number) for number, name in enumerate(names, 1)]
    folders = {key for each in judged for key in _folders(each.path)}
    taken: set[str] = set()
    numbers: dict[str, int] = {}
    return [_unique(each, taken, folders, numbers) for each in judged]


def _judged(name: str, number: int) -> SafePath:
    """The name by itself, without its neighbours."""
    reason = refusal(name)
    if reason is not None:
        return SafePath(f"unsafe-{number}", is_refused=True, note=f"{name[:200]!r}: {reason}")
    plain = normalize("NFC", name.encode("utf-8", "replace").decode()).replace("\\", "/")
    segments = [_CONTROL.sub("_", each) for each in plain.split("/") if each not in ("", ".")]
    path = "/".join(_shortened(each) for each in segments)
    if len(path.encode()) > LONGEST_PATH:
        path = f"{sha256(path.encode()).hexdigest()[:16]}/{path.rpartition('/')[2]}"
    note = None if path == name else f"{name[:200]!r} is kept as {path[:200]!r}"
    return SafePath(path, note=note)


def refusal(name: str) -> str | None:
    """Returns why no path inside a folder may be made of a name; None where one may."""
    plain = name.replace("\\", "/")
    if "\0" in plain:
        return "has a NUL in it"
    if plain.startswith("/") or _DRIVE.match(plain):
        return "is absolute"
    segments = plain.split("/")
    if ".." in segments:
        return "leads out of its folder"
    if all(each in ("", ".") for each in segments) or segments[-1] in ("", "."):
        return "names no file"
    return None


def _shortened(segment: str) -> str:
    """A segment that fits; its extension and a hash of the whole stay."""
    if len(segment.encode()) <= LONGEST_SEGMENT:
        return segment
    stem, dot, extension = segment.rpartition(".")
    tail = f"{dot}{extension}" if stem and len(extension.encode()) <= 16 else ""
    mark = f"-{sha256(segment.encode()).hexdigest()[:16]}"
    room = LONGEST_SEGMENT - len((mark + tail).encode())
    return segment.encode()[:room].decode("utf-8", "ignore") + mark + tail


def _folders(path: str) -> set[str]:
    """The keys of the folders that a path lies in."""
    segments = _key(path).split("/")
    return {"/".join(segments[:depth]) for depth in range(1, len(segments))}


def _unique(
    each: SafePath, taken: set[str], folders: set[str], numbers: dict[str, int]
) -> SafePath:
    """The path, or another one beside it where that is taken by a file or needed as a folder.

    `numbers` holds the last one given to each name: many files of one name take no longer.
    """
    path, key = each.path, _key(each.path)
    number = numbers.get(key, 1)
    while _key(path) in taken or _key(path) in folders:
        number += 1
        path = _numbered(each.path, number)
    taken.add(_key(path))
    numbers[key] = number
    if path == each.path:
        return each
    note = each.note if each.is_refused else f"{each.path[:200]!r} is there twice: kept as {path!r}"
    return SafePath(path, each.is_refused, note)


def _numbered(path: str, number: int) -> str:
    folder, slash, name = path.rpartition("/")
    stem, dot, extension = name.rpartition(".")
    if not stem:
        return f"{path} ({number})"
    return f"{folder}{slash}{stem} ({number}){dot}{extension}"


def _key(path: str) -> str:
    """What two paths have in common that are one file where case is ignored."""
    return normalize("NFC", path.casefold())
