"""When the bytes on disk were last compared with their hashes, and what was found."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Shard:
    """Some of the blobs, as they were last verified."""

    shard: str
    verified_at: str | None
    files: int
    damaged: int
    missing: int


@dataclass(frozen=True)
class Fixity:
    """All shards, and the last time at which each of them had been verified."""

    shards: tuple[Shard, ...]
    complete_at: str | None
    """None where a shard was never verified."""
    unknown: int
    """Files among the blobs that are none."""

    @property
    def damaged(self) -> int:
        """How many blobs did not have the bytes that their name says."""
        return sum(each.damaged for each in self.shards)

    @property
    def missing(self) -> int:
        """How many blobs were not there."""
        return sum(each.missing for each in self.shards)
