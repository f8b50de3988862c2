"""The pages: one self-contained HTML file each, whatever strangers wrote into the figures."""

from collections.abc import Iterable
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
from centinel.report import wording
from centinel.report.figures import Figures
from centinel.report.lines import Row, Total
from centinel.store import Store

TEMPLATES = Path(__file__).parent / "templates"

LONGEST_LINK = 1000
"""Characters above which an address is shown and not linked: a page has hundreds of them."""

MOST_LINES = 20
"""Of a list of notes."""

MOST_SOURCES = 50
"""Of which the overview says what they need; the others stand in its table."""


def source_page(store: Store, figures: Figures, pipeline: Pipeline, made_at: str) -> str:
    """Returns the page of one source."""
    return (
        environment()
        .get_template("source.html.j2")
        .render(
            figures=figures,
            snapshot=figures.snapshot,
            acquired=figures.acquired,
            read=figures.read,
            ingested=figures.ingested,
            pipeline=pipeline,
            made_at=made_at,
            blob_path=lambda sha256: store.relative(store.blob(sha256)),
        )
    )


def overview_page(rows: Iterable[Row], total: Total, disabled: Iterable[str], made_at: str) -> str:
    """Returns the page of all sources."""
    return (
        environment()
        .get_template("overview.html.j2")
        .render(rows=list(rows), total=total, disabled=list(disabled), made_at=made_at)
    )


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
        "time": wording.time,
    }
    made.globals |= {
        "css": Markup((TEMPLATES / "style.css").read_text("utf-8")),  # noqa: S704 (our own file)
        "most_lines": MOST_LINES,
        "most_sources": MOST_SOURCES,
        "of": wording.of,
        "share": wording.share,
        "version": __version__,
    }
    return made


def _shown(value: Any) -> Any:
    """What every expression of a template passes before it is escaped."""
    if isinstance(value, Markup):
        return value
    if value is None:
        return wording.UNKNOWN
    return wording.printable(masked(value)) if isinstance(value, str) else value


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
