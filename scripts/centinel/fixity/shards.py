"""Into how many shards do the blobs of a source fall, and which of them are verified now?"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from centinel.configuration import Verification
from centinel.files import read_json
from centinel.fixity.findings import Shard
from centinel.record import is_ahead, moment
from centinel.store import Store

SMALL = 256 << 10
"""Bytes of `artifacts.jsonl`, about 600 artifacts: up to so many are one shard, since a job costs a
quarter of a second before it does anything."""

SHARDS = 16
"""Of any larger source, one a hexadecimal digit: when each was verified is told for good."""


@dataclass(frozen=True)
class Due:
    """The shards of a source that a run asks for, and the turn of each: a new one is due."""

    turns: Mapping[str, int]


def shards_of(store: Store) -> list[str]:
    """Returns the names of a source's shards; none where nothing was acquired yet."""
    if not store.artifacts.exists():
        return []
    count = SHARDS if store.artifacts.stat().st_size > SMALL else 1
    width = len(str(count - 1))
    return [f"{number:0{width}d}-of-{count}" for number in range(count)]


def due(store: Store, verification: Verification, at: datetime) -> Due:
    """Returns what a run asks for: shards that are due, those first that waited longest, up to the
    bound; and those that were verified before and rest."""
    known = {name: read_json(store.fixity_file(name)) for name in shards_of(store)}
    shards = {name: Shard.from_json(found) if found else None for name, found in known.items()}
    waiting = [name for name, shard in shards.items() if _is_due(shard, verification, at)]
    waiting.sort(key=lambda name: shard.verified_at if (shard := shards[name]) else "")
    chosen = set(waiting[: verification.shards])
    return Due(
        {
            name: (shard.turn if shard else -1) + (name in chosen)
            for name, shard in shards.items()
            if shard or name in chosen
        }
    )


def _is_due(shard: Shard | None, verification: Verification, at: datetime) -> bool:
    if shard is None or is_ahead(shard.verified_at, at):
        return True
    return moment(shard.verified_at) + verification.after <= at


def begin(store: Store) -> None:
    """Removes what says that all is verified, before a run verifies a shard: Snakemake takes that
    for the whole truth, and would make no job up that failed."""
    for stamp in store.verified_stamps:
        stamp.unlink(missing_ok=True)


def remove_outgrown(store: Store) -> None:
    """Removes what was found when the source had another number of shards, once all of those that
    it has now were verified."""
    names = set(shards_of(store))
    if not all(store.fixity_file(name).exists() for name in names):
        return
    for path in store.fixity.glob("*-of-*.*"):
        if path.stem not in names:
            path.unlink()
