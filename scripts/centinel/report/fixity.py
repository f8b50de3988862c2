"""When the bytes on disk were last compared with their hashes, and what was found."""

from dataclasses import dataclass
from itertools import chain, islice

from centinel import fixity
from centinel.store import Store

MOST_NAMED = 200
"""Lost artifacts, and unknown files, that the page names."""


@dataclass(frozen=True)
class Shard:
    """Some of the blobs, as they were last verified."""

    shard: str
    verified_at: str
    files: int
    damaged: int
    missing: int


@dataclass(frozen=True)
class Fixity:
    """All shards, and the last time at which each of them had been verified."""

    shards: tuple[Shard, ...]
    """Those that were verified."""
    count: int
    """How many there are."""
    complete_at: str | None
    """When the one that waited longest was verified; None where one never was."""
    unknown: int
    """Files among the blobs that no line of the record names."""
    lost: int
    """Artifacts whose bytes, as they were observed once, are not there now."""
    lost_artifacts: tuple[fixity.Lost, ...] = ()
    """Some of them."""
    unknown_files: tuple[str, ...] = ()
    """Paths of some of the unknown files, relative to the source's folder."""

    @property
    def files(self) -> int:
        """Blobs that were read."""
        return sum(each.files for each in self.shards)

    @property
    def damaged(self) -> int:
        """Blobs that had other bytes than their names say; some may be mended since."""
        return sum(each.damaged for each in self.shards)

    @property
    def missing(self) -> int:
        """Blobs that were not there; some may be mended since."""
        return sum(each.missing for each in self.shards)

    @property
    def latest(self) -> str | None:
        """When a shard was verified last."""
        return max((each.verified_at for each in self.shards), default=None)


def fixity_of(store: Store) -> Fixity | None:
    """Returns what verifying found last; None where nothing was ever verified."""
    found = fixity.read(store)
    if found is None:
        return None
    return Fixity(
        shards=tuple(
            Shard(each.shard, each.verified_at, each.files, len(each.damaged), len(each.missing))
            for each in found.shards
        ),
        count=found.count,
        complete_at=found.complete_at,
        unknown=found.unknown,
        lost=len(found.lost),
        lost_artifacts=found.lost[:MOST_NAMED],
        unknown_files=tuple(
            islice(chain.from_iterable(each.unknown for each in found.shards), MOST_NAMED)
        ),
    )
