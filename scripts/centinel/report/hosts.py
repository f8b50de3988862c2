"""The hosts that a source's pages link to, as far as a page can show them."""

from dataclasses import dataclass

import polars as pl

MOST_HOSTS = 200
MOST_CARRIERS = 3


@dataclass(frozen=True)
class Host:
    """One host: on how many pages it is linked to, how often, and what was decided about it."""

    host: str
    links: int
    pages: int
    example: str
    carriers: tuple[str, ...]
    """Some of the pages."""
    ruling: str
    note: str | None


@dataclass(frozen=True)
class Crumbs:
    """Those on most pages first."""

    hosts: tuple[Host, ...]
    count: int
    """All of them."""
    open: int
    """Of all: those that nobody has ruled on."""

    @property
    def rest(self) -> int:
        """How many are not shown."""
        return self.count - len(self.hosts)


def crumbs_of(crumbs: pl.DataFrame, most: int = MOST_HOSTS) -> Crumbs:
    """Returns the hosts of `crumbs.jsonl`."""
    ordered = crumbs.sort("pages", "links", "host", descending=[True, True, False])
    shown = ordered.head(most).with_columns(pl.col("carriers").list.head(MOST_CARRIERS))
    return Crumbs(
        hosts=tuple(
            Host(**{**row, "carriers": tuple(row["carriers"] or ())})
            for row in shown.iter_rows(named=True)
        ),
        count=crumbs.height,
        open=int((crumbs["ruling"] == "open").sum()),
    )
