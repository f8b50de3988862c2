"""A feed: RSS 2.0 (https://www.rssboard.org/rss-specification), RSS 1.0, Atom (RFC 4287).

Paged by `rel=next` and archived by `rel=prev-archive` (RFC 5005), in RSS too (its appendix B).
A feed without those holds only its newest entries: how many is the product's choice, and where the
feed is as full as a product makes it, more is likely to be published than it says.
"""

import re
from dataclasses import dataclass

from centinel import addresses
from centinel.answers import Fetched
from centinel.sources.platforms.entries import Entries, identity
from centinel.sources.platforms.feed_document import FeedDocument, FeedEntry, parse
from centinel.sources.platforms.records import Block, Entry, Page, Walked


@dataclass(frozen=True)
class Cap:
    """How many entries a product's feed has at most."""

    product: str
    entries: int
    address: re.Pattern[str] | None = None
    """How its feeds' addresses look."""
    generator: re.Pattern[str] | None = None
    """What its feeds say of their generator."""

    def is_of(self, address: str, generator: str | None) -> bool:
        """Returns whether a feed is one of this product."""
        if self.address and self.address.search(address):
            return True
        return bool(self.generator and generator and self.generator.search(generator))


CAPS = (
    # The agendas and the minutes of a view: 100 items, however many there are.
    Cap("Granicus", 100, address=re.compile(r"/ViewPublisherRSS\.php(?:\?|$)", re.I)),
    # A channel's feed: its 15 newest videos, whatever the channel holds.
    Cap("YouTube", 15, address=re.compile(r"/feeds/videos\.xml(?:\?|$)")),
    # "Syndication feeds show the most recent": 10 unless the site sets another number
    # (https://wordpress.org/documentation/article/settings-reading-screen/).
    Cap("WordPress", 10, generator=re.compile(r"^https?://wordpress\.(?:org|com)/")),
)


class Feed(Entries):
    """`query: {platform: feed, url: …}`."""

    name = "feed"
    media_type = "application/xml"

    def read(self, block: Block, fetched: Fetched) -> Page:
        """Returns the entries of one document. Raises Unreadable."""
        document = parse(fetched.body.content(), fetched.final_url)
        found = []
        for each in document.entries:
            entry = self._entry(block, each, fetched.final_url)
            found += [entry] if entry else []
        return Page(
            tuple(found),
            len(document.entries) - len(found),
            document.total,
            addresses.canonical(document.following) if document.following else None,
            self._cap(block, document),
            document.is_complete,
            ("it ends in the middle",) if document.is_cut else (),
        )

    def _entry(self, block: Block, entry: FeedEntry, document: str) -> Entry | None:
        link = addresses.canonical(entry.link, document) if entry.link else None
        address = self.entry(block, link, entry.identifier)
        if address is None:
            return None
        return Entry(
            address,
            entry.title,
            entry.lastmod,
            identity(entry.identifier, entry.fragment),
            original=addresses.original(entry.link or "", document),
            fragment=entry.fragment,
            files=entry.files,
            found_in=document,
        )

    def _cap(self, block: Block, document: FeedDocument) -> int | None:
        product = self._product(block, document.generator)
        return product.entries if product and not document.following else None

    def _product(self, block: Block, generator: str | None) -> Cap | None:
        address = self.address(block)
        return next((each for each in CAPS if each.is_of(address, generator)), None)

    def hints(self, block: Block, walked: Walked) -> list[str]:  # noqa: ARG002 (others need it)
        """Says that a feed without paging holds only its newest entries."""
        last = walked.last
        if last is None or walked.requests > 1 or last.is_complete or last.total is not None:
            return []
        return [f"the feed has no paging: it holds only its newest {walked.rows} entries"]
