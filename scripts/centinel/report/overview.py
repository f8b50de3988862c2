"""Writes the audit of all sources."""

from collections.abc import Callable
from datetime import datetime

from centinel.configuration import Configuration, Source
from centinel.files import write_whole
from centinel.journal import now
from centinel.record import timestamp
from centinel.report import pages, summary
from centinel.report.figures import figures_of
from centinel.report.lines import Row, total_of
from centinel.store import Store


def write(configuration: Configuration, clock: Callable[[], datetime] = now) -> list[Row]:
    """Writes `results/report.html`, and returns its lines: what needs somebody first.

    A source that was never run, or whose files are damaged, has a line that says so.
    """
    made_at = timestamp(clock())
    enabled = [each for each in configuration.sources.values() if each.enabled]
    disabled = [each.identifier for each in configuration.sources.values() if not each.enabled]
    rows = sorted((_row(configuration, each, clock) for each in enabled), key=lambda r: r.rank)
    page = pages.overview_page(rows, total_of(rows), disabled, made_at)
    write_whole(configuration.results / "report.html", page.encode())
    return rows


def _row(configuration: Configuration, source: Source, clock: Callable[[], datetime]) -> Row:
    store = Store(configuration.results, source.identifier)
    link = f"{source.identifier}/report.html" if store.report.exists() else None
    known = summary.read(store)
    if known is not None:
        return Row(source.identifier, known, link)
    if not store.snapshot_report.exists() and not store.resources.exists():
        return Row(source.identifier, None, link)
    try:
        figures, _ = figures_of(store, source, configuration.pipeline, clock)
    except ValueError as error:
        return Row(source.identifier, None, link, trouble=f"not readable: {error}")
    return Row(source.identifier, summary.summary_of(figures, timestamp(clock())), link)
