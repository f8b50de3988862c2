"""Directory listings: told from other pages by what their servers write, and walked as trees."""

import re
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import orjson

from centinel import addresses, kinds, webpage
from centinel.answers import Fetched
from centinel.http import Client
from centinel.liveness import Refusal
from centinel.readers.page import LARGEST_PAGE
from centinel.readers.tree import text_of
from centinel.record import Json, Resource
from centinel.sources import listing_dates
from centinel.sources.listing_servers import FEWEST_LINKS, SERVERS, View
from centinel.sources.source_kind import Enumeration

MOST_REQUESTS = 200
"""Requests for folders in one enumeration, as many as for sitemaps."""

MOST_ADDRESSES = 500_000
DEEPEST = 10
"""How deep folders in folders are walked: a link to itself makes a tree without an end."""

MOST_BYTES = LARGEST_PAGE
"""Of one page. A line has about 170 bytes, so that a folder of 60,000 files is within it."""

MOST_IN_A_ROW = 2
"""Links in the row of one entry: its name, and its icon."""

_FILE = re.compile(r".+\.[A-Za-z0-9]{1,5}")
"""A last segment that is a file's name."""


@dataclass(frozen=True)
class Page:
    """An answer that may be a listing."""

    body: bytes
    final_url: str
    declared_type: str | None = None


@dataclass(frozen=True)
class Entry:
    """One line of a listing."""

    address: str
    is_folder: bool
    lastmod: str | None = None


@dataclass(frozen=True)
class Listing:
    """What a listing says of the folder `root`."""

    server: str
    evidence: str
    root: str
    entries: tuple[Entry, ...]
    links: int
    """All links of the page, also those that name nothing in the folder."""
    elsewhere: int = 0
    """Links that lead out of the folder, but to none of those that it lies in."""


def root_of(final_url: str) -> str:
    """Returns the address of the folder that a listing at an address is of.

    Decided by the last segment: none, or a file's name, which is taken off; any other is a folder
    whose slash is missing. Query and fragment are no part of it.
    """
    parts = urlsplit(final_url)
    folder, _, last = parts.path.rpartition("/")
    if last and not _FILE.fullmatch(last):
        folder = parts.path
    return urlunsplit((parts.scheme, parts.netloc, f"{folder}/", "", ""))


def recognise(body: bytes, final_url: str, declared_type: str | None = None) -> Listing | None:
    """Returns the listing that an answer is; None where it is something else.

    Known: Apache, nginx (also its JSON, and fancyindex), IIS, lighttpd, Caddy, Python's
    `http.server`, and what calls itself "Index of /…" in a heading.
    """
    found = _read(Page(body, final_url, declared_type))
    return found if found and found.links >= FEWEST_LINKS else None


def walk(seed: Page, client: Client, found: Enumeration) -> bool:
    """Walks the tree below a listing, whose own bytes are not asked for again.

    Returns whether the seed is one; where it is not, nothing is asked and nothing said. Raises
    Interrupted, and OSError for a fault of this machine.
    """
    first = recognise(seed.body, seed.final_url, seed.declared_type)
    if first is None:
        return False
    _Walk(first, client, found).run()
    return True


def why_none(page: Page) -> str:
    """Returns why an answer is not read as a listing."""
    if len(page.body) > MOST_BYTES:
        return f"too large for a directory listing, {len(page.body)} bytes"
    return "no directory listing"


def _read(page: Page) -> Listing | None:
    """The listing that a page is, however few links it has: an empty folder has none."""
    kind = kinds.kind_of_type(page.declared_type)
    if len(page.body) > MOST_BYTES or kind not in (None, "html", "json"):
        return None
    if page.body.lstrip()[:1] == b"[":
        return _read_json(page) if kind in (None, "json") else None
    return _read_html(page)


# JSON, as nginx writes it (autoindex_format json)


def _read_json(page: Page) -> Listing | None:
    try:
        lines = orjson.loads(page.body)
    except orjson.JSONDecodeError:
        return None
    if not all(_is_json_line(line) for line in lines):
        return None
    root = root_of(page.final_url)
    entries = tuple(entry for line in lines if (entry := _json_entry(line, root)))
    evidence = f"JSON of {len(lines)} names with their type and time"
    # The other forms link to the parent, this one does not: it counts here as there.
    return Listing("nginx", evidence, root, entries, links=len(lines) + 1)


def _json_entry(line: Json, root: str) -> Entry | None:
    slash = {"directory": "/", "file": ""}.get(line["type"])  # the others can not be asked for
    if slash is None:
        return None
    address = addresses.canonical(root + quote(line["name"], safe="") + slash)
    if address is None or not is_inside(address, root):
        return None
    return Entry(address, bool(slash), listing_dates.found_in(line["mtime"]))


def _is_json_line(line: Any) -> bool:
    fields = ("name", "type", "mtime")
    return isinstance(line, dict) and all(isinstance(line.get(each), str) for each in fields)


# HTML


def _read_html(page: Page) -> Listing | None:
    opened = webpage.open_page(page.body, page.declared_type, page.final_url)
    if opened is None:
        return None
    view = View(opened.tree)
    for server, shown_by in SERVERS:
        evidence = shown_by(view)
        if evidence is not None:
            return _with_entries(page.final_url, view, server, evidence)
    return None


def _with_entries(final_url: str, view: View, server: str, evidence: str) -> Listing:
    root = root_of(final_url)
    rows = [next(link.iterancestors("tr", "pre"), None) for link in view.links]
    shared = Counter(rows)
    beside = [
        tuple(_in_row(link, row) if _is_row(row, shared[row]) else _on_line(link))
        for link, row in zip(view.links, rows, strict=True)
    ]
    day_first = listing_dates.is_day_first(text for texts in beside for text in texts)
    entries: dict[str, Entry] = {}
    elsewhere = 0
    for link, texts in zip(view.links, beside, strict=True):
        target = addresses.canonical(link.get("href"), root)
        if target is None or _is_on_the_way(target, root, final_url):
            continue
        if not is_inside(target, root):
            elsewhere += 1
            continue
        is_folder = urlsplit(target).path.endswith("/")
        address = target.partition("?")[0] if is_folder else target
        dates = (listing_dates.found_in(text, day_first) for text in texts)
        entries.setdefault(address, Entry(address, is_folder, next(filter(None, dates), None)))
    return Listing(server, evidence, root, tuple(entries.values()), len(view.links), elsewhere)


def is_inside(target: str, root: str) -> bool:
    """Returns whether an address is below a folder: the same host and port, and the path's start.

    A path that climbs, in whatever spelling, is not.
    """
    path, folder = urlsplit(target).path, urlsplit(root).path
    is_below = path.startswith(folder) and path != folder and "/../" not in path
    return is_below and addresses.host(target) == addresses.host(root)


def _is_on_the_way(target: str, root: str, final_url: str) -> bool:
    """The page itself, which links that sort it lead to, and the folders that it lies in."""
    path = urlsplit(target).path
    is_above = path.endswith("/") and urlsplit(root).path.startswith(path)
    is_here = is_above or path == urlsplit(final_url).path
    return is_here and addresses.host(target) == addresses.host(root)


def _is_row(row: Any, links: int) -> bool:
    """Whether it is the row of one entry (an icon may link too), not one that holds all of them."""
    return row is not None and row.tag == "tr" and links <= MOST_IN_A_ROW


def _in_row(link: Any, row: Any) -> Iterator[str]:
    """Yields what stands in the row of a link, but not in its own cell."""
    yield from (each.get("datetime", "") for each in row.iter("time"))
    around = set(link.iterancestors())
    yield from (text_of(cell) for cell in row if cell not in around)


def _on_line(link: Any) -> Iterator[str]:
    """Yields what stands on the line of a link, behind it and before it."""
    yield (link.tail or "").partition("\n")[0]
    before = link.getprevious()
    text = link.getparent().text if before is None else before.tail
    yield (text or "").rpartition("\n")[2]


@dataclass
class _Walk:
    """One walk over the folders below a listing."""

    first: Listing
    client: Client
    found: Enumeration
    queue: deque[tuple[str, int]] = field(default_factory=deque)
    seen: set[str] = field(default_factory=set)
    resources: dict[str, Resource] = field(default_factory=dict)
    requests: int = 0
    refused: list[str] = field(default_factory=list)
    elsewhere: int = 0
    too_deep: int = 0

    def run(self) -> None:
        first = self.first
        self.found.method = "listing"
        self.found.notes.append(
            f"{first.root}: a directory listing of {first.server}: {first.evidence}"
        )
        self.seen.add(first.root)
        self._take(first, 0)
        while self.queue and self.requests < MOST_REQUESTS and not self._is_full():
            self._ask(*self.queue.popleft())
        self._finish()

    def _is_full(self) -> bool:
        return len(self.resources) > MOST_ADDRESSES

    def _take(self, listing: Listing, depth: int) -> None:
        self.elsewhere += listing.elsewhere
        for entry in listing.entries:
            if not entry.is_folder:
                self._name(entry.address, entry.lastmod)
            elif entry.address not in self.seen:
                self.seen.add(entry.address)
                if depth < DEEPEST:
                    self.queue.append((entry.address, depth + 1))
                else:
                    self.too_deep += 1

    def _name(self, address: str, lastmod: str | None = None) -> None:
        self.resources.setdefault(address, Resource(address, lastmod, hint="document"))

    def _ask(self, address: str, depth: int) -> None:
        self.requests += 1
        answer = self.client.get(address)
        if not isinstance(answer, Fetched):
            reason = answer.reason if isinstance(answer, Refusal) else "http 304"
            self.refused.append(f"{address}: {reason}")
            return
        content = answer.body.content()
        answer.body.discard()
        if answer.final_url != address and not is_inside(answer.final_url, self.first.root):
            self.refused.append(f"{address}: leads out of the listing, to {answer.final_url}")
            return
        page = Page(content, answer.final_url, answer.declared_type)
        listing = _read(page)
        if listing is None:
            self._name(address)
            self.found.cut(f"{address}: {why_none(page)}: taken as a document")
            return
        self.seen.add(listing.root)
        self._take(listing, depth)

    def _finish(self) -> None:
        for line in self.refused:
            self.found.cut(f"a folder was refused: {line}")
        if self.queue and self.requests >= MOST_REQUESTS:
            self.found.cut(f"{len(self.queue)} folders behind the first {MOST_REQUESTS} not read")
        if self._is_full():
            self.found.cut(f"stopped at {MOST_ADDRESSES} addresses")
        if self.too_deep:
            self.found.cut(f"{self.too_deep} folders deeper than {DEEPEST} not read")
        if self.elsewhere:
            self.found.notes.append(f"{self.elsewhere} links lead out of the folder: left out")
        if not self.resources:
            self.found.warnings.append(f"{self.first.root}: the listing names no document")
        self.found.resources = list(self.resources.values())[:MOST_ADDRESSES]
        self.found.figures |= {
            "listing_server": self.first.server,
            "listings_fetched": self.requests + 1,
        }
        if self.refused and not self.resources:
            self.found.reason = "; ".join(self.refused)
