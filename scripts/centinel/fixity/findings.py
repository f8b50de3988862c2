"""What verifying found: one file a shard, and all of them together."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from centinel.files import read_json
from centinel.record import Json, Line
from centinel.store import Store

MOST_NAMED = 1000
"""Unknown files that are named; `unknown_files` stays the whole count."""


@dataclass(frozen=True)
class Lost(Line):
    """One artifact whose bytes, as they were observed once, are not on disk."""

    blob: str
    found: str
    """`damaged` or `missing`."""
    resource: str
    artifact: str


@dataclass(frozen=True)
class Shard(Line):
    """Some of the blobs as they were last verified: `fixity/<shard>.json`."""

    shard: str
    """`<i>-of-<n>`."""
    verified_at: str
    """When the last of its files had been read."""
    files: int
    """Blobs that were hashed."""
    bytes: int
    """Their bytes."""
    damaged: list[str] = field(default_factory=list)
    """Hashes of blobs that had other bytes, or could not be read."""
    missing: list[str] = field(default_factory=list)
    """Hashes of blobs that the record names and that were not there."""
    unknown: list[str] = field(default_factory=list)
    """Files among the blobs that no line of the record names, at most MOST_NAMED of them."""
    unknown_files: int = 0
    """How many there are."""
    set_aside: int = 0
    """Damaged blobs under another name, those of earlier times too."""
    lost: list[Json] = field(default_factory=list)
    """A `Lost` for each artifact that was observed with a damaged or missing blob."""
    turn: int = 0
    """Counts the verifications: the parameter of the next one."""

    @property
    def is_to_be_said(self) -> bool:
        """Whether somebody is to be told at once."""
        return bool(self.damaged or self.missing or self.unknown_files)

    def in_words(self) -> str:
        """Returns what was found as a line."""
        counts = {
            "damaged": len(self.damaged),
            "missing": len(self.missing),
            "unknown": self.unknown_files,
        }
        found = ", ".join(f"{count} {name}" for name, count in counts.items())
        return f"{self.files} blobs verified, {self.bytes} bytes; {found}"


@dataclass(frozen=True)
class Fixity:
    """All shards of a source."""

    shards: tuple[Shard, ...]
    """Those that were verified, by name."""
    count: int
    """How many there are."""
    mended: frozenset[str] = frozenset()
    """Blobs that were found damaged or missing, and are there again."""

    @property
    def complete_at(self) -> str | None:
        """When the shard that waited longest was verified; None where one never was."""
        is_complete = len(self.shards) == self.count
        return min(each.verified_at for each in self.shards) if is_complete else None

    @property
    def files(self) -> int:
        """Blobs that were hashed."""
        return sum(each.files for each in self.shards)

    @property
    def bytes(self) -> int:
        """Bytes that were hashed."""
        return sum(each.bytes for each in self.shards)

    @property
    def damaged(self) -> int:
        """Blobs that had other bytes than their names say; some may be mended since."""
        return sum(len(each.damaged) for each in self.shards)

    @property
    def missing(self) -> int:
        """Blobs that were not there; some may be mended since."""
        return sum(len(each.missing) for each in self.shards)

    @property
    def unknown(self) -> int:
        """Files among the blobs that no line of the record names."""
        return sum(each.unknown_files for each in self.shards)

    @property
    def lost(self) -> tuple[Lost, ...]:
        """Artifacts whose bytes are not there now, as they were observed once; by blob."""
        return tuple(
            lost
            for shard in self.shards
            for lost in map(Lost.from_json, shard.lost)
            if lost.blob not in self.mended
        )


def read(store: Store) -> Fixity | None:
    """Returns what verifying found last; None where nothing was ever verified.

    Looks on disk which of the blobs that were lost are there again.
    """
    by_count: dict[int, list[Shard]] = {}
    for shard in _shards(store):
        by_count.setdefault(count_of(shard.shard), []).append(shard)
    if not by_count:
        return None
    # While the shards of a source that has grown are verified first, those before them count.
    whole = [count for count, shards in by_count.items() if len(shards) == count]
    count = max(whole or by_count)
    shards = tuple(by_count[count])
    lost = {blob for each in shards for blob in (*each.damaged, *each.missing)}
    return Fixity(shards, count, frozenset(blob for blob in lost if store.has_blob(blob)))


def count_of(shard: str) -> int:
    """Returns the number of shards that a shard's name tells."""
    return int(shard.rpartition("-")[2])


def _shards(store: Store) -> Iterator[Shard]:
    for path in sorted(store.fixity.glob("*.json")):
        found = read_json(path)
        if found is not None:
            yield Shard.from_json(found)
