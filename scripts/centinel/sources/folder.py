"""A folder on disk: every regular file inside it is a resource at its path from the folder."""

import errno
import hashlib
import itertools
import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

from centinel.answers import Answer, Fetched, NotModified
from centinel.configuration import Source
from centinel.download import KEPT_IN_MEMORY, Body, Interrupted
from centinel.files import write_all
from centinel.http import Client
from centinel.liveness import Refusal
from centinel.record import TOO_LARGE, Liveness, Resource
from centinel.sources.source_kind import Enumeration, Parts

SCHEME = "file:///"

MOST_NAMED = 20
"""So many folders that could not be read are named in the warnings; the rest is counted."""

_CHUNK = 1 << 20
_STEP = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Without waiting: a pipe that took the file's place would wait for a writer for ever."""

_OURS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""Faults of this machine, which show nothing of a file."""

_numbers = itertools.count(1)


class Folder:
    """`folder: PATH`, relative to the working directory."""

    key = "folder"
    is_paced = False  # nothing is asked over the network

    def address(self, source: Source) -> str:
        """Returns the path as it was given."""
        return str(source.value)

    def private_is_allowed(self, source: Source) -> bool:  # noqa: ARG002 (other kinds need it)
        """Returns False: nothing is asked over the network."""
        return False

    def enumerate(self, source: Source, client: Client) -> Enumeration:
        """Lists the tree: its regular files, also hidden ones, and those that links inside it name.

        Addresses are relative to the folder, so that moving it changes none. Raises Interrupted.
        """
        walk = _Walk(Path(source.value), client)
        walk.run()
        return walk.found

    def marker(self, resource: str) -> str:
        """Returns the file itself."""
        return resource

    def fetch(
        self, source: Source, client: Client, artifact: str, validators: Mapping[str, str]
    ) -> Answer:
        """Copies a file, unless its `etag` (time of change and size) is the one that is known.

        Raises Interrupted, and OSError for a fault of this machine.
        """
        try:
            root = _root(Path(source.value))
        except OSError as error:
            reason = f"the folder could not be read: {_said(error)}"
            return Refusal(Liveness.ERROR, reason, None, artifact, answered=False)
        try:
            descriptor = _open(root, path_of(artifact))
        except _Outside:
            reason = "a link that leads out of the folder"
            return Refusal(Liveness.BLOCKED, reason, None, artifact)
        except OSError as error:
            return _refusal(error, artifact)
        with os.fdopen(descriptor, "rb", buffering=0) as stream:
            return _Copy(artifact, client, validators, stream.fileno()).run()

    fetch_part = fetch

    def parts(
        self,
        source: Source,  # noqa: ARG002 (other kinds need it)
        resource: Resource,  # noqa: ARG002
        fetched: Fetched,  # noqa: ARG002
        kind: str,  # noqa: ARG002
    ) -> Parts:
        """Returns none: what a folder names are documents."""
        return Parts()


def address_of(relative: str) -> str:
    """Returns the address of a path from the root; bytes that are no UTF-8 survive the way."""
    return SCHEME + quote(os.fsencode(relative))


def path_of(address: str) -> str:
    """Returns the path from the root of an address; raises FileNotFoundError for what names none.

    An address that climbs out of the root by its spelling names none.
    """
    path = unquote_to_bytes(address.removeprefix(SCHEME))
    parts = path.split(b"/")
    if not address.startswith(SCHEME) or b"\0" in path or {b"", b".", b".."} & set(parts):
        raise FileNotFoundError(errno.ENOENT, "the address names no file in the folder")
    return os.fsdecode(path)


def modified_at(nanoseconds: int) -> str | None:
    """Returns the time of change in UTC, in whole seconds; None for one that no calendar has.

    Rounded up: rounded down, a file that changed in the second in which it was read would look
    older than that reading, and not be read again.
    """
    seconds = -(-nanoseconds // 10**9)
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return None


def etag_of(status: os.stat_result) -> str:
    """Returns what changes when a file does: its time of change in nanoseconds, and its size."""
    return f"{status.st_mtime_ns}-{status.st_size}"


def _said(error: OSError) -> str:
    return error.strerror or str(error)


def _root(given: Path) -> Path:
    """The folder itself, all links resolved; raises OSError where it is none."""
    root = Path(os.path.realpath(given, strict=True))
    if not root.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "not a folder")
    return root


class _Outside(Exception):
    """The path leads out of the folder."""


@dataclass
class _Walk:
    """One walk over the tree."""

    root: Path
    client: Client
    found: Enumeration = field(default_factory=lambda: Enumeration("folder"))
    left_out: Counter[str] = field(default_factory=Counter)
    unread: list[str] = field(default_factory=list)
    folders: int = 0

    def run(self) -> None:
        self.found.reason = self._begin()
        if self.found.reason is not None:
            return
        waiting = [""]
        while waiting:
            if self.client.stop.is_set():
                raise Interrupted
            waiting.extend(self._read(waiting.pop()))
        self._finish()

    def _begin(self) -> str | None:
        """Returns why the folder cannot be listed at all."""
        given = self.root
        try:
            self.root = _root(given)
            os.scandir(self.root).close()
        except OSError as error:
            return f"{given}: {_said(error)}: name a folder that can be read"
        if self.client.folder.resolve().is_relative_to(self.root):
            return f"{given}: the results lie in it, and would be archived too: keep them apart"
        return None

    def _read(self, relative: str) -> Iterator[str]:
        """Takes the files of one folder; yields the folders in it."""
        try:
            with os.scandir(self.root / relative) as entries:
                listed = list(entries)
        except OSError as error:
            self._not_listed(relative, error)
            return
        self.folders += 1
        for entry in listed:
            path = f"{relative}/{entry.name}" if relative else entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    yield path
                else:
                    self._take(entry, path)
            except OSError as error:
                self._not_listed(path, error)

    def _not_listed(self, path: str, error: OSError) -> None:
        if error.errno in _OURS:
            raise error
        self.unread.append(f"{address_of(path)}: {_said(error)}")

    def _take(self, entry: "os.DirEntry[str]", path: str) -> None:
        if entry.is_symlink():
            what = _link(self.root, Path(entry.path))
        else:
            what = None if entry.is_file(follow_symlinks=False) else "devices, sockets and pipes"
        if what is not None:
            self.left_out[what] += 1
            return
        try:
            lastmod = modified_at(entry.stat().st_mtime_ns)
        except OSError:  # it is listed: what became of it is for the one who asks for it
            lastmod = None
        self.found.resources.append(Resource(address_of(path), lastmod, hint="document"))

    def _finish(self) -> None:
        self.found.notes.append(f"{self.root}: {self.folders} folders were listed")
        for line in self.unread[:MOST_NAMED]:
            self.found.cut(f"could not be listed: {line}")
        if len(self.unread) > MOST_NAMED:
            self.found.cut(f"{len(self.unread) - MOST_NAMED} more could not be listed")
        for what, count in sorted(self.left_out.items()):
            say = self.found.notes if what == _TO_A_FOLDER else self.found.warnings
            say.append(f"{count} left out: {what}")
        if not self.found.resources:
            self.found.warnings.append("there is no file in the folder")
        self.found.figures = {
            "folders": self.folders,
            "unread_folders": len(self.unread),
            "left_out": dict(sorted(self.left_out.items())),
        }


_TO_A_FOLDER = "links to folders inside, whose files are listed at their own place"


def _link(root: Path, link: Path) -> str | None:
    """Returns why a link is left out; None where it names a regular file inside the root."""
    try:
        target = Path(os.path.realpath(link, strict=True))
        mode = target.stat().st_mode
    except OSError:
        return "links that lead nowhere"
    if not target.is_relative_to(root):
        return "links that lead out of the folder"
    if stat.S_ISDIR(mode):
        return _TO_A_FOLDER
    return None if stat.S_ISREG(mode) else "devices, sockets and pipes"


def _open(root: Path, relative: str) -> int:
    """Opens a regular file inside the root; raises OSError, or _Outside.

    Links are resolved first, then each step is opened without following any: one that is set in
    between fails.
    """
    target = Path(os.path.realpath(root / relative, strict=True))
    if not target.is_relative_to(root):
        raise _Outside
    *folders, name = target.relative_to(root).parts or ("",)
    descriptor = os.open(root, _STEP)
    try:
        for folder in folders:
            inner = os.open(folder, _STEP, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        opened = os.open(name, _READ, dir_fd=descriptor)
    finally:
        os.close(descriptor)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise FileNotFoundError(errno.ENOENT, "no regular file any more")
    return opened


def _refusal(error: OSError, artifact: str) -> Refusal:
    """What a file that could not be opened or read shows; raises what is this machine's fault."""
    if error.errno in _OURS:
        raise error
    liveness = next((state for kind, state in _LIVENESS if isinstance(error, kind)), Liveness.ERROR)
    return Refusal(liveness, f"file: {_said(error)}", None, artifact)


_LIVENESS = (
    (FileNotFoundError, Liveness.GONE),
    (NotADirectoryError, Liveness.GONE),
    (IsADirectoryError, Liveness.GONE),
    (PermissionError, Liveness.BLOCKED),
)


@dataclass
class _Copy:
    """One file on its way to the blobs."""

    artifact: str
    client: Client
    validators: Mapping[str, str]
    source: int
    """The descriptor of the open file."""

    def run(self) -> Answer:
        before = os.fstat(self.source)
        if self.validators.get("etag") == etag_of(before):
            return NotModified(self.artifact, http_status=None)
        if before.st_size > self.client.max_bytes:
            return self._too_large(before.st_size)
        path = self.client.folder / f"{os.getpid()}-file-{next(_numbers)}"
        try:
            answer = self._copied(path, before)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        if isinstance(answer, Refusal):
            path.unlink(missing_ok=True)
        return answer

    def _copied(self, path: Path, before: os.stat_result) -> Answer:
        digest, size, start = hashlib.sha256(), 0, b""
        with path.open("xb", buffering=0) as stream:
            while chunk := self._read():
                if isinstance(chunk, Refusal):
                    return chunk
                size += len(chunk)
                if size > self.client.max_bytes:
                    return self._too_large(size)
                digest.update(chunk)
                write_all(stream.fileno(), chunk)
                if size <= KEPT_IN_MEMORY:
                    start += chunk
        if size != before.st_size or etag_of(os.fstat(self.source)) != etag_of(before):
            return Refusal(Liveness.ERROR, "changed while it was read", None, self.artifact)
        body = Body(path, digest.hexdigest(), size, start)
        return Fetched(self.artifact, None, {"etag": etag_of(before)}, body)

    def _read(self) -> bytes | Refusal:
        """A fault of reading is the file's; one of writing is this machine's, and is raised."""
        if self.client.stop.is_set():
            raise Interrupted
        try:
            return os.read(self.source, _CHUNK)
        except OSError as error:
            return _refusal(error, self.artifact)

    def _too_large(self, size: int) -> Refusal:
        limit = self.client.max_bytes
        reason = f"{TOO_LARGE}: {size} bytes or more, the limit is {limit}"
        return Refusal(Liveness.ERROR, reason, None, self.artifact, size, limit)
