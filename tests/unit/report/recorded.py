"""A record that a test writes line by line, in the order in which it calls."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from centinel.files import as_lines
from centinel.journal import keep_snapshot
from centinel.record import Discovery, Line, Observation, Resource, Status, timestamp
from centinel.store import Store
from tests.unit.report.results import blob_of

SITE = "https://town.example/"


def at(day: int, hour: int = 9, minute: int = 0, month: int = 3) -> datetime:
    """A time of 2026."""
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)


@dataclass
class Recorded:
    """Writes `record/` of one source."""

    store: Store
    marker: str = ""
    listed: list[str] = field(default_factory=list)
    was_cut: bool = False

    @classmethod
    def under(cls, folder: Path, marker: str = "") -> "Recorded":
        return cls(Store(folder, "town"), marker)

    def write(self, line: Line, when: datetime) -> None:
        months = self.store.record_months()
        month = max([self.store.record_month(when), *months])
        month.parent.mkdir(parents=True, exist_ok=True)
        with month.open("ab") as stream:
            stream.write(as_lines([line]))

    def snapshot(self, when: datetime, names: Iterable[str], *, is_cut: bool = False) -> None:
        """A good enumeration, with the difference that the library would draw."""
        listed = [SITE + name for name in names]
        kept = keep_snapshot(self.store, when, as_lines(map(Resource, listed)))
        new, vanished = set(listed) - set(self.listed), set(self.listed) - set(listed)
        line = Discovery(
            at=timestamp(when),
            method="sitemap",
            outcome="ok",
            reason=None,
            found=len(listed),
            truncated=is_cut,
            snapshot=kept,
            new=None if self.was_cut else len(new),
            vanished=None if self.was_cut or is_cut else len(vanished),
        )
        self.listed, self.was_cut = listed, is_cut
        self.write(line, when)

    def failed(self, when: datetime, reason: str = "http 503") -> None:
        """An enumeration that gave nothing."""
        line = Discovery(timestamp(when), "sitemap", "failed", reason, None, None, None)
        self.write(line, when)

    def kept(self, when: datetime, name: str, content: str = "1") -> None:
        """An answer with bytes."""
        address, blob = SITE + name + self.marker, blob_of(name + content)
        line = Observation(
            timestamp(when),
            SITE + name,
            address,
            blob,
            10,
            blob,
            None,
            address,
            200,
            {},
            None,
            None,
        )
        self.write(line, when)

    def said(self, when: datetime, name: str, liveness: str) -> None:
        """An answer without bytes."""
        address = SITE + name + self.marker
        moment = timestamp(when)
        self.write(Status(moment, SITE + name, address, liveness, moment, 1, "why", None), when)
