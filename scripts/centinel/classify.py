"""Names each blob's kind, and splits what is to be read into shards."""

import hashlib
import shutil
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from centinel import addresses, kinds
from centinel.files import parse_line, read_lines, write_json, write_lines
from centinel.record import Artifact, Claim, Json, Line
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


def run(store: Store, kinds_version: int) -> None:
    """Writes the kind sidecars that are missing, and all of `work/`; removes stale shard lines.

    Unchanged artifacts give unchanged bytes in every work file, so that nothing is read again.
    """
    claims = _Claims(store, kinds_version)
    by_kind: dict[str, list[Work]] = defaultdict(list)
    for line in read_lines(store.artifacts):
        artifact = Artifact.from_json(line)
        work = _work(artifact, claims.of(artifact))
        by_kind[work.kind].append(work)
    claims.write()
    shutil.rmtree(store.work, ignore_errors=True)
    store.work.mkdir(parents=True)
    for kind, lines in by_kind.items():
        for shard, members in shards(lines).items():
            write_lines(store.work_file(kind, shard), members)
    _remove_leftovers(store)


Evidence = tuple[str | None, str | None]


def evidence_of(artifact: Artifact) -> Evidence:
    """Returns what was said of the bytes where they were served: type and extension."""
    extension = addresses.served_extension(artifact.final_url, artifact.filename)
    return artifact.declared_type, extension


def _work(artifact: Artifact, claim: Claim) -> Work:
    return Work(
        artifact=artifact.artifact,
        resource=artifact.resource,
        blob=artifact.blob,
        kind=claim.kind,
        declared_type=artifact.declared_type,
        title=artifact.title,
        notes=claim.notes,
    )


class _Claims:
    """What each blob is under each evidence: as its sidecar says, else as the table does."""

    def __init__(self, store: Store, version: int) -> None:
        self._store = store
        self._version = version
        self._known: dict[str, list[Claim]] = {}
        self._unwritten: dict[str, int] = {}
        """Blobs whose sidecar does not have every claim yet, with their size."""
        self._same: dict[str, Claim] = {}

    def of(self, artifact: Artifact) -> Claim:
        """Returns the claim for the bytes of an artifact, as it was served."""
        blob, evidence = artifact.blob, evidence_of(artifact)
        known = self._known.get(blob)
        if known is None:
            known = self._known[blob] = self._read(blob)
        for each in known:
            if (each.declared_type, each.extension) == evidence:
                return each
        made = self._shared(kinds.classify(evidence[0], self._head(blob), evidence[1]))
        known.append(made)
        self._unwritten[blob] = artifact.size
        return made

    def write(self) -> None:
        """Writes the sidecars that lack a claim."""
        for blob, size in self._unwritten.items():
            claims = sorted(
                self._known[blob], key=lambda each: repr((each.declared_type, each.extension))
            )
            sidecar: Json = {
                "blob": blob,
                "size": size,
                "version": self._version,
                "claims": [each.to_json() for each in claims],
            }
            write_json(self._store.kind_sidecar(blob), sidecar)

    def _read(self, blob: str) -> list[Claim]:
        sidecar = parse_line(self._store.read_kind_sidecar(blob) or b"")
        if sidecar is None or sidecar.get("version") != self._version:
            return []
        return [self._shared(Claim.from_json(each)) for each in sidecar["claims"]]

    def _shared(self, claim: Claim) -> Claim:
        """One object for all that are equal: a hundred thousand blobs have a few dozen."""
        return self._same.setdefault(repr(claim), claim)

    def _head(self, blob: str) -> bytes:
        try:
            with self._store.blob(blob).open("rb") as stream:
                return stream.read(HEAD)
        except FileNotFoundError:
            return b""


def shards(lines: list[Work]) -> dict[str, list[Work]]:
    """Returns the lines of one kind by shard name `<i>-of-<n>`, each shard sorted by artifact.

    `n` is the power of two that keeps shards at about SHARD_LINES; membership follows the first
    bits of the blob's hash, so that doubling splits each shard in two.
    """
    count = 1
    while len(lines) > count * SHARD_LINES:
        count *= 2
    members: dict[str, list[Work]] = defaultdict(list)
    for line in sorted(lines, key=lambda each: each.artifact):
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
