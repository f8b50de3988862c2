"""The lines of the overview: one a source, and their totals."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from centinel.report.charts import Chart, charts_of
from centinel.report.over_time import OverTime
from centinel.report.summary import Summary
from centinel.report.summing import summed

ADDED = (
    "live",
    "gone",
    "blocked",
    "error",
    "never_asked",
    "size",
    "texts",
    "underivable",
    "waiting",
    "unread",
    "changed",
    "owed",
    "lost",
)
"""Columns of which the sum over sources means something. Never a sum over columns."""


@dataclass(frozen=True)
class Row:
    """A source in the audit of all."""

    source: str
    summary: Summary | None
    """None where the source was never run, or its files cannot be read."""
    link: str | None
    trouble: str | None = None
    """Why there is no summary."""

    @property
    def rank(self) -> tuple[int, str]:
        """Sorts what needs somebody first."""
        if self.summary is None:
            return (1, self.source)
        if self.summary.urgent:
            return (0, self.source)
        return (2 if self.summary.attention else 3, self.source)

    @property
    def is_urgent(self) -> bool:
        """Whether its figures are not whole, or not to be trusted, until something is mended."""
        return self.summary is not None and self.summary.urgent

    @property
    def needs_somebody(self) -> bool:
        """Whether there is anything to say of it beyond its figures."""
        return self.summary is None or bool(self.summary.attention)

    @property
    def attention(self) -> list[str]:
        """What needs somebody, in sentences."""
        if self.summary is None:
            return [f"{self.outcome.capitalize()}: there are no figures."]
        return self.summary.attention

    @property
    def outcome(self) -> str:
        """How the newest snapshot went, in a word or two."""
        if self.summary is None:
            return self.trouble or "never run"
        if self.summary.outcome is None:
            return "no snapshot"
        if self.summary.outcome != "ok":
            return "failed"
        return "cut short" if self.summary.truncated else "ok"


@dataclass(frozen=True)
class Total:
    """Sums over the sources that have a summary."""

    sources: int
    found: int
    found_at_least: bool
    remaining: int
    remaining_at_least: bool
    sums: dict[str, int]
    new: int = 0
    new_at_least: bool = False
    vanished: int = 0
    vanished_at_least: bool = False
    over_time: OverTime = field(default_factory=OverTime)
    charts: tuple[Chart, ...] = ()


def total_of(rows: Iterable[Row]) -> Total:
    """Returns the sums; what is unknown for one source makes its sum the least that it can be."""
    known = [row.summary for row in rows if row.summary is not None]
    over_time = summed(each.over_time for each in known)
    return Total(
        sources=len(known),
        found=sum(each.found or 0 for each in known),
        found_at_least=any(each.found is None or each.truncated for each in known),
        remaining=sum(each.remaining or 0 for each in known),
        remaining_at_least=any(each.remaining is None or each.truncated for each in known),
        new=sum(each.new or 0 for each in known),
        new_at_least=any(each.new is None or each.truncated for each in known),
        vanished=sum(each.vanished or 0 for each in known),
        vanished_at_least=any(each.vanished is None for each in known),
        over_time=over_time,
        charts=charts_of(over_time),
        sums={name: sum(getattr(each, name) for each in known) for name in ADDED},
    )
