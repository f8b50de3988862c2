"""What lies under `results/<source>/` as frames: the only place that turns lines into columns."""

import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson
import polars as pl

from centinel.classify import work_files
from centinel.configuration import Pipeline
from centinel.files import parse_line, read_lines
from centinel.history import History
from centinel.index import REMARKABLE
from centinel.record import Liveness
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
CHANGES: Schema = {
    "at": pl.String,
    "resource": pl.String,
    "artifact": pl.String,
    "event": pl.String,
    "before": pl.String,
    "after": pl.String,
}
CRUMBS: Schema = {
    "host": pl.String,
    "links": pl.Int64,
    "pages": pl.Int64,
    "example": pl.String,
    "carriers": pl.List(pl.String),
    "ruling": pl.String,
    "note": pl.String,
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
    contradicted: pl.DataFrame
    """Lines of the work files that have notes: what was said of the bytes does not fit them."""
    derived: pl.DataFrame
    """Lines of the current version of each kind, where their work file stands."""
    refused_parts: pl.DataFrame
    """Artifacts that another was found to have, and whose last request was refused."""
    acquired_notes: pl.DataFrame
    """What the acquisition noted of artifacts, such as enclosures that it did not take."""
    changes: pl.DataFrame
    """In the order of the record."""
    crumbs: pl.DataFrame


def load(store: Store, pipeline: Pipeline, history: History) -> Frames:
    """Returns the frames of a source; what is missing is an empty one.

    Raises ValueError with file and line number for a line that is not of its file's form.
    """
    planned = list(work_files(store))
    work = read_all((store.work_file(kind, shard) for kind, shard in planned), WORK)
    kinds = work.select("artifact", "kind").unique("artifact")
    contradicted = work.filter(pl.col("notes").list.len() > 0)
    del work
    derived = read_all(
        (
            store.derived_file(kind, pipeline.reading(kind).path_version, shard)
            for kind, shard in planned
        ),
        DERIVED,
    )
    resources = read(store.resources, RESOURCES)
    refused_parts, acquired_notes = _acquired(history, set(resources["address"]))
    return Frames(
        resources=resources,
        artifacts=read(store.artifacts, ARTIFACTS)
        .join(kinds, on="artifact", how="left", maintain_order="left")
        .with_columns(pl.col("kind").fill_null(UNCLASSIFIED)),
        contradicted=contradicted.sort("kind", "artifact"),
        derived=derived.sort("kind", "artifact"),
        refused_parts=refused_parts,
        acquired_notes=acquired_notes,
        changes=read(store.changes, CHANGES),
        crumbs=read(store.crumbs, CRUMBS),
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


CHUNK = 16 << 20
"""Bytes of lines that are made into columns at once: more take more memory, and no less time."""


def record_lines(
    store: Store,
    schema: Schema,
    start: Mapping[str, int] | None = None,
    end: Mapping[str, int] | None = None,
) -> Iterator[pl.DataFrame]:
    """Yields the lines of the record in their order, in pieces; torn ones are left out.

    `start` and `end` say, by the name of a file, at which of its bytes to begin and to stop.
    """
    for month in store.record_months():
        with month.open("rb") as stream:
            place = stream.seek((start or {}).get(month.name, 0))
            size = month.stat().st_size if end is None else end.get(month.name, 0)
            while chunk := stream.read(min(CHUNK, max(size - place, 0))):
                lines = chunk + stream.readline()
                place += len(lines)
                yield _columns(lines, schema)


def _columns(lines: bytes, schema: Schema) -> pl.DataFrame:
    try:
        return pl.read_ndjson(lines, schema=dict(schema))
    except pl.exceptions.PolarsError:  # a torn line: those that are whole are read without it
        whole = (line for line in lines.splitlines() if parse_line(line) is not None)
        return pl.read_ndjson(b"\n".join(whole), schema=dict(schema), ignore_errors=True)


def snapshot_addresses(store: Store, name: str) -> pl.Series | None:
    """Returns the addresses of a kept snapshot; None where it is not there or is damaged."""
    schema = {"address": pl.String}
    try:
        content = gzip.decompress((store.root / name).read_bytes())
        return pl.read_ndjson(content, schema=schema)["address"]
    except (FileNotFoundError, EOFError, gzip.BadGzipFile, zlib.error, pl.exceptions.PolarsError):
        return None


def read_all(paths: Iterable[Path], schema: Schema) -> pl.DataFrame:
    """Returns the lines of all of these files that are there, many files at once: a call costs a
    lot more than a line. Raises as `read` does, with the name of the file."""
    groups: list[list[Path]] = [[]]
    size = 0
    for path in paths:
        if path.exists():
            size += path.stat().st_size
            if size > CHUNK:
                groups.append([])
                size = 0
            groups[-1].append(path)
    return pl.concat([_read_together(group, schema) for group in groups])


def _read_together(paths: list[Path], schema: Schema) -> pl.DataFrame:
    try:
        return pl.read_ndjson(b"".join(map(Path.read_bytes, paths)), schema=dict(schema))
    except pl.exceptions.PolarsError:
        return pl.concat([read(path, schema) for path in paths])


def _acquired(history: History, resources: set[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The parts that were refused, and the notes: one walk, over those that may have any.

    A part that is a resource of its own is counted there, and nowhere else.
    """
    refused: dict[str, tuple[str, str, str | None]] = {}
    notes: list[tuple[str, str]] = []
    for artifact, known in history.artifacts.rows(REMARKABLE):
        notes.extend((artifact, note) for note in known.notes)
        if known.liveness not in (None, Liveness.LIVE) and artifact not in resources:
            refused[artifact] = (known.resource, known.liveness, known.reason)
    named: set[str] = set()
    if refused:
        named.update(*(orjson.loads(parts) for _, parts in history.artifacts.parts()))
    parts = [(part, *refused[part]) for part in sorted(named & refused.keys())]
    return (
        pl.DataFrame(parts, schema=PARTS, orient="row"),
        pl.DataFrame(notes, schema=NOTES, orient="row"),
    )
