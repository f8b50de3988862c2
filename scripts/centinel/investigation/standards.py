"""Recognises what follows a standard, whoever made it: DCAT-US catalogues and feeds."""

from collections.abc import Iterator

from centinel import addresses
from centinel.investigation.recognition import Case, Offer, Recognition, Walk
from centinel.report.wording import of

MOST_FEEDS = 3
"""Feeds of one page that are asked for; the rest is counted."""

_FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml"})


class Catalogue:
    """A catalogue file of DCAT-US: the address itself, or `/data.json` of its host."""

    name = "dcat"

    def look(self, case: Case) -> Recognition:
        """Returns the file's block where it names datasets."""
        usual = f"{case.origin}/data.json"
        is_json = case.seed.is_of("json") and case.listing is None
        address = case.seed.final_url if is_json else usual
        block = {"platform": "dcat", "url": address}
        walk = case.walk("query", block, most=2)
        if not walk.resources:
            return Recognition(self.name, (f"{address}: {_why(walk)}",))
        evidence = f"{address} is a catalogue: {walk.spoken}"
        return Recognition(self.name, (evidence,), True, (Offer("query", block, self.name, walk),))


class Feeds:
    """A feed: the address itself, and those that the page names."""

    name = "feed"

    def look(self, case: Case) -> Recognition:
        """Returns a block for each feed that has entries."""
        found = dict.fromkeys(_feeds(case))
        if not found:
            return Recognition(
                self.name, ("no feed is named on the page, and the address is none",)
            )
        evidence: list[str] = []
        offers: list[Offer] = []
        for address in list(found)[:MOST_FEEDS]:
            block = {"platform": "feed", "url": address}
            walk = case.walk("query", block, most=3)
            evidence.append(f"{address}: {walk.spoken if walk.resources else _why(walk)}")
            remark = next((each for each in walk.notes if "newest" in each), "")
            offers += [Offer("query", block, self.name, walk, remark)] if walk.resources else []
        if len(found) > MOST_FEEDS:
            rest = of(len(found) - MOST_FEEDS, "feed", "feeds")
            evidence.append(f"{rest} more on the page not asked for")
        return Recognition(self.name, tuple(evidence), bool(offers), tuple(offers))


def _feeds(case: Case) -> Iterator[str]:
    if case.seed.is_of("xml"):
        yield case.seed.final_url
    page = case.seed.page
    for link in page.tree.iter("link") if page else ():
        kind = (link.get("type") or "").partition(";")[0].strip().lower()
        is_alternate = "alternate" in (link.get("rel") or "").lower().split()
        address = addresses.canonical(link.get("href") or "", page.base) if page else None
        if address and is_alternate and kind in _FEED_TYPES:
            yield address


def _why(walk: Walk) -> str:
    """Why an enumeration gave nothing, without the address that it begins with."""
    reason = walk.reason or "it names nothing"
    return reason.partition(": ")[2] if reason.startswith(("http://", "https://")) else reason
