"""The figures of what was read: outcomes, readers, what was not read and why, what is doubtful."""

from dataclasses import dataclass

import polars as pl

from centinel.configuration import Pipeline
from centinel.kinds import NOT_TRANSCRIBED
from centinel.report.frames import Frames
from centinel.report.groups import Groups, alike, grouped
from centinel.report.wording import UNKNOWN, share

SHORT_TEXT = 200
"""Characters below which the text of a large page is doubtful."""

LARGE_PAGE = 20_000
"""Bytes above which a page should have more than a few words."""

MENU = "menu:"
"""How the note of the html reader on a text that is mostly links begins."""

MOST_TEXTS = 20


@dataclass(frozen=True)
class KindFigures:
    """One kind: what was acquired of it, and what reading it gave."""

    kind: str
    version: int
    artifacts: int
    blobs: int
    size: int
    """Of the distinct blobs."""
    text: int
    underivable: int
    waiting: int
    unread: int
    """Artifacts without a line at this version: their shard has not been read."""
    recovered: int
    """Texts of which any came from a later reader."""
    chars: int


@dataclass(frozen=True)
class ReaderFigures:
    """One version of a reader, on one kind: the texts of which it gave most."""

    kind: str
    reader: str
    version: str
    """The reader's."""
    pipeline_version: int
    """The kind's, under which it read."""
    texts: int
    recovered: int
    """Of those: with anything in them from a later reader than the first."""
    chars: int

    @property
    def rate(self) -> float:
        """How many of its texts were recovered by fallback, in percent."""
        return share(self.recovered, self.texts)


@dataclass(frozen=True)
class Text:
    """One text, to be opened."""

    address: str
    kind: str
    title: str | None
    path: str
    """Relative to the source's folder."""
    chars: int
    reader: str | None


@dataclass(frozen=True)
class Readings:
    """What reading gave."""

    kinds: tuple[KindFigures, ...]
    readers: tuple[ReaderFigures, ...]
    underivable: Groups
    waiting: Groups
    waiting_for_readers: int
    """Documents that wait for a program or a model, not for a transcript."""
    menus: Groups
    short_texts: Groups
    contradictions: Groups
    contradicted: int
    """Artifacts with at least one of them."""
    notes: Groups
    texts: tuple[Text, ...]

    def total(self, outcome: str) -> int:
        """Returns how many artifacts had an outcome: a field of KindFigures."""
        return sum(getattr(each, outcome) for each in self.kinds)


def readings_of(frames: Frames, pipeline: Pipeline) -> Readings:
    """Returns the figures of the readings of one source."""
    derived = frames.derived.rename({"artifact": "address"})
    texts = derived.filter(pl.col("outcome") == "text")
    waiting = derived.filter(pl.col("outcome") == "waiting")
    contradictions = _each_note(frames.contradicted.rename({"artifact": "address"}))
    menus, short = _poor_reads(texts, frames.artifacts)
    return Readings(
        kinds=_kinds(frames, pipeline),
        readers=_readers(texts),
        underivable=_by_reason(derived.filter(pl.col("outcome") == "underivable")),
        waiting=_by_reason(waiting),
        waiting_for_readers=waiting.filter(pl.col("reason") != NOT_TRANSCRIBED).height,
        menus=menus,
        short_texts=short,
        contradictions=grouped(contradictions, ["kind", "note"]),
        contradicted=contradictions["address"].n_unique(),
        notes=_reader_notes(texts, contradictions),
        texts=_sample(texts),
    )


def _kinds(frames: Frames, pipeline: Pipeline) -> tuple[KindFigures, ...]:
    """One row a kind that was acquired, the most frequent first."""
    blobs = frames.artifacts.select("kind", "blob", "size").unique(["kind", "blob"])
    acquired = (
        frames.artifacts.group_by("kind")
        .agg(pl.len().alias("artifacts"))
        .join(
            blobs.group_by("kind").agg(pl.len().alias("blobs"), pl.col("size").sum().alias("size")),
            on="kind",
            how="left",
        )
    )
    rows = (
        acquired.join(_outcomes(frames.derived), on="kind", how="left")
        .with_columns(pl.exclude("kind").fill_null(0).cast(pl.Int64))
        .sort("artifacts", "kind", descending=[True, False])
    )
    return tuple(
        KindFigures(
            **row,
            version=pipeline.reading(row["kind"]).version,
            unread=max(row["artifacts"] - row["text"] - row["underivable"] - row["waiting"], 0),
        )
        for row in rows.iter_rows(named=True)
    )


def _outcomes(derived: pl.DataFrame) -> pl.DataFrame:
    return derived.group_by("kind").agg(
        *((pl.col("outcome") == each).sum().alias(each) for each in OUTCOMES),
        ((pl.col("outcome") == "text") & pl.col("recovered_by_fallback")).sum().alias("recovered"),
        pl.col("chars").sum(),
    )


OUTCOMES = ("text", "underivable", "waiting")


def _readers(texts: pl.DataFrame) -> tuple[ReaderFigures, ...]:
    rows = (
        texts.with_columns(
            pl.col("reader").fill_null("not named"),
            pl.col("version").alias("pipeline_version"),
        )
        .with_columns(pl.col("reader_version").fill_null(UNKNOWN).alias("version"))
        .group_by("kind", "reader", "version", "pipeline_version")
        .agg(
            pl.len().alias("texts"),
            pl.col("recovered_by_fallback").sum().alias("recovered"),
            pl.col("chars").sum(),
        )
        .sort(
            "kind",
            "texts",
            "reader",
            "version",
            "pipeline_version",
            descending=[False, True, False, False, False],
        )
    )
    return tuple(ReaderFigures(**row) for row in rows.iter_rows(named=True))


def _by_reason(lines: pl.DataFrame) -> Groups:
    """Groups by kind and reason; the numbers in reasons do not keep them apart."""
    return grouped(alike(lines, "reason"), ["kind", "label"])


def _each_note(lines: pl.DataFrame) -> pl.DataFrame:
    """One row a note."""
    noted = lines.filter(pl.col("notes").list.len() > 0)
    return noted.explode("notes").rename({"notes": "note"}).filter(pl.col("note").is_not_null())


def _poor_reads(texts: pl.DataFrame, artifacts: pl.DataFrame) -> tuple[Groups, Groups]:
    """Texts that are a menu, and texts of a few words from a large page."""
    is_menu = pl.col("notes").list.eval(pl.element().str.starts_with(MENU)).list.any()
    menus = _each_note(texts.filter(is_menu)).filter(pl.col("note").str.starts_with(MENU))
    sizes = artifacts.select(pl.col("artifact").alias("address"), "size")
    short = (
        texts.filter((pl.col("kind") == "html") & (pl.col("chars") < SHORT_TEXT))
        .join(sizes, on="address", how="inner")
        .filter(pl.col("size") > LARGE_PAGE)
        .with_columns(
            pl.format("{} characters from {} bytes", "chars", "size").alias("detail"),
            pl.lit("a few words from a large page").alias("label"),
        )
    )
    shared = menus.with_columns(
        pl.col("note").alias("detail"), pl.lit("a menu, not a page").alias("label")
    )
    return grouped(shared, ["label"]), grouped(short, ["label"])


def _reader_notes(texts: pl.DataFrame, contradictions: pl.DataFrame) -> Groups:
    """What readers noticed, without what the table of kinds noted before them."""
    notes = _each_note(texts).join(contradictions, on=["address", "note"], how="anti")
    return grouped(alike(notes, "note"), ["kind", "label"], examples=1)


def _sample(texts: pl.DataFrame) -> tuple[Text, ...]:
    """Texts at even distances in the order of their addresses: the same ones in every report."""
    shown = texts.select(
        "address", "kind", "title", pl.col("text").alias("path"), "chars", "reader"
    )
    there = shown.filter(pl.col("path").is_not_null()).sort("address")
    step = max(-(-there.height // MOST_TEXTS), 1)
    rows = there.gather_every(step)
    return tuple(Text(**row) for row in rows.iter_rows(named=True))
