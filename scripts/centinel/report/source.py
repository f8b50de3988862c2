"""Writes the audit of one source: its tables first, then its page."""

from collections.abc import Callable
from datetime import datetime

from centinel.configuration import Pipeline, Source
from centinel.files import write_whole
from centinel.journal import now
from centinel.record import timestamp
from centinel.report import pages, summary, tables, told
from centinel.report.figures import Figures, figures_of
from centinel.sources.registry import kind_of
from centinel.store import Store


def write(
    store: Store, source: Source, pipeline: Pipeline, clock: Callable[[], datetime] = now
) -> Figures:
    """Writes `tables/` and `report.html` of a source, and returns the figures in them.

    The page is what a run waits for, so it comes last. Raises OSError for a fault of this machine,
    ValueError for a damaged file.
    """
    made_at = timestamp(clock())
    told.keep(store, kind_of(source).marker(""))
    figures, frames = figures_of(store, source, pipeline, clock)
    tables.write(store, frames)
    summary.write(store, summary.summary_of(figures, made_at))
    page = pages.source_page(store, figures, pipeline, made_at)
    write_whole(store.report, page.encode())
    return figures
