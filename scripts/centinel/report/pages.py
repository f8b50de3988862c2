"""The pages: one self-contained HTML file each, whatever strangers wrote into the figures."""

import hashlib
from base64 import b64encode
from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from centinel import __version__
from centinel.addresses import SCHEMES
from centinel.configuration import Pipeline
from centinel.masking import masked
from centinel.report import all_sources, wording
from centinel.report.figures import Figures
from centinel.report.glance import NONE, Glance, Level
from centinel.report.lines import Row, Total
from centinel.report.rows import Rows, rows_of
from centinel.report.tables import NAMES
from centinel.store import Store

TEMPLATES = Path(__file__).parent / "templates"

LONGEST_LINK = 1000
"""Characters above which an address is shown and not linked: a page has hundreds of them."""

MOST_LINES = 20
"""Of a list of notes."""

MOST_SOURCES = 50
"""Of which the overview says what they need; the others stand in its table."""

LEVEL_WORDS = {Level.OK: "OK", Level.NOTICE: "Look", Level.URGENT: "Urgent"}

TABLES = {
    "resources": "every address, and how it lives",
    "artifacts": "every artifact that was kept",
    "derivations": "what reading each artifact gave",
    "underivable": "what was tried and gave no text",
    "changes": "what happened, and when",
    "crumbs": "the hosts that pages link to",
}

BEHIND = {
    "complete": ("resources", "snapshot=yes"),
    "new": ("changes", "after=listed"),
    "changed": ("changes", "event=changed"),
    "vanished": ("changes", "event=vanished"),
    "blocked": ("resources", "liveness=blocked snapshot=yes"),
    "unread": ("underivable", ""),
    "owed": ("resources", "owed=yes"),
    "waiting": ("artifacts", "-outcome=text -outcome=underivable"),
    "stale": ("resources", "liveness=live snapshot=yes"),
}
"""By the name of a figure of the first screen: the table that it counts rows of, and which."""

PARTS = (
    ("news", "What changed"),
    ("snapshot", "Snapshot"),
    ("over-time", "Over time"),
    ("addresses", "Addresses"),
    ("refusals", "Refusals"),
    ("problems", "Problems"),
    ("acquired", "Acquired"),
    ("datasets", "Datasets"),
    ("reading", "Reading"),
    ("transcription", "Transcription"),
    ("underivable", "Underivable"),
    ("waiting", "Waiting"),
    ("doubtful", "Doubtful"),
    ("texts", "Texts"),
    ("crumbs", "Crumbs"),
    ("stale", "Stale"),
    ("fixity", "Fixity"),
    ("rows", "Rows"),
    ("record", "Record and tables"),
)
"""The sections of a source's page, in their order, and what the list of them calls each."""


def source_page(store: Store, figures: Figures, pipeline: Pipeline, made_at: str) -> str:
    """Returns the page of one source; reads the rows in it from `tables/`, which must be there."""
    left_out = {
        *(() if figures.ingested else ("datasets",)),
        *(() if figures.transcribed else ("transcription",)),
    }
    # What remains to be asked for is in no column; which addresses owe parts is.
    behind = BEHIND if figures.acquired.owed else {**BEHIND, "owed": ("resources", "")}
    rows = rows_of(store)
    news = figures.news
    rows["changes"] = Rows(
        "changes", tuple(vars(e) for e in news.events), len(news.events) + news.rest
    )
    return (
        environment()
        .get_template("source.html.j2")
        .render(
            figures=figures,
            snapshot=figures.snapshot,
            acquired=figures.acquired,
            read=figures.read,
            ingested=figures.ingested,
            rows=rows,
            places={each.name: _place(each, rows, behind) for each in figures.glance},
            parts=[part for part in PARTS if part[0] not in left_out],
            everything=[(name, TABLES[name]) for name in NAMES],
            pipeline=pipeline,
            made_at=made_at,
            blob_path=lambda sha256: store.relative(store.blob(sha256)),
        )
    )


def overview_page(rows: Iterable[Row], total: Total, disabled: Iterable[str], made_at: str) -> str:
    """Returns the page of all sources."""
    lines = list(rows)
    glance = all_sources.glances_of(lines, total)
    return (
        environment()
        .get_template("overview.html.j2")
        .render(
            rows=lines,
            total=total,
            glance=glance,
            places={each.name: _source_place(each) for each in glance},
            disabled=list(disabled),
            made_at=made_at,
        )
    )


NOTHING_BEHIND = (NONE, wording.UNKNOWN)
"""Figures that lead nowhere."""


def _place(
    glance: Glance, rows: Mapping[str, Rows], behind: Mapping[str, tuple[str, str]]
) -> tuple[str | None, str | None]:
    """Where the rows behind a figure are, and the filter that leaves those: none in a file."""
    name, which = behind.get(glance.name, (None, None))
    if glance.figure in NOTHING_BEHIND:
        return None, None
    if name is None:
        return glance.rows, None
    return (f"#rows-{name}", which) if rows[name].is_whole else (rows[name].file, None)


def _source_place(glance: Glance) -> tuple[str | None, str | None]:
    """The same in the audit of all sources, whose rows are all there."""
    if glance.figure in NOTHING_BEHIND:
        return None, None
    return "#rows-sources", all_sources.FILTERS[glance.name]


@cache
def environment() -> Environment:
    """Returns the templates' environment; every value is escaped, masked and made printable."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    made.filters |= {
        "address": shown_address,
        "clipped": wording.clipped,
        "counted": wording.counted,
        "day": wording.day,
        "figure": wording.figure,
        "href": href,
        "number": wording.number,
        "path": path_href,
        "percent": wording.percent,
        "size": wording.size,
        "sound": sound,
        "span": wording.span,
        "time": wording.time,
    }
    script = (TEMPLATES / "tables.js").read_text("utf-8").strip()
    made.globals |= {
        "css": Markup((TEMPLATES / "style.css").read_text("utf-8")),  # noqa: S704 (our own file)
        "script": Markup(script),  # noqa: S704 (our own file)
        "script_hash": script_hash(script),
        "level_words": LEVEL_WORDS,
        "most_lines": MOST_LINES,
        "most_sources": MOST_SOURCES,
        "of": wording.of,
        "share": wording.share,
        "version": __version__,
    }
    return made


def script_hash(script: str) -> str:
    """Returns how a page's policy names the one script that may run in it (CSP level 2)."""
    return f"sha256-{b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def _shown(value: Any) -> Any:
    """What every expression of a template passes before it is escaped."""
    if isinstance(value, Markup):
        return value
    if value is None:
        return wording.UNKNOWN
    return wording.printable(masked(value)) if isinstance(value, str) else value


def sound(seconds: float) -> str:
    """Returns a length of sound as hours, minutes and seconds: `1:02:03`, `0:04:05`."""
    return str(timedelta(seconds=round(seconds)))


def shown_address(address: str, most: int = 160) -> str:
    """Returns an address for the eye: masked before it is clipped, so that no password is cut."""
    return wording.clipped(masked(address), most)


def href(address: str | None) -> str | None:
    """Returns an address that may be a link: http or https, and as short as a page can bear."""
    if address is None or len(address) > LONGEST_LINK or masked(address) != address:
        return None
    scheme, separator, _ = address.partition("://")
    is_plain = wording.printable(address) == address
    return address if separator and scheme.lower() in SCHEMES and is_plain else None


def path_href(path: str | None) -> str | None:
    """Returns a link to a file under the page's folder; None for a path that leads elsewhere."""
    if path is None or PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
        return None
    return quote(path, errors="replace")
