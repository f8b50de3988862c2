"""The tree that a person browses: at each address's path a link to the text that stands now."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from centinel.standing import Standing
from centinel.store import Store


@dataclass(frozen=True)
class Mirrored:
    """What became of the tree."""

    links: int
    added: int
    changed: int
    removed: int


def mirror(store: Store, texts: Iterable[Standing]) -> Mirrored:
    """Makes `current/` what the texts say, touching only what is different.

    Each link is there whole or not at all; a tree that a crash left half made is mended by the next
    call. Only links and empty folders are ever removed. Raises OSError for a fault of this machine.
    """
    wanted = {path: f"{'../' * (path.count('/') + 1)}{text}" for path, text in _paths(store, texts)}
    root = store.current
    root.mkdir(parents=True, exist_ok=True)
    store.current_beside.unlink(missing_ok=True)  # of one that was killed
    found, folders = _scanned(root)
    stale = found.keys() - wanted.keys()
    for path in stale:
        (root / path).unlink()
    added = changed = 0
    for path, target in wanted.items():
        there = found.get(path)
        if there == target:
            continue
        added, changed = added + (there is None), changed + (there is not None)
        _link(store, root / path, target)
    for folder in sorted(folders, reverse=True):  # what is inside comes before what it is in
        with suppress(OSError):  # it is not empty
            (root / folder).rmdir()
    return Mirrored(len(wanted), added, changed, len(stale))


def _paths(store: Store, texts: Iterable[Standing]) -> Iterator[tuple[str, str]]:
    for each in texts:
        yield store.current_path(each.artifact), each.text


def _scanned(root: Path) -> tuple[dict[str, str], list[str]]:
    """Where each link under a folder leads, and the folders in it; paths are relative to it."""
    links: dict[str, str] = {}
    folders = [""]
    for folder in folders:
        with os.scandir(f"{root}/{folder}") as entries:
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_symlink():
                    links[path] = os.readlink(entry.path)  # noqa: PTH115 (a hundred thousand)
                elif entry.is_dir(follow_symlinks=False):
                    folders.append(path)
    return links, folders[1:]


def _link(store: Store, path: Path, target: str) -> None:
    """Makes a link, or renames a new one to its place where something stands there."""
    try:
        _make(path, target)
    except FileExistsError:
        _make(store.current_beside, target)
        store.current_beside.replace(path)


def _make(path: Path, target: str) -> None:
    try:
        path.symlink_to(target)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)
