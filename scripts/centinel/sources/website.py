"""A website: enumerated by its sitemaps, or by the directory listing that it is.

A page is acquired with the documents that it encloses.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from centinel import addresses, enclosures, kinds, webpage
from centinel.answers import Answer, Fetched
from centinel.configuration import Source
from centinel.http import Client
from centinel.liveness import Refusal
from centinel.record import Resource
from centinel.robots import Rules
from centinel.sources import bucket, listing, sitemap
from centinel.sources.source_kind import Enumeration, Parts

MOST_SITEMAPS = 200
"""Requests for sitemaps in one enumeration."""

MOST_ADDRESSES = 500_000
NOT_SCANNED = "too large or too odd to be parsed: not scanned for enclosures"

DEEPEST = 5
"""How deep indexes of indexes are followed."""

BY_CONVENTION = "robots.txt declares no sitemap: /sitemap.xml was tried"


class Website:
    """`site: URL`."""

    key = "site"
    is_paced = True

    def address(self, source: Source) -> str:
        """Returns the site's address in its canonical form."""
        return addresses.canonical(str(source.value)) or str(source.value)

    def private_is_allowed(self, source: Source) -> bool:
        """Returns whether the site itself is at a private or loopback address."""
        return addresses.is_private(urlsplit(self.address(source)).hostname or "")

    def enumerate(self, source: Source, client: Client) -> Enumeration:
        """Walks the sitemaps that robots.txt declares, else the one at the conventional place.

        Where that gives nothing, the listing that the site's own address is. An address of a folder
        below the root that is a listing goes before all of them: it names that folder, not a site.
        """
        walk = _Walk(self.address(source), client)
        walk.run()
        return walk.found

    def marker(self, resource: str) -> str:
        """Returns the page itself: an enclosure that never comes must not fetch it for ever."""
        return resource

    def fetch(
        self,
        source: Source,  # noqa: ARG002 (other kinds need it)
        client: Client,
        artifact: str,
        validators: Mapping[str, str],
    ) -> Answer:
        """Asks for a page."""
        return client.get(artifact, validators)

    def fetch_part(
        self,
        source: Source,  # noqa: ARG002 (other kinds need it)
        client: Client,
        artifact: str,
        validators: Mapping[str, str],
    ) -> Answer:
        """Asks for a document that a page encloses.

        One whose address does not say what it is must show it in its headers, before its body.
        """
        named = kinds.is_enclosed(addresses.extension(artifact))
        return client.get(artifact, validators, None if named else enclosures.no_document)

    def parts(
        self,
        source: Source,  # noqa: ARG002 (other kinds need it)
        resource: Resource,
        fetched: Fetched,
        kind: str,
    ) -> Parts:
        """Returns the documents that a page carries at their own address."""
        if resource.hint == "document" or not kinds.encloses(kind):
            return Parts()
        page = webpage.page_of(fetched)
        return enclosures.find(page, resource.address) if page else Parts(notes=(NOT_SCANNED,))


@dataclass
class _Walk:
    """One walk over a site's sitemaps, or over its listing."""

    site: str
    client: Client
    found: Enumeration = field(default_factory=lambda: Enumeration("sitemap"))
    queue: deque[tuple[str, int]] = field(default_factory=deque)
    seen: set[str] = field(default_factory=set)
    resources: dict[str, Resource] = field(default_factory=dict)
    fetched: int = 0
    refused: list[str] = field(default_factory=list)
    unusable: int = 0
    no_listing: str | None = None
    """Why the site's own address is no listing, once it was asked."""

    def run(self) -> None:
        rules = self.client.rules(self.site)
        self.found.notes.append(rules.note)
        if rules.unreachable:
            self.found.reason = rules.note
            return
        if not (_is_folder_below_root(self.site) and self._is_listing()):
            self._walk_sitemaps(rules.sitemaps)
        self._say(rules)

    def _walk_sitemaps(self, declared: tuple[str, ...]) -> None:
        self._start(declared)
        while self.queue and self.fetched < MOST_SITEMAPS and not self._is_full():
            self._read(*self.queue.popleft())
        nothing_declared = BY_CONVENTION in self.found.warnings
        if nothing_declared and not self.resources and self._is_listing():
            self.found.warnings.remove(BY_CONVENTION)
            self.found.notes += [BY_CONVENTION, *self.refused]
        else:
            self._finish()

    def _is_listing(self) -> bool:
        """Walks the listing that the site's own address is; asks for it once, and says why not."""
        if self.no_listing is not None:
            return False
        answer = self.client.get(self.site)
        reason = answer.reason if isinstance(answer, Refusal) else "http 304"
        if isinstance(answer, Fetched):
            page = listing.Page(answer.body.content(), answer.final_url, answer.declared_type)
            answer.body.discard()
            if any(walk(page, self.client, self.found) for walk in (listing.walk, bucket.walk)):
                return True
            reason = listing.why_none(page)
        self.no_listing = f"{self.site}: {reason}"
        self.found.notes.append(self.no_listing)
        return False

    def _start(self, declared: tuple[str, ...]) -> None:
        """Queues the declared sitemaps; a relative line is meant from the root."""
        for line in declared:
            address = addresses.canonical(line, addresses.origin(self.site) + "/")
            if address:
                self._queue(address, 0)
            else:
                self.found.warnings.append(f"robots.txt names a sitemap that is no address: {line}")
        if not self.queue:
            self.found.warnings.append(BY_CONVENTION)
            self._queue(addresses.origin(self.site) + "/sitemap.xml", 0)

    def _queue(self, address: str, depth: int) -> None:
        if address not in self.seen:
            self.seen.add(address)
            self.queue.append((address, depth))

    def _is_full(self) -> bool:
        return len(self.resources) > MOST_ADDRESSES

    def _read(self, address: str, depth: int) -> None:
        self.fetched += 1
        answer = self.client.get(address)
        if not isinstance(answer, Fetched):
            reason = answer.reason if isinstance(answer, Refusal) else "http 304"
            self._refuse(f"{address}: {reason}")
            return
        content = answer.body.content()
        answer.body.discard()
        try:
            document = sitemap.parse(content)
        except sitemap.NotASitemap as error:
            self._refuse(f"{address}: no sitemap: {error}")
            return
        self.found.notes.append(f"{address}: {document.form} of {len(document.entries)}")
        if document.is_cut:
            self.found.cut(f"{address}: ends in the middle or is over {sitemap.MOST_BYTES} bytes")
        self._take(answer.final_url, depth, document)

    def _take(self, base: str, depth: int, document: sitemap.Sitemap) -> None:
        if document.form == "index" and depth >= DEEPEST:
            self.found.cut(f"{base}: an index deeper than {DEEPEST} is not followed")
            return
        for entry in document.entries:
            address = addresses.canonical(entry.location, base)
            if address is None:
                self.unusable += 1
            elif document.form == "index":
                self._queue(address, depth + 1)
            elif address not in self.resources:
                original = addresses.original(entry.location, base)
                self.resources[address] = Resource(
                    address, entry.lastmod, entry.title, original=original
                )

    def _refuse(self, line: str) -> None:
        self.refused.append(line)

    def _finish(self) -> None:
        for line in self.refused:
            self.found.cut(line)
        if self.queue and self.fetched >= MOST_SITEMAPS:
            self.found.cut(f"{len(self.queue)} sitemaps behind the first {MOST_SITEMAPS} not read")
        if self._is_full():
            self.found.cut(f"stopped at {MOST_ADDRESSES} addresses")
        if self.unusable:
            self.found.warnings.append(f"{self.unusable} entries are no http address: left out")
        self.found.resources = list(self.resources.values())[:MOST_ADDRESSES]
        if self.refused and not self.resources:
            self.found.reason = "; ".join(filter(None, [*self.refused, self.no_listing]))

    def _say(self, rules: Rules) -> None:
        here = addresses.origin(self.site) + "/"
        self.found.figures |= {
            "sitemaps_fetched": self.fetched,
            "robots_declared": rules.declared,
            "disallowed": sum(
                not rules.allows(each.address)
                for each in self.found.resources
                if each.address.startswith(here)
            ),
        }


def _is_folder_below_root(site: str) -> bool:
    """Whether an address names a folder: its last segment is no file's name."""
    path = urlsplit(site).path
    return path != "/" and urlsplit(listing.root_of(site)).path.rstrip("/") == path.rstrip("/")
