"""Hosts that a source's pages link to: counted, never followed; a person rules on each.

A page's off-host links are kept in a ledger as it is acquired, so that counting them reads no page
again; a row that is missing there is made from the blob.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from centinel import addresses, kinds
from centinel.classify import work_files
from centinel.configuration import Configuration, Ruling
from centinel.files import as_lines, parse_line, read_lines, write_lines
from centinel.journal import append
from centinel.record import Artifact, Line
from centinel.store import Store
from centinel.webpage import WebPage, open_page

MOST_CARRIERS = 10
"""Pages that are named for a host; `pages` stays the whole count."""

_OPEN = Ruling("open")
_ABSOLUTE = re.compile(r"(?:https?:)?//([^/?#\s\\]+)", re.I)


@dataclass(frozen=True)
class PageLinks(Line):
    """The off-host links of one artifact as it was acquired; one line of `links.jsonl`."""

    artifact: str
    blob: str
    links: list[dict[str, str | int]] = field(default_factory=list)
    """For each host: `host`, `links` (how many) and `example` (the smallest address)."""


@dataclass(frozen=True)
class Crumb(Line):
    """One host that pages of the source link to: one line of `crumbs.jsonl`."""

    host: str
    links: int
    pages: int
    example: str
    carriers: list[str]
    ruling: str
    """`open`, `ignore`, `allow`, or `source` where one of the sources is at the host."""
    note: str | None = None


def links_of(page: WebPage) -> list[dict[str, str | int]]:
    """Returns the hosts other than its own that a page's `<a href>` name, most links first."""
    own = addresses.host(page.final_url)
    counts: dict[str, int] = defaultdict(int)
    examples: dict[str, str] = {}
    for href in page.attributes("a", "href"):
        match = _ABSOLUTE.match(href)
        if match is None or match[1].lower() == own:
            continue
        address = _canonical(href) if href[0] != "/" else addresses.canonical(href, page.base)
        if address is None or addresses.host(address) == own:
            continue
        host = addresses.host(address)
        counts[host] += 1
        examples[host] = min(examples.get(host, address), address)
    ordered = sorted(counts, key=lambda host: (-counts[host], host))
    return [{"host": each, "links": counts[each], "example": examples[each]} for each in ordered]


@lru_cache(maxsize=1024)
def _canonical(href: str) -> str | None:
    """The form of an absolute address: the pages of a site link to the same places elsewhere."""
    return addresses.canonical(href)


def keep(store: Store, rows: Iterable[PageLinks]) -> None:
    """Appends rows to the ledger, which may be deleted and is then made again from the blobs."""
    lines = as_lines(rows)
    if lines:
        append(store.links, lines)


def write(store: Store, rulings: Mapping[str, Ruling]) -> None:
    """Writes `crumbs.jsonl`: what the newest bytes of every page link to.

    `rulings` is `standing`. Use it after the kinds were named.
    """
    pages = {
        line["artifact"]
        for kind, shard in work_files(store)
        if kinds.encloses(kind)
        for line in read_lines(store.work_file(kind, shard))
    }
    artifacts = (Artifact.from_json(line) for line in read_lines(store.artifacts))
    rows = _rows(store, (each for each in artifacts if each.artifact in pages))
    write_lines(store.crumbs, count(rows, rulings))


def _rows(store: Store, pages: Iterable[Artifact]) -> Iterator[PageLinks]:
    """The ledger's row for the newest bytes of each page; a missing one is made from the blob."""
    known = _ledger(store)
    made: list[PageLinks] = []
    for page in pages:
        row = known.get((page.artifact, page.blob))
        if row is None:
            row = _from_blob(store, page)
            made.append(row)
        yield row
    keep(store, made)


def _ledger(store: Store) -> dict[tuple[str, str], PageLinks]:
    if not store.links.exists():
        return {}
    with store.links.open("rb") as stream:
        lines = (parse_line(line) for line in stream)
        rows = [PageLinks.from_json(line) for line in lines if line and "blob" in line]
    return {(row.artifact, row.blob): row for row in rows}


def _from_blob(store: Store, page: Artifact) -> PageLinks:
    try:
        body = store.blob(page.blob).read_bytes()
    except FileNotFoundError:
        return PageLinks(page.artifact, page.blob)
    opened = open_page(body, page.declared_type, page.final_url)
    return PageLinks(page.artifact, page.blob, links_of(opened) if opened else [])


def standing(configuration: Configuration) -> dict[str, Ruling]:
    """Returns how hosts stand: `source` where one of the sources is, else as was decided.

    Only a site claims its host: that of a channel has those of many publishers.
    """
    hosts = {
        addresses.host(address): Ruling("source", source.identifier)
        for source in configuration.sources.values()
        if source.key == "site" and (address := addresses.canonical(str(source.value)))
    }
    return {**configuration.rulings, **hosts}


def count(rows: Iterable[PageLinks], rulings: Mapping[str, Ruling]) -> list[Crumb]:
    """Returns the hosts that pages link to, those on most pages first.

    One page with twenty links is a widget; twenty pages with one are a system.
    """
    links: dict[str, int] = defaultdict(int)
    carriers: dict[str, list[str]] = defaultdict(list)
    examples: dict[str, str] = {}
    for row in rows:
        for each in row.links:
            host, example = str(each["host"]), str(each["example"])
            links[host] += int(each["links"])
            carriers[host].append(row.artifact)
            examples[host] = min(examples.get(host, example), example)
    crumbs = [
        Crumb(
            host=host,
            links=links[host],
            pages=len(carriers[host]),
            example=examples[host],
            carriers=sorted(carriers[host])[:MOST_CARRIERS],
            ruling=rulings.get(host, _OPEN).ruling,
            note=rulings.get(host, _OPEN).note,
        )
        for host in links
    ]
    return sorted(crumbs, key=lambda crumb: (-crumb.pages, -crumb.links, crumb.host))
