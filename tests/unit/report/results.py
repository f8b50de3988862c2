"""A results folder made by hand: what other rules would leave, as little as a test needs."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from centinel.classify import Work, shards
from centinel.configuration import Configuration, Pipeline, Reading, Source
from centinel.files import as_lines, write_json, write_lines
from centinel.journal import append
from centinel.record import (
    Artifact,
    Derived,
    Discovery,
    Line,
    Observation,
    ResourceState,
    SnapshotReport,
)
from centinel.report.figures import Figures, figures_of
from centinel.store import Store

BEFORE = "2026-02-01T09:00:00.000000Z"
AT = "2026-03-04T05:06:07.000000Z"
NOW = datetime(2026, 3, 5, 9, 30, tzinfo=UTC)
SITE = "https://town.example/"

PIPELINE = Pipeline(
    1,
    {
        "html": Reading(1, ("marked", "whole_page")),
        "pdf": Reading(2, ("pdf_inspector", "pdftotext")),
        "audio": Reading(1, ()),
    },
)

SOURCE = Source(
    identifier="town",
    key="site",
    value=SITE,
    enabled=True,
    rps=1.0,
    lang="en",
    limit=None,
    match=(),
    exclude=(),
    revisit=timedelta(days=30),
    retry={},
    acquire_for=timedelta(hours=1),
    max_bytes=1 << 20,
)


def clock() -> datetime:
    """The time at which every report of a test is made."""
    return NOW


def figures(store: Store) -> Figures:
    """The figures of a source's audit."""
    return figures_of(store, SOURCE, PIPELINE, clock)[0]


def blob_of(name: str) -> str:
    """A hash for bytes that nobody needs."""
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()


def snapshot(**changes: Any) -> SnapshotReport:
    """A snapshot that went well, but for the changes."""
    whole = SnapshotReport("town", "sitemap", AT, "ok", None, 3, False, 3, 0)
    return replace(whole, **changes)


def state(address: str, liveness: str | None = "live", **changes: Any) -> ResourceState:
    """The state of an address."""
    asked = liveness is not None
    made = ResourceState(
        address=address,
        liveness=liveness,
        since=AT if asked else None,
        consecutive_failures=0 if liveness in ("live", None) else 1,
        reason=None,
        last_checked=AT if asked else None,
        in_snapshot=True,
    )
    return replace(made, **changes)


@dataclass
class Results:
    """Collects what is to lie under `results/town/`, and writes it."""

    results: Path
    source: str = "town"
    states: list[ResourceState] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)
    work: list[Work] = field(default_factory=list)
    derived: list[Derived] = field(default_factory=list)

    @property
    def store(self) -> Store:
        return Store(self.results, self.source)

    def add(
        self,
        address: str,
        kind: str = "html",
        outcome: str | None = "text",
        *,
        resource: str | None = None,
        blob: str | None = None,
        size: int = 1000,
        title: str | None = None,
        claims: tuple[str, ...] = (),
        **changes: Any,
    ) -> None:
        """Adds an artifact, and the line of its reading unless `outcome` is None."""
        blob = blob or blob_of(address)
        resource = resource or address
        self.artifacts.append(
            Artifact(address, resource, blob, size, None, None, address, title, AT)
        )
        self.work.append(Work(address, resource, blob, kind, None, title, list(claims)))
        if outcome is not None:
            self.derived.append(
                self._line(address, resource, blob, kind, outcome, title, claims, changes)
            )

    def _line(
        self,
        address: str,
        resource: str,
        blob: str,
        kind: str,
        outcome: str,
        title: str | None,
        claims: tuple[str, ...],
        changes: Mapping[str, Any],
    ) -> Derived:
        version = PIPELINE.reading(kind).version
        reads = outcome == "text"
        line = Derived(
            artifact=address,
            resource=resource,
            blob=blob,
            kind=kind,
            version=version,
            outcome=outcome,
            text=f"text/{kind}/v{version}/{blob[:2]}/{blob}.md" if reads else None,
            underivable=f"underivable/{kind}/v{version}/{blob[:2]}/{blob}.json"
            if outcome == "underivable"
            else None,
            reader="marked" if reads else None,
            reader_version="2.3.1" if reads else None,
            readers_by_page=None,
            recovered_by_fallback=False,
            title=title,
            chars=900 if reads else 0,
            notes=[*claims, *changes.get("notes", ())],
            reason=None if reads else "no text",
        )
        return replace(line, **{k: v for k, v in changes.items() if k != "notes"})

    def write(self, report: SnapshotReport | None = None, **acquire: Any) -> Store:
        """Writes the files, with the snapshot's report and what acquire said of itself."""
        store = self.store
        if report is not None:
            write_json(store.snapshot_report, report.to_json())
        write_lines(store.resources, self.states)
        write_lines(store.artifacts, self.artifacts)
        said = {"turn": 0, "next_due": None, "remaining": 0, "left_out": 0, "put_off": 0}
        write_json(
            store.acquire_state, {**said, "counts": {}, "torn": [], "warnings": [], **acquire}
        )
        store.work.mkdir(parents=True, exist_ok=True)
        for kind in {each.kind for each in self.work}:
            self._write_shards(store, kind)
        return store

    def _write_shards(self, store: Store, kind: str) -> None:
        lines = {each.artifact: each for each in self.derived if each.kind == kind}
        for shard, work in shards([each for each in self.work if each.kind == kind]).items():
            write_lines(store.work_file(kind, shard), work)
            read = [lines[each.artifact] for each in work if each.artifact in lines]
            if read:
                write_lines(store.derived_file(kind, PIPELINE.reading(kind).version, shard), read)


def record(store: Store, *lines: Line) -> None:
    """Appends lines to the record."""
    append(store.record_month(NOW), as_lines(lines))


def discovery(**changes: Any) -> Discovery:
    """A good enumeration, in the record."""
    whole = Discovery(AT, "sitemap", "ok", None, 3, False, "record/snapshots/x.jsonl.gz")
    return replace(whole, **changes)


def observation(address: str, **changes: Any) -> Observation:
    """An observation of a page, in the record."""
    blob = blob_of(address)
    whole = Observation(
        AT, address, address, blob, 10, blob, "text/html", address, 200, {}, None, None
    )
    return replace(whole, **changes)


def configuration(results: Path, *sources: Source) -> Configuration:
    """A configuration of these sources."""
    named = {each.identifier: each for each in sources}
    return Configuration(results, "", False, named, PIPELINE, {})
