"""What the versions of a kind gave that were read before the one that is wanted now.

Their lines stay on disk, so that a person sees what raising a version made better or worse.
"""

from dataclasses import dataclass

import polars as pl

from centinel.configuration import Pipeline
from centinel.report.frames import DERIVED, Schema, read_all
from centinel.report.wording import share
from centinel.store import Store

_COLUMNS: Schema = {
    name: DERIVED[name] for name in ("artifact", "outcome", "recovered_by_fallback")
}
EARLIER: Schema = {"kind": pl.String, "version": pl.String, **_COLUMNS}


@dataclass(frozen=True)
class VersionFigures:
    """One kind as an earlier version read it."""

    kind: str
    version: str
    """As in paths: for recordings with the model, `1-tiny.en`."""
    text: int
    underivable: int
    waiting: int
    recovered: int
    """Texts of which any came from a later reader."""

    @property
    def rate(self) -> float:
        """How many of its texts were recovered by fallback, in percent."""
        return share(self.recovered, self.text)


def earlier(store: Store, pipeline: Pipeline) -> pl.DataFrame:
    """Returns the lines of versions that are not wanted now, one an artifact and version."""
    found = [pl.DataFrame(schema=dict(EARLIER))]
    for folder in sorted(store.derived.glob("*/v*")):
        kind, version = folder.parent.name, folder.name.removeprefix("v")
        if version != pipeline.reading(kind).path_version:
            lines = read_all(sorted(folder.glob("*.jsonl")), _COLUMNS).unique("artifact")
            named = lines.with_columns(kind=pl.lit(kind), version=pl.lit(version))
            found.append(named.select(list(EARLIER)))
    return pl.concat(found)


def versions_of(lines: pl.DataFrame) -> tuple[VersionFigures, ...]:
    """Returns what each kind and earlier version gave, from `earlier`."""
    outcome = pl.col("outcome")
    rows = (
        lines.group_by("kind", "version")
        .agg(
            (outcome == "text").sum().alias("text"),
            (outcome == "underivable").sum().alias("underivable"),
            (outcome == "waiting").sum().alias("waiting"),
            ((outcome == "text") & pl.col("recovered_by_fallback")).sum().alias("recovered"),
        )
        .sort("kind", "version")
    )
    return tuple(VersionFigures(**row) for row in rows.iter_rows(named=True))
