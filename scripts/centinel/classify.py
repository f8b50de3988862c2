"""Names each blob's kind, and splits what is to be read into shards."""

import hashlib
import shutil
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple, Protocol, TypeVar

from centinel import addresses, kinds
from centinel.files import parse_line, read_lines, to_bytes, write_json, write_rendered
from centinel.record import Claim, Json, Line
from centinel.signatures import HEAD
from centinel.store import Store

SHARD_LINES = 1000
"""About so many documents a shard: a job costs a quarter of a second before it does anything."""


@dataclass(frozen=True, slots=True)
class Work(Line):
    """One artifact that is to be read: one line of `work/<kind>/<shard>.jsonl`. No times."""

    artifact: str
    resource: str
    blob: str
    kind: str
    declared_type: str | None
    title: str | None
    notes: list[str] = field(default_factory=list)

    @property
    def identifier(self) -> str:
        """The name of its text: the blob's hash, and the title's where the source gives one."""
        if self.title is None:
            return self.blob
        return f"{self.blob}-{hashlib.sha256(self.title.encode()).hexdigest()[:12]}"


class _Read(NamedTuple):
    """One artifact that is to be read, and its line in a work file."""

    artifact: str
    blob: str
    line: bytes


def run(store: Store, kinds_version: int) -> None:
    """Writes the kind sidecars that are missing, and all of `work/`; removes stale shard lines.

    Unchanged artifacts give unchanged bytes in every work file, so that nothing is read again.
    """
    claims = _Claims(store, kinds_version)
    by_kind: dict[str, list[_Read]] = defaultdict(list)
    for line in read_lines(store.artifacts):
        claim = claims.of(line)
        by_kind[claim.kind].append(_work(line, claim))
    claims.write()
    shutil.rmtree(store.work, ignore_errors=True)
    store.work.mkdir(parents=True)
    for kind, lines in by_kind.items():
        for shard, members in shards(lines).items():
            write_rendered(store.work_file(kind, shard), (each.line for each in members))
    _remove_leftovers(store)


Evidence = tuple[str | None, str | None]
"""What was said of bytes where they were served: type and extension."""


def _work(line: Json, claim: Claim) -> _Read:
    """The line of a `Work`: without an object for each, in a third of the time."""
    work = {
        "artifact": line["artifact"],
        "resource": line["resource"],
        "blob": line["blob"],
        "kind": claim.kind,
        "declared_type": line["declared_type"],
        "title": line["title"],
        "notes": claim.notes,
    }
    return _Read(line["artifact"], line["blob"], to_bytes(work) + b"\n")


MOST_ALIKE = 4096
"""Sets of claims that are remembered: a hundred thousand blobs have a few dozen, as a rule."""


class _Claims:
    """What each blob is under each evidence: as its sidecar says, else as the table does."""

    def __init__(self, store: Store, version: int) -> None:
        self._store = store
        self._version = version
        self._alike: dict[bytes, dict[Evidence, Claim]] = {}
        """By what a sidecar says behind the blob and its size: the claims in it."""
        self._unwritten: dict[str, tuple[int, dict[Evidence, Claim]]] = {}
        """Blobs whose sidecar does not have every claim yet, with their size."""

    def of(self, line: Json) -> Claim:
        """Returns the claim for the bytes of an artifact, by its line, as it was served."""
        blob, declared_type = line["blob"], line["declared_type"]
        extension = addresses.served_extension(line["final_url"], line["filename"])
        unwritten = self._unwritten.get(blob)
        known = self._read(blob) if unwritten is None else unwritten[1]
        claim = known.get((declared_type, extension))
        if claim is None:
            claim = kinds.classify(declared_type, self._head(blob), extension)
            more = {**known, (declared_type, extension): claim}
            self._unwritten[blob] = (line["size"], more)
        return claim

    def write(self) -> None:
        """Writes the sidecars that lack a claim; none of bytes that are lost, since they may come
        back and show more than was said of them."""
        for blob, (size, claims) in self._unwritten.items():
            if not self._store.has_blob(blob):
                continue
            sidecar: Json = {
                "blob": blob,
                "size": size,
                "version": self._version,
                "claims": [claims[each].to_json() for each in sorted(claims, key=repr)],
            }
            write_json(self._store.kind_sidecar(blob), sidecar)

    def _read(self, blob: str) -> dict[Evidence, Claim]:
        content = self._store.read_kind_sidecar(blob)
        if content is None:
            return {}
        # What `write` writes is alike but for the first two lines, and is parsed once.
        first, _, rest = content.partition(b',\n  "size": ')
        size, _, alike = rest.partition(b",\n")
        is_as_written = first == b'{\n  "blob": "%b"' % blob.encode() and size.isdigit()
        claims = self._alike.get(alike) if is_as_written else None
        if claims is None:
            claims = self._parsed(content)
            if is_as_written and claims and len(self._alike) < MOST_ALIKE:
                self._alike[alike] = claims
        return claims

    def _parsed(self, content: bytes) -> dict[Evidence, Claim]:
        sidecar = parse_line(content)
        if sidecar is None or sidecar.get("version") != self._version:
            return {}
        claims = [Claim.from_json(each) for each in sidecar["claims"]]
        # Of two for one evidence the first holds.
        return {(each.declared_type, each.extension): each for each in reversed(claims)}

    def _head(self, blob: str) -> bytes:
        try:
            with self._store.blob(blob).open("rb") as stream:
                return stream.read(HEAD)
        except FileNotFoundError:
            return b""


class Placed(Protocol):
    """What goes to a shard."""

    @property
    def artifact(self) -> str: ...
    @property
    def blob(self) -> str: ...


ToShard = TypeVar("ToShard", bound=Placed)


def shards(lines: list[ToShard]) -> dict[str, list[ToShard]]:
    """Returns the lines of one kind by shard name `<i>-of-<n>`, each shard sorted by artifact.

    `n` is the power of two that keeps shards at about SHARD_LINES; membership follows the first
    bits of the blob's hash, so that doubling splits each shard in two.
    """
    count = 1
    while len(lines) > count * SHARD_LINES:
        count *= 2
    members: dict[str, list[ToShard]] = defaultdict(list)
    for line in sorted(lines, key=attrgetter("artifact")):
        members[shard_name(line.blob, count)].append(line)
    return dict(members)


def shard_name(blob: str, count: int) -> str:
    """Returns the shard of a blob among `count` (a power of two)."""
    index = int(blob[:8], 16) * count >> 32
    return f"{index:0{len(str(count - 1))}d}-of-{count}"


def work_files(store: Store) -> Iterator[tuple[str, str]]:
    """Yields kind and shard of each work file, sorted."""
    for path in sorted(store.work.glob("*/*.jsonl")):
        yield path.parent.name, path.stem


def recordings_of(store: Store, kind: str, shard: str) -> list[str]:
    """Returns the blobs of a shard, each once, sorted: duplicates are one transcription."""
    path = store.work_file(kind, shard)
    return sorted({line["blob"] for line in read_lines(path)}) if path.exists() else []


def _remove_leftovers(store: Store) -> None:
    """Removes shard lines whose work file does not stand: of other shard counts, or other kinds.

    And what killed readers left: nobody reads while the shards are planned.
    """
    for folder in store.scratches():
        shutil.rmtree(folder, ignore_errors=True)
    standing = set(work_files(store))
    for path in store.derived.glob("*/*/*.jsonl"):
        if (path.parent.parent.name, path.stem) not in standing:
            path.unlink()
