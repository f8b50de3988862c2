"""What the report shows that may not be so any more: old snapshots, old answers, old texts."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import polars as pl

from centinel.configuration import Source
from centinel.record import Liveness, is_ahead, moment, timestamp
from centinel.report.acquisition import Snapshot
from centinel.report.frames import Frames


@dataclass(frozen=True)
class Stale:
    """How old things are."""

    taken_at: str | None
    """When the snapshot that stands was taken; None where there is none."""
    age: timedelta | None
    """Of that snapshot; None where there is none, or its time lies ahead of this machine's."""
    revisit: timedelta
    """After which a live address is to be asked again."""
    overdue: int
    """Published addresses that are live, and were asked for last before that."""
    older_texts: int
    """Artifacts whose only text is of another version than the pipeline's."""

    @property
    def is_old(self) -> bool:
        """Whether the snapshot is older than an answer may become."""
        return self.age is not None and self.age > self.revisit


def stale_of(
    snapshot: Snapshot, frames: Frames, earlier: pl.DataFrame, source: Source, at: datetime
) -> Stale:
    """Returns how old things are at a time; `earlier` has the lines of other versions."""
    taken_at = snapshot.taken_at
    is_known = taken_at is not None and not is_ahead(taken_at, at)
    age = max(at - moment(taken_at), timedelta()) if taken_at and is_known else None
    limit = timestamp(at - source.revisit)
    overdue = frames.resources.filter(
        pl.col("in_snapshot")
        & (pl.col("liveness") == Liveness.LIVE.value)
        & (pl.col("last_checked") < limit)
    )
    older = frames.artifacts.join(frames.derived, on="artifact", how="anti").join(
        earlier.filter(pl.col("outcome") == "text"), on=["artifact", "kind"], how="semi"
    )
    return Stale(taken_at, age, source.revisit, overdue.height, older.height)
