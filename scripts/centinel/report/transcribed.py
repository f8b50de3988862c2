"""What became of the recordings of a source, by the engine and the model that heard them."""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from centinel.configuration import Pipeline
from centinel.files import read_json
from centinel.kinds import RECORDINGS
from centinel.report.frames import Schema
from centinel.store import Store

HEARD: Schema = {
    "kind": pl.String,
    "blob": pl.String,
    "engine": pl.String,
    "engine_version": pl.String,
    "seconds": pl.Float64,
}


@dataclass(frozen=True)
class Transcribed:
    """The recordings that one model was given, or that wait for it."""

    engine: str | None
    """None where nothing was transcribed yet."""
    engine_version: str | None
    model: str | None
    recordings: int
    """Distinct ones: several addresses may give the same bytes."""
    seconds: float
    """Of sound that was decoded."""
    texts: int
    underivable: int
    waiting: int


def transcribed_of(
    store: Store, artifacts: pl.DataFrame, derived: pl.DataFrame, pipeline: Pipeline
) -> tuple[Transcribed, ...]:
    """Returns the figures of recordings, those with most of them first; nothing without any.

    One that no shard names yet waits.
    """
    kinds = pl.col("kind").is_in(sorted(RECORDINGS))
    recordings = artifacts.filter(kinds).select("kind", "blob").unique()
    if recordings.is_empty():
        return ()
    read = derived.filter(kinds).unique(["kind", "blob"], keep="first", maintain_order=True)
    models = {kind: pipeline.reading(kind).model for kind in sorted(RECORDINGS)}
    heard = pl.DataFrame(list(_heard(store, pipeline)), schema=HEARD, orient="row")
    outcome = pl.col("outcome")
    groups = (
        recordings.join(
            read.select("kind", "blob", "outcome", "reader", "reader_version"),
            on=["kind", "blob"],
            how="left",
        )
        .join(heard, on=["kind", "blob"], how="left")
        .with_columns(
            pl.coalesce("engine", "reader").alias("engine"),
            pl.coalesce("engine_version", "reader_version").alias("engine_version"),
            pl.col("kind").replace_strict(models, return_dtype=pl.String).alias("model"),
            outcome.fill_null("waiting"),
        )
        .group_by("engine", "engine_version", "model")
        .agg(
            pl.len().alias("recordings"),
            pl.col("seconds").sum(),
            (outcome == "text").sum().alias("texts"),
            (outcome == "underivable").sum().alias("underivable"),
            (outcome == "waiting").sum().alias("waiting"),
        )
        .sort("recordings", "engine", "engine_version", "model", descending=[True, *[False] * 3])
    )
    return tuple(Transcribed(**row) for row in groups.iter_rows(named=True))


def _heard(store: Store, pipeline: Pipeline) -> Iterator[tuple[str, str, object, object, object]]:
    """One row a recording that was transcribed with the model that is wanted now."""
    for kind in sorted(RECORDINGS):
        version = pipeline.reading(kind).path_version
        for path in sorted(store.recording_file(kind, version, "x").parent.glob("*.json")):
            said = (read_json(path) or {}).get("transcript", {})
            seconds = float(said.get("seconds") or 0)
            yield kind, path.stem, said.get("engine"), said.get("engine_version"), seconds
