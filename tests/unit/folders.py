"""Folders as sources: files with a time, a client, and a user without the rights of root."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from centinel.configuration import Source
from centinel.http import Client
from centinel.liveness import Refusal
from centinel.sources.folder import Folder
from centinel.sources.source_kind import Enumeration
from tests.unit.support import (
    source,
)

NOBODY = 65534


def block(root: Path | str, **changes: Any) -> Source:
    """The block of a folder source."""
    return source(str(root), key="folder", **changes)


def write(root: Path, name: str, content: bytes = b"text", seconds: float = 1_700_000_000) -> Path:
    """A file with a time of change."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, (seconds, seconds))
    return path


def listed(root: Path, asking: Client) -> Enumeration:
    return Folder().enumerate(block(root), asking)


def addresses(found: Enumeration) -> list[str]:
    return sorted(each.address for each in found.resources)


def fetch(root: Path, asking: Client, address: str, etag: str | None = None) -> Any:
    return Folder().fetch(block(root), asking, address, {"etag": etag} if etag else {})


def refused(root: Path, asking: Client, address: str) -> Refusal:
    answer = fetch(root, asking, address)
    assert isinstance(answer, Refusal)
    assert list(asking.folder.iterdir()) == []
    return answer


@contextmanager
def as_nobody(*folders: Path) -> Iterator[None]:
    """Without the rights of root, which may read everything; the folders stay writable."""
    if os.geteuid() != 0:
        yield
        return
    for each in folders:
        each.chmod(0o777)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def folder_for_all() -> Iterator[Path]:
    """A folder that everybody may enter, which pytest's own is not."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o777)
    yield made
    for path in made.rglob("*"):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o777)
    shutil.rmtree(made)
