"""Where things lie under `results/<source>/`: the only place that spells such a path."""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from centinel import address_paths

_CHUNK = 1 << 20
_SMALL = 1 << 13

NOT_INTACT = "the blob is missing or damaged: its bytes do not have its hash"
"""Why something was not read, where `is_intact` says no."""

DAMAGED = ".damaged"
"""What stands behind the hash in the name of a blob that was found damaged."""

SIDECAR = ".kind.json"
"""What stands behind the hash in the name of the file that says a blob's kind."""


@dataclass(frozen=True)
class Store:
    """The folder of one source. Paths in records are relative to `root`."""

    results: Path
    source: str

    @property
    def root(self) -> Path:
        return self.results / self.source

    # What was published: enumerate

    @property
    def snapshot(self) -> Path:
        return self.root / "snapshot.jsonl"

    @property
    def snapshot_report(self) -> Path:
        return self.root / "snapshot.json"

    # The truth: only ever added to

    @property
    def record(self) -> Path:
        return self.root / "record"

    def record_month(self, at: datetime) -> Path:
        return self.record / f"{at.astimezone(UTC):%Y-%m}.jsonl"

    def record_months(self) -> list[Path]:
        """Returns the files of the record that are there, the oldest first."""
        return sorted(self.record.glob("*.jsonl"))

    def kept_snapshot(self, at: datetime) -> Path:
        return self.record / "snapshots" / f"{at.astimezone(UTC):%Y%m%dT%H%M%S%fZ}.jsonl.gz"

    @cached_property
    def blobs(self) -> Path:
        return self.root / "blobs"

    def blob(self, sha256: str) -> Path:
        return self.blobs.joinpath(sha256[:2], sha256[2:4], sha256)

    def has_blob(self, sha256: str) -> bool:
        """Returns whether the blob is there; asked once a body, so without a Path, which costs as
        much again."""
        return os.path.exists(f"{self.blobs}/{sha256[:2]}/{sha256[2:4]}/{sha256}")  # noqa: PTH110

    def kind_sidecar(self, sha256: str) -> Path:
        return self.blob(sha256).with_name(f"{sha256}{SIDECAR}")

    def read_kind_sidecar(self, sha256: str) -> bytes | None:
        """Returns what a kind sidecar holds, None where there is none; asked once a blob, so
        without a Path and without a buffer, which cost three times as much again."""
        name = f"{self.blobs}/{sha256[:2]}/{sha256[2:4]}/{sha256}{SIDECAR}"
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            content = os.read(descriptor, _SMALL)
            while len(content) % _SMALL == 0 and (more := os.read(descriptor, _SMALL)):
                content += more
            return content
        finally:
            os.close(descriptor)

    def damaged_blob(self, sha256: str, number: int = 1) -> Path:
        """Where a blob lies that was found damaged, for the first time or again: nobody takes it
        for the bytes of its hash."""
        again = "" if number == 1 else f".{number}"
        return self.blob(sha256).with_name(f"{sha256}{again}{DAMAGED}")

    @property
    def incoming(self) -> Path:
        """Bodies on their way into `blobs`, on the same file system; emptied under the lock."""
        return self.root / "incoming"

    # What acquire knows

    @property
    def artifacts(self) -> Path:
        return self.root / "artifacts.jsonl"

    @property
    def resources(self) -> Path:
        return self.root / "resources.jsonl"

    @property
    def acquire_state(self) -> Path:
        """`turn`, `next_due` and the figures of the last acquire; undeclared, so that it stays."""
        return self.root / "acquire.json"

    @property
    def share(self) -> Path:
        """What others acquired of it in this run; undeclared, its own job takes it over."""
        return self.root / "share.json"

    @property
    def index(self) -> Path:
        """What the record tells of each artifact; undeclared, made again where it does not fit."""
        return self.root / "index.sqlite"

    @property
    def over_time(self) -> Path:
        """How addresses stood over time, as the record tells; undeclared, made again likewise."""
        return self.root / "over_time.parquet"

    @property
    def changes(self) -> Path:
        return self.root / "changes.jsonl"

    @property
    def changes_kept(self) -> Path:
        """What the record told of changes; undeclared, made again where it does not fit."""
        return self.root / "changes.sqlite"

    @property
    def links(self) -> Path:
        """Off-host links of each page as it was acquired; undeclared, made again from the blobs."""
        return self.root / "links.jsonl"

    @property
    def crumbs(self) -> Path:
        return self.root / "crumbs.jsonl"

    # What is to be read, and what was

    @property
    def work(self) -> Path:
        return self.root / "work"

    @property
    def text(self) -> Path:
        return self.root / "text"

    @property
    def underivable(self) -> Path:
        return self.root / "underivable"

    @property
    def derived(self) -> Path:
        return self.root / "derived"

    # A version in a path is that of the kind, for recordings with the model: `1-tiny.en`

    def text_file(self, kind: str, version: int | str, identifier: str) -> Path:
        return self.text / kind / f"v{version}" / identifier[:2] / f"{identifier}.md"

    def derivation_file(self, kind: str, version: int | str, identifier: str) -> Path:
        return self.text_file(kind, version, identifier).with_suffix(".json")

    def segments_file(self, kind: str, version: str, sha256: str) -> Path:
        """What is said in a recording, a segment a line; its texts are made of it."""
        return self.text_file(kind, version, sha256).with_suffix(".segments.jsonl")

    def underivable_file(self, kind: str, version: int | str, identifier: str) -> Path:
        return self.underivable / kind / f"v{version}" / identifier[:2] / f"{identifier}.json"

    def work_file(self, kind: str, shard: str) -> Path:
        return self.work / kind / f"{shard}.jsonl"

    def derived_file(self, kind: str, version: int | str, shard: str) -> Path:
        return self.derived / kind / f"v{version}" / f"{shard}.jsonl"

    def recording_file(self, kind: str, version: str, sha256: str) -> Path:
        """How a recording was transcribed; beside the segments, or in their place."""
        return self.derived / kind / f"v{version}" / "recordings" / f"{sha256}.json"

    def scratch(self, kind: str, shard: str) -> Path:
        """What the readers of a shard leave on their way to `text`, on the same file system."""
        return self.root / f".scratch.{kind}.{shard}"

    def scratches(self) -> Iterator[Path]:
        """Yields the scratch folders that are there, those of killed jobs too."""
        return self.root.glob(".scratch.*")

    # What became of dataset requests: ingest

    @property
    def ingest(self) -> Path:
        return self.root / "ingest"

    @property
    def ingest_results(self) -> Path:
        return self.ingest / "results.jsonl"

    @property
    def ingest_filesets(self) -> Path:
        return self.ingest / "filesets.jsonl"

    def ingest_bundle(self, sha256: str) -> Path:
        """What was found inside a platform's archive of everything; made again from its blob."""
        return self.ingest / "bundles" / sha256[:2] / f"{sha256}.json"

    def ingest_item(self, name: str) -> Path:
        """The folder of an item, ready for upload; its name has passed `item_name`."""
        return self.ingest / "items" / name

    # What a person opens

    @property
    def tables(self) -> Path:
        return self.root / "tables"

    @property
    def report(self) -> Path:
        return self.root / "report.html"

    @property
    def current(self) -> Path:
        """Links by address to the texts that stand now; undeclared, since it grows in place."""
        return self.root / "current"

    def current_path(self, address: str) -> str:
        """Returns the path of an address's link, relative to `current`."""
        return address_paths.path_of(address)

    @property
    def current_beside(self) -> Path:
        """A link on its way to its place; one job at a time makes them."""
        return self.root / ".current.link"

    @property
    def current_lock(self) -> Path:
        return self.root / ".current.lock"

    # What verifying found

    @property
    def fixity(self) -> Path:
        return self.root / "fixity"

    @property
    def verified_stamps(self) -> tuple[Path, Path]:
        """What says that all shards of the source were verified, and that those of all sources."""
        return self.root / ".verified", self.results / ".verified"

    def fixity_file(self, shard: str) -> Path:
        """What verifying a shard of the blobs found; undeclared, so that it stays."""
        return self.fixity / f"{shard}.json"

    # What other tools take

    @property
    def export(self) -> Path:
        return self.root / "export"

    def warc(self, number: int) -> Path:
        """The files of one export, from 1: the first has no number in its name."""
        suffix = "" if number == 1 else f"-{number:05d}"
        return self.export / f"{self.source}{suffix}.warc.gz"

    def warcs(self) -> list[Path]:
        """Returns the files of the last export that are there, in their order."""
        found = self.export.glob(f"{self.source}*.warc.gz")
        return sorted(found, key=lambda path: (len(path.name), path.name))

    @property
    def warc_list(self) -> Path:
        return self.export / f"{self.source}.warc.json"

    @property
    def bag(self) -> Path:
        return self.export / f"{self.source}.bag"

    # Locks

    @property
    def run_lock(self) -> Path:
        return self.root / ".lock"

    @property
    def record_lock(self) -> Path:
        return self.record / ".lock"

    def relative(self, path: Path) -> str:
        """Returns the path as records spell it: relative to the source's folder, with slashes."""
        return path.relative_to(self.root).as_posix()

    def is_intact(self, sha256: str) -> bool:
        """Returns whether the blob is there and its bytes have the hash in its name."""
        try:
            with self.blob(sha256).open("rb") as stream:
                return file_hash(stream.fileno()) == sha256
        except FileNotFoundError:
            return False


def file_hash(descriptor: int) -> str:
    """Returns the lower-case hex SHA-256 of an open file, read from its start in chunks."""
    digest = hashlib.sha256()
    offset = 0
    while chunk := os.pread(descriptor, _CHUNK, offset):
        digest.update(chunk)
        offset += len(chunk)
    return digest.hexdigest()
