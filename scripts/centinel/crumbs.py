"""Hosts that a source's pages link to: counted, never followed; a person rules on each.

A page's off-host links are kept in a ledger as it is acquired, so that counting them reads no page
again; a row that is missing there is made from the blob.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import nsmallest

import orjson

from centinel import addresses, kinds
from centinel.classify import work_files
from centinel.configuration import Configuration, Ruling
from centinel.files import as_lines, parse_line, read_lines, to_bytes, write_lines
from centinel.journal import append
from centinel.record import Artifact, Line, Observation
from centinel.store import Store
from centinel.webpage import WebPage, open_page

MOST_CARRIERS = 10
"""Pages that are named for a host; `pages` stays the whole count."""

LINKS_AT_ONCE = 64
"""Rows of the ledger that are written together."""

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


@dataclass
class Ledger:
    """Takes the off-host links of pages as they are acquired; rows that a killed job did not write
    are made from blobs."""

    store: Store
    _rows: list[PageLinks] = field(default_factory=list)

    def note(self, observation: Observation, page: WebPage | None) -> None:
        """Notes what a page links to elsewhere; nothing of what is no page."""
        if page is not None:
            self._rows.append(PageLinks(observation.artifact, observation.blob, links_of(page)))
        if len(self._rows) >= LINKS_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Writes what was noted."""
        keep(self.store, self._rows)
        self._rows.clear()


def write(store: Store, rulings: Mapping[str, Ruling]) -> None:
    """Writes `crumbs.jsonl`: what the newest bytes of every page link to.

    `rulings` is `standing`. Use it after the kinds were named.
    """
    tally = _Tally()
    for artifact, links in _rows(store).items():
        tally.add(artifact, links)
    write_lines(store.crumbs, tally.crumbs(rulings))


def _rows(store: Store) -> dict[str, bytes]:
    """By page, the links of its newest bytes as JSON; what the ledger lacks is made from blobs."""
    pages = {
        line["artifact"]: line["blob"]
        for kind, shard in work_files(store)
        if kinds.encloses(kind)
        for line in read_lines(store.work_file(kind, shard))
    }
    found = _ledger(store, pages)
    if len(found) < len(pages):
        artifacts = map(Artifact.from_json, read_lines(store.artifacts))
        missing = pages.keys() - found.keys()
        opened = (_from_blob(store, each) for each in artifacts if each.artifact in missing)
        made = [row for row in opened if row is not None]
        keep(store, made)
        found.update((row.artifact, to_bytes(row.links)) for row in made)
    return found


def _ledger(store: Store, pages: Mapping[str, str]) -> dict[str, bytes]:
    """The links in the rows of the ledger that are of these pages' bytes."""
    found: dict[str, bytes] = {}
    alike: dict[bytes, bytes | None] = {}
    if not store.links.exists():
        return found
    with store.links.open("rb") as stream:
        for line in stream:
            # Many rows have the same links, which stand last: those are parsed once.
            start, mark, end = line.partition(_BEFORE_LINKS)
            if end not in alike:
                alike[end] = _links_in(b'{"links":' + end) if mark else None
            links = alike[end]
            row = parse_line(line if links is None else start + b"}")
            if row and "blob" in row and pages.get(row.get("artifact", "")) == row["blob"]:
                found[row["artifact"]] = (
                    to_bytes(row.get("links") or []) if links is None else links
                )
    return found


_BEFORE_LINKS = b',"links":'
"""Only between fields: in a text the quote would be escaped."""


def _links_in(row: bytes) -> bytes | None:
    """Returns the links of a row, as JSON; None where it holds something else, or is torn."""
    parsed = parse_line(row)
    return to_bytes(parsed["links"] or []) if parsed and len(parsed) == 1 else None


def _from_blob(store: Store, page: Artifact) -> PageLinks | None:
    """The row that a page's bytes make; None where they are lost, since they may come back."""
    try:
        body = store.blob(page.blob).read_bytes()
    except FileNotFoundError:
        return None
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


class _Tally:
    """Counts hosts. Pages with the same links (a menu, a footer) are counted together."""

    def __init__(self) -> None:
        self._pages: dict[bytes, list[str]] = defaultdict(list)

    def add(self, artifact: str, links: bytes) -> None:
        """Takes the links of a page, as JSON."""
        self._pages[links].append(artifact)

    def crumbs(self, rulings: Mapping[str, Ruling]) -> list[Crumb]:
        """Returns the hosts that pages link to, those on most pages first.

        One page with twenty links is a widget; twenty pages with one are a system.
        """
        links: Counter[str] = Counter()
        pages: Counter[str] = Counter()
        carriers: dict[str, list[str]] = defaultdict(list)
        examples: dict[str, str] = {}
        for alike, artifacts in self._pages.items():
            first = nsmallest(MOST_CARRIERS, artifacts)
            for each in orjson.loads(alike):
                host, example = str(each["host"]), str(each["example"])
                links[host] += int(each["links"]) * len(artifacts)
                pages[host] += len(artifacts)
                carriers[host] = nsmallest(MOST_CARRIERS, carriers[host] + first)
                examples[host] = min(examples.get(host, example), example)
        crumbs = [
            Crumb(
                host=host,
                links=links[host],
                pages=pages[host],
                example=examples[host],
                carriers=carriers[host],
                ruling=rulings.get(host, _OPEN).ruling,
                note=rulings.get(host, _OPEN).note,
            )
            for host in links
        ]
        return sorted(crumbs, key=lambda crumb: (-crumb.pages, -crumb.links, crumb.host))
