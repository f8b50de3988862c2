"""The figures of one source, from the files under `results/<source>/`. Reads, and never writes."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from centinel.configuration import Pipeline, Source
from centinel.files import read_json
from centinel.history import replay
from centinel.journal import now
from centinel.masking import masked
from centinel.report.acquisition import Acquisition, Snapshot, acquisition_of, snapshot_of, state_of
from centinel.report.attention import Attention, needs
from centinel.report.charts import Chart, charts_of
from centinel.report.fixity import Fixity, fixity_of
from centinel.report.frames import Frames, load
from centinel.report.glance import Glance, glances_of
from centinel.report.hosts import Crumbs, crumbs_of
from centinel.report.ingested import Ingested, ingested_of
from centinel.report.news import News, news_of
from centinel.report.over_time import OverTime, over_time_of
from centinel.report.readings import Readings, readings_of
from centinel.report.stale import Stale, stale_of
from centinel.report.transcribed import Transcribed, transcribed_of
from centinel.report.versions import VersionFigures, earlier, versions_of
from centinel.sources.registry import kind_of
from centinel.store import Store


@dataclass(frozen=True)
class Figures:
    """Everything that the audit of one source says."""

    source: str
    address: str
    snapshot: Snapshot
    acquired: Acquisition
    read: Readings
    needs: tuple[Attention, ...]
    """Everything that needs somebody."""
    glance: tuple[Glance, ...]
    news: News
    over_time: OverTime
    charts: tuple[Chart, ...]
    stale: Stale
    crumbs: Crumbs
    versions: tuple[VersionFigures, ...] = ()
    """What earlier versions of kinds gave, as far as their lines are still here."""
    transcribed: tuple[Transcribed, ...] = ()
    fixity: Fixity | None = None
    """None where nothing was ever verified."""
    ingested: Ingested | None = None
    """None for a source that is no list of datasets."""

    @property
    def attention(self) -> tuple[Attention, ...]:
        """What needs somebody and is not said by a figure of the first screen."""
        return tuple(each for each in self.needs if each.glance is None)


def figures_of(
    store: Store, source: Source, pipeline: Pipeline, clock: Callable[[], datetime] = now
) -> tuple[Figures, Frames]:
    """Returns the figures of a source, and the frames that they were computed from.

    Whatever is missing counts as empty or unknown. Raises ValueError for a damaged file.
    """
    kind = kind_of(source)
    # First, while nothing else is in memory: the record may be much larger than all frames.
    over_time = over_time_of(store, kind.marker(""))
    history = replay(store, is_kept=False)
    frames = load(store, pipeline, history)
    snapshot = snapshot_of(read_json(store.snapshot_report), history, frames.resources)
    acquired = acquisition_of(frames, state_of(read_json(store.acquire_state)), history)
    read = readings_of(frames, pipeline)
    read_before = earlier(store, pipeline)
    ingested = ingested_of(store)
    news = news_of(frames.changes, history)
    stale = stale_of(snapshot, frames, read_before, source, clock())
    fixity = fixity_of(store)
    figures = Figures(
        source=source.identifier,
        address=masked(kind.address(source)),
        snapshot=snapshot,
        acquired=acquired,
        read=read,
        needs=needs(snapshot, acquired, read, ingested, stale, fixity, over_time),
        glance=glances_of(snapshot, acquired, read, news, stale, fixity),
        news=news,
        over_time=over_time,
        charts=charts_of(over_time),
        stale=stale,
        versions=versions_of(read_before),
        crumbs=crumbs_of(frames.crumbs),
        transcribed=transcribed_of(store, frames.artifacts, frames.derived, pipeline),
        fixity=fixity,
        ingested=ingested,
    )
    return figures, frames
