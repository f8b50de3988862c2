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
    found = dict(_links(f"{root}", ""))
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
    _remove_empty(root)
    return Mirrored(len(wanted), added, changed, len(stale))


def _paths(store: Store, texts: Iterable[Standing]) -> Iterator[tuple[str, str]]:
    for each in texts:
        yield store.current_path(each.artifact), each.text


def _links(folder: str, path: str) -> Iterator[tuple[str, str]]:
    """Each link under a folder and where it leads; `path` is that of the folder from the root."""
    folders = [(folder, path)]
    while folders:
        folder, path = folders.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                inner = f"{path}{entry.name}"
                if entry.is_symlink():
                    yield inner, os.readlink(entry.path)  # noqa: PTH115 (a hundred thousand)
                elif entry.is_dir(follow_symlinks=False):
                    folders.append((entry.path, f"{inner}/"))


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


def _remove_empty(root: Path) -> None:
    """Removes folders without anything in them, the deepest first; the root stays."""
    for folder, _, _ in os.walk(root, topdown=False):
        if folder != str(root):
            with suppress(OSError):  # it is not empty
                os.rmdir(folder)  # noqa: PTH106
