"""A disk that fills, at whichever write: nothing is torn, and nothing of it is lost."""

import errno
import io
import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from centinel.journal import read_record
from centinel.store import Store
from tests.sites.server import Answer, Site
from tests.unit.acquiring import DOCUMENT, page, publish, run
from tests.unit.support import files_under, lines_of


def blobs_of(store: Store) -> dict[str, str]:
    """The blob of each artifact."""
    return {line["artifact"]: line["blob"] for line in lines_of(store.artifacts)}


def observed_in(store: Store, site: Site) -> list[str]:
    """The artifacts of the observation lines, without the site's own part; torn ones are passed."""
    named = (each["artifact"] for each in read_record(store) if each["type"] == "observation")
    return [name.removeprefix(site.address) for name in named]


def assert_sound(store: Store) -> None:
    """Every blob holds what its name says, and every observation has its blob."""
    files = {Path(name).name: content for name, content in files_under(store.blobs).items()}
    blobs = {name: content for name, content in files.items() if "." not in name}
    hashes = {name: sha256(content).hexdigest() for name, content in blobs.items()}
    assert [name for name, found in hashes.items() if name != found] == []
    whole = [line for line in read_record(store) if line["type"] == "observation"]
    assert {line["blob"] for line in whole} <= hashes.keys()


def undisturbed(folder: Path, site: Site, paths: list[str]) -> dict[str, str]:
    """What one good day gives."""
    store = Store(folder / "undisturbed", "town")
    publish(store, site, *paths)
    run(store, site)
    return blobs_of(store)


@dataclass
class Disk:
    """Takes so many writes; the one after is half done, and so are the others while it is full."""

    left: int
    stays_full: bool

    def takes(self) -> bool:
        """Counts a write; returns whether there is space for it."""
        self.left -= 1
        return self.left >= 0 if self.stays_full else self.left != -1

    def check(self) -> None:
        """Counts a write that is done whole or not at all."""
        if not self.takes():
            raise full()

    def write(self, real: Callable[[Any], int], data: Any, is_raw: bool) -> int:
        """Writes what there is space for: the kernel says no error as long as that is something."""
        if self.takes():
            return real(data)
        half = data[: len(data) // 2]
        written = real(half)
        if not written or not is_raw:
            raise full()
        return written


def full() -> OSError:
    """What the kernel says."""
    return OSError(errno.ENOSPC, "No space left on device")


class Stream:
    """A file on a disk that fills."""

    def __init__(self, stream: Any, disk: Disk) -> None:
        self.stream, self.disk = stream, disk

    def write(self, data: bytes) -> int:
        """Writes as the disk does."""
        is_raw = isinstance(self.stream, io.RawIOBase)
        return self.disk.write(self.stream.write, data, is_raw)

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def on(disk: Disk) -> Iterator[None]:
    """Whatever this process writes, renames or makes a folder of is on that disk."""
    opened, written = Path.open, os.write

    def open_(self: Path, mode: str = "r", *rest: Any, **named: Any) -> Any:
        stream = opened(self, mode, *rest, **named)
        return Stream(stream, disk) if set(mode) & set("wax+") else stream

    def write(descriptor: int, data: Any) -> int:
        return disk.write(partial(written, descriptor), data, is_raw=True)

    def counted(real: Any) -> Any:
        def call(self: Path, *rest: Any, **named: Any) -> Any:
            disk.check()
            return real(self, *rest, **named)

        return call

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "open", open_)
        patch.setattr(os, "write", write)
        for name in ("rename", "replace", "mkdir"):
            patch.setattr(Path, name, counted(getattr(Path, name)))
        yield


SHORT = 4
"""Bodies of that site: a write of one may be short, and go on."""


def failure(store: Store, site: Site, disk: Disk) -> OSError | None:
    """What ended a job whose files are on that disk."""
    try:
        with on(disk):
            run(store, site)
    except OSError as error:
        return error
    return None


@pytest.mark.parametrize("stays_full", [False, True], ids=["once", "until space is made"])
def test_a_disk_that_is_full_at_any_write_loses_and_tears_nothing(
    tmp_path: Path, stays_full: bool
) -> None:
    with Site() as site:
        unsaid, paths = 0, ["/a", "/b"]
        for path in paths:
            site.set(path, page(f"{path}.pdf"))
            site.set(f"{path}.pdf", Answer(DOCUMENT.body + path.encode(), "application/pdf"))
        wanted = undisturbed(tmp_path, site, paths)
        for number in itertools.count():
            store = Store(tmp_path / str(number), "town")
            publish(store, site, *paths)
            disk = Disk(number, stays_full)
            error = failure(store, site, disk)
            if disk.left >= 0:
                break
            assert error is None or error.errno == errno.ENOSPC
            unsaid += error is None
            assert_sound(store)
            before = observed_in(store, site)
            assert {line["type"] for line in read_record(store)} <= {"observation"}
            site.forget_requests()
            run(store, site)
            assert blobs_of(store) == wanted, f"after the write {number}"
            assert not set(before) & set(site.paths())
            assert list(store.incoming.iterdir()) == []
            assert_sound(store)
    assert error is None
    assert number > 20, "every write was the one that failed, once"
    assert unsaid == (0 if stays_full else SHORT), "there was space again before it was an error"
