"""Takes a snapshot of a source, keeps it in the record, and says how complete it is."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from operator import attrgetter

from centinel.configuration import Source
from centinel.download import Interrupted
from centinel.files import as_lines, write_json, write_whole
from centinel.history import replayed
from centinel.http import Client
from centinel.journal import Journal, addresses_in, keep_snapshot, now, read_snapshot
from centinel.record import SESSIONS_DROPPED, Discovery, Resource, SnapshotReport, timestamp
from centinel.sources.source_kind import Enumeration, SourceKind
from centinel.store import Store


def take(
    store: Store,
    source: Source,
    kind: SourceKind,
    client: Client,
    clock: Callable[[], datetime] = now,
) -> SnapshotReport:
    """Enumerates a source, records what was found, and writes `snapshot.jsonl` and its report.

    A failed enumeration keeps the last good snapshot and draws no difference. Use it under the
    record's lock. Raises OSError for a fault of this machine.
    """
    at = clock()
    found = _enumerated(source, kind, client)
    resources = sorted(found.resources, key=attrgetter("address"))
    dropped = sum(each.original is not None for each in resources)
    if dropped:
        found.figures[SESSIONS_DROPPED] = dropped
    with replayed(store) as history:
        last = history.last_good_discovery()
        before = Kept(store, last.snapshot if last else None)
        report = _report(source, at, found, resources, before, last)
        lines = as_lines(resources)
        kept = keep_snapshot(store, at, lines) if found.reason is None else None
        discovery = _discovery(report, kept)
        journal = Journal(store, clock)
        journal.add(at, discovery)
        journal.commit()
        history.add(discovery.to_json())
        history.keep(store)  # so that no later job reads the record for one line
    if found.reason is not None:
        resources, lines = before.resources(), b""
    if dropped or not lines:
        lines = as_lines(_compared(resources))
    write_whole(store.snapshot, lines)
    write_json(store.snapshot_report, report.to_json())
    return report


def _compared(resources: Iterable[Resource]) -> Iterator[Resource]:
    """What `snapshot.jsonl` says: a session differs each time, and makes no other snapshot."""
    return (replace(each, original=None) if each.original else each for each in resources)


@dataclass(frozen=True)
class Kept:
    """The last good snapshot, or none."""

    store: Store
    name: str | None

    def addresses(self) -> set[str]:
        """Returns the addresses that were published."""
        return addresses_in(self.store, self.name) if self.name else set()

    def resources(self) -> list[Resource]:
        """Returns what was published."""
        return read_snapshot(self.store, self.name) if self.name else []


def _enumerated(source: Source, kind: SourceKind, client: Client) -> Enumeration:
    """What is unexpected is a failure of this enumeration, with its text."""
    try:
        return kind.enumerate(source, client)
    except (Interrupted, OSError):
        raise
    except Exception as error:  # noqa: BLE001 (the edge of a unit of work)
        return Enumeration(kind.key, reason=f"unexpected: {type(error).__name__}: {error}")


def _report(
    source: Source,
    at: datetime,
    found: Enumeration,
    resources: list[Resource],
    before: Kept,
    last: Discovery | None,
) -> SnapshotReport:
    failed = found.reason is not None
    new, vanished = (None, None) if failed else _difference(resources, before, found, last)
    return SnapshotReport(
        source=source.identifier,
        method=found.method,
        taken_at=timestamp(at),
        outcome="failed" if failed else "ok",
        reason=found.reason,
        found=None if failed else len(resources),
        truncated=None if failed else found.truncated,
        new=new,
        vanished=vanished,
        notes=found.notes,
        warnings=found.warnings,
        figures=found.figures,
    )


def _difference(
    resources: Iterable[Resource],
    before: Kept,
    found: Enumeration,
    last: Discovery | None,
) -> tuple[int | None, int | None]:
    """Counts what is new and what vanished; None where a cut snapshot cannot tell."""
    now_there = {each.address for each in resources}
    was_there = before.addresses()
    last_was_cut = last is not None and bool(last.truncated)
    new = None if last_was_cut else len(now_there - was_there)
    vanished = None if last_was_cut or found.truncated else len(was_there - now_there)
    return new, vanished


def _discovery(report: SnapshotReport, kept: str | None) -> Discovery:
    return Discovery(
        at=report.taken_at,
        method=report.method,
        outcome=report.outcome,
        reason=report.reason,
        found=report.found,
        truncated=report.truncated,
        snapshot=kept,
        new=report.new,
        vanished=report.vanished,
        notes=report.notes,
        warnings=report.warnings,
        figures=report.figures,
    )
