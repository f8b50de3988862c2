"""What many things share, with a few of them as examples; whatever is left out is counted."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

MOST_GROUPS = 20
MOST_EXAMPLES = 5

_NUMBERS = r"(^|[\s(])\d+(?:(?:, |[.,–-])\d+)*"
"""Numbers and ranges of their own: not the 8 of UTF-8, nor the 3 of mp3."""


@dataclass(frozen=True)
class Example:
    """One of a group: its address, and where its things lie, relative to the source's folder."""

    address: str
    blob: str | None = None
    """The hash of its bytes."""
    text: str | None = None
    underivable: str | None = None
    detail: str | None = None
    """What is particular to this one, where it differs from the group's label."""


@dataclass(frozen=True)
class Group:
    """What its members share, and some of them."""

    keys: tuple[str, ...]
    count: int
    examples: tuple[Example, ...]

    @property
    def label(self) -> str:
        """What its members share, in words: the last of its keys."""
        return self.keys[-1]

    @property
    def rest(self) -> int:
        """How many members are no example."""
        return self.count - len(self.examples)


@dataclass(frozen=True)
class Groups:
    """The largest groups, and how much is in those that are not shown."""

    shown: tuple[Group, ...] = ()
    count: int = 0
    """All members, in groups that are shown and in others."""
    others: int = 0
    """Groups that are not shown."""
    members_of_others: int = 0


_EXAMPLE_FIELDS = ("address", "blob", "text", "underivable", "detail")


def grouped(
    frame: pl.DataFrame,
    keys: Sequence[str],
    most: int = MOST_GROUPS,
    examples: int = MOST_EXAMPLES,
    at_least: int = 1,
) -> Groups:
    """Returns the rows in groups, the largest first, the examples in the order of their addresses.

    Of the columns, `address` must be there; the other fields of an example are taken where they
    are. Groups of fewer than `at_least` are left out and counted nowhere.
    """
    fields = [name for name in _EXAMPLE_FIELDS if name in frame.columns]
    wanted = list(dict.fromkeys([*keys, *fields]))
    groups = (
        frame.select(wanted)
        .with_columns(pl.col(key).fill_null("no reason was given") for key in keys)
        .sort("address")
        .group_by(keys, maintain_order=True)
        .agg(pl.len().alias("members"), pl.struct(fields).head(examples).alias("examples"))
        .filter(pl.col("members") >= at_least)
        .sort("members", *keys, descending=[True, *(False for _ in keys)])
    )
    shown = tuple(
        Group(
            keys=tuple(row[key] for key in keys),
            count=row["members"],
            examples=tuple(Example(**each) for each in row["examples"]),
        )
        for row in groups.head(most).iter_rows(named=True)
    )
    return Groups(
        shown=shown,
        count=int(groups["members"].sum()),
        others=max(groups.height - most, 0),
        members_of_others=int(groups["members"].slice(most).sum()),
    )


def folded(column: str) -> pl.Expr:
    """Returns a text with its numbers as `…`, so that "page 3 of 7" and "page 1 of 2" are one."""
    return pl.col(column).str.replace_all(_NUMBERS, "${1}…")


def alike(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """Returns the frame with the column `label`: what the texts of a column have in common.

    Texts that differ only in their numbers share a label, and `detail` holds each one's own text;
    where all are the same to the letter, the label is that text and there is no detail.
    """
    marked = frame.with_columns(folded(column).alias("label"))
    is_one = pl.col(column).n_unique().over("label") == 1
    return marked.with_columns(
        pl.when(is_one).then(pl.lit(None, pl.String)).otherwise(pl.col(column)).alias("detail"),
        pl.when(is_one).then(pl.col(column)).otherwise(pl.col("label")).alias("label"),
    )
