"""What lies under `results/<source>/` as frames: the only place that turns lines into columns."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from centinel.classify import work_files
from centinel.configuration import Pipeline
from centinel.files import read_lines
from centinel.history import History
from centinel.store import Store

Schema = Mapping[str, pl.DataType | type[pl.DataType]]

RESOURCES: Schema = {
    "address": pl.String,
    "liveness": pl.String,
    "since": pl.String,
    "consecutive_failures": pl.Int64,
    "reason": pl.String,
    "last_checked": pl.String,
    "in_snapshot": pl.Boolean,
    "owed": pl.List(pl.String),
    "http_status": pl.Int64,
}
ARTIFACTS: Schema = {
    "artifact": pl.String,
    "resource": pl.String,
    "blob": pl.String,
    "size": pl.Int64,
    "declared_type": pl.String,
    "filename": pl.String,
    "final_url": pl.String,
    "title": pl.String,
    "observed_at": pl.String,
}
WORK: Schema = {
    "artifact": pl.String,
    "resource": pl.String,
    "blob": pl.String,
    "kind": pl.String,
    "notes": pl.List(pl.String),
}
DERIVED: Schema = {
    "artifact": pl.String,
    "resource": pl.String,
    "blob": pl.String,
    "kind": pl.String,
    "version": pl.Int64,
    "outcome": pl.String,
    "text": pl.String,
    "underivable": pl.String,
    "reader": pl.String,
    "reader_version": pl.String,
    "readers_by_page": pl.List(pl.String),
    "recovered_by_fallback": pl.Boolean,
    "title": pl.String,
    "chars": pl.Int64,
    "notes": pl.List(pl.String),
    "reason": pl.String,
}
PARTS: Schema = {
    "address": pl.String,
    "resource": pl.String,
    "liveness": pl.String,
    "reason": pl.String,
}
NOTES: Schema = {"address": pl.String, "note": pl.String}

UNCLASSIFIED = "not classified"
"""The kind that is shown for an artifact that no work file names."""


@dataclass(frozen=True)
class Frames:
    """One source: what it publishes, what was kept, what is to be read, and what was."""

    resources: pl.DataFrame
    artifacts: pl.DataFrame
    """With the column `kind`, from the work files."""
    work: pl.DataFrame
    derived: pl.DataFrame
    """Lines of the current version of each kind, where their work file stands."""
    refused_parts: pl.DataFrame
    """Artifacts that another was found to have, and whose last request was refused."""
    acquired_notes: pl.DataFrame
    """What the acquisition noted of artifacts, such as enclosures that it did not take."""


def load(store: Store, pipeline: Pipeline, history: History) -> Frames:
    """Returns the frames of a source; what is missing is an empty one.

    Raises ValueError with file and line number for a line that is not of its file's form.
    """
    planned = list(work_files(store))
    work = _all([store.work_file(kind, shard) for kind, shard in planned], WORK)
    resources = read(store.resources, RESOURCES)
    kinds = work.select("artifact", "kind").unique("artifact", keep="first")
    return Frames(
        resources=resources,
        artifacts=read(store.artifacts, ARTIFACTS)
        .join(kinds, on="artifact", how="left", maintain_order="left")
        .with_columns(pl.col("kind").fill_null(UNCLASSIFIED)),
        work=work,
        derived=_all(
            [
                store.derived_file(kind, pipeline.reading(kind).path_version, shard)
                for kind, shard in planned
            ],
            DERIVED,
        ),
        refused_parts=_refused_parts(history, set(resources["address"])),
        acquired_notes=_acquired_notes(history),
    )


def read(path: Path, schema: Schema) -> pl.DataFrame:
    """Returns the lines of a file as a frame; an empty one where there is no such file.

    Fields that a line does not have are null, fields that the schema does not have are left out.
    """
    if not path.exists():
        return pl.DataFrame(schema=schema)
    try:
        return pl.read_ndjson(path, schema=dict(schema))
    except pl.exceptions.PolarsError as error:
        for _ in read_lines(path):  # says which line, where it is one that is no JSON
            pass
        raise ValueError(f"{path}: {error}: delete the file and run again") from error


def _all(paths: Iterable[Path], schema: Schema) -> pl.DataFrame:
    frames = [read(path, schema) for path in paths]
    return pl.concat([pl.DataFrame(schema=schema), *frames])


def _refused_parts(history: History, resources: set[str]) -> pl.DataFrame:
    """A part that is a resource of its own is counted there, and nowhere else."""
    named = {
        part
        for known in history.artifacts.values()
        for part in (known.observation.parts if known.observation else ())
        if part not in resources
    }
    rows = [
        (part, known.resource, known.liveness, known.reason)
        for part in sorted(named)
        if (known := history.known(part)) is not None and known.liveness not in (None, "live")
    ]
    return pl.DataFrame(rows, schema=PARTS, orient="row")


def _acquired_notes(history: History) -> pl.DataFrame:
    rows = [
        (artifact, note)
        for artifact, known in sorted(history.artifacts.items())
        for note in (known.observation.notes if known.observation else ())
    ]
    return pl.DataFrame(rows, schema=NOTES, orient="row")
