"""Names each blob's kind, and splits what is to be read into shards."""

import hashlib
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from centinel import addresses, kinds
from centinel.files import read_json, read_lines, write_json, write_lines
from centinel.record import Artifact, Claim, Json, Line
from centinel.signatures import HEAD
from centinel.store import Store

SHARD_LINES = 1000
"""About so many documents a shard: a job costs a quarter of a second before it does anything."""


@dataclass(frozen=True)
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
    artifacts = [Artifact.from_json(line) for line in read_lines(store.artifacts)]
    claims = _claims(store, artifacts, kinds_version)
    shutil.rmtree(store.work, ignore_errors=True)
    store.work.mkdir(parents=True)
    by_kind: dict[str, list[Work]] = defaultdict(list)
    for artifact in artifacts:
        work = _work(artifact, claims[artifact.blob, evidence_of(artifact)])
        by_kind[work.kind].append(work)
    for kind, lines in by_kind.items():
        for shard, members in shards(lines).items():
            write_lines(store.work_file(kind, shard), members)
    _remove_leftovers(store)


def evidence_of(artifact: Artifact) -> tuple[str | None, str | None]:
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


Claims = dict[tuple[str, tuple[str | None, str | None]], Claim]


def _claims(store: Store, artifacts: Iterable[Artifact], version: int) -> Claims:
    """The claim for each blob under each evidence; what no sidecar has yet is written to it."""
    wanted: dict[str, dict[tuple[str | None, str | None], int]] = defaultdict(dict)
    for artifact in artifacts:
        wanted[artifact.blob][evidence_of(artifact)] = artifact.size
    claims: Claims = {}
    for blob, evidence in wanted.items():
        known = _known_claims(read_json(store.kind_sidecar(blob)), version)
        if not evidence.keys() <= known.keys():
            known |= _new_claims(store, blob, [each for each in evidence if each not in known])
            _write_sidecar(store, blob, max(evidence.values()), version, known)
        claims |= {(blob, each): known[each] for each in evidence}
    return claims


def _known_claims(sidecar: Json | None, version: int) -> dict[tuple[str | None, str | None], Claim]:
    if sidecar is None or sidecar.get("version") != version:
        return {}
    claims = [Claim.from_json(each) for each in sidecar["claims"]]
    return {(each.declared_type, each.extension): each for each in claims}


def _new_claims(
    store: Store, blob: str, evidence: Iterable[tuple[str | None, str | None]]
) -> dict[tuple[str | None, str | None], Claim]:
    try:
        with store.blob(blob).open("rb") as stream:
            head = stream.read(HEAD)
    except FileNotFoundError:
        head = b""
    return {each: kinds.classify(each[0], head, each[1]) for each in evidence}


def _write_sidecar(
    store: Store,
    blob: str,
    size: int,
    version: int,
    known: Mapping[tuple[str | None, str | None], Claim],
) -> None:
    claims = [claim.to_json() for _, claim in sorted(known.items(), key=lambda item: repr(item[0]))]
    sidecar = {"blob": blob, "size": size, "version": version, "claims": claims}
    write_json(store.kind_sidecar(blob), sidecar)


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
