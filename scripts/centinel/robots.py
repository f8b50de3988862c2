"""robots.txt (RFC 9309): what may be asked, how slowly, and which sitemaps it names."""

from dataclasses import dataclass

from protego import Protego

PRODUCT = "centinel"
"""The name that groups in robots.txt are matched against, never the whole User-Agent."""

MOST_BYTES = 500 << 10
"""RFC 9309, section 2.5: at least 500 KiB are read; what lies behind is ignored."""

MISSING = frozenset(range(400, 500))
"""RFC 9309, section 2.3.1.3: an answer in this range means that there are no rules."""


@dataclass(frozen=True)
class Rules:
    """The rules of one origin, and how they were come by."""

    note: str
    """One line for the record: read, or assumed and why."""
    unreachable: str | None = None
    """Why the rules could not be had (RFC 9309, section 2.3.1.4): then nothing may be asked."""
    declared: bool = False
    parsed: Protego | None = None

    def allows(self, address: str) -> bool:
        """Returns whether the address may be asked; everything may where there are no rules."""
        return self.parsed is None or bool(self.parsed.can_fetch(address, PRODUCT))

    @property
    def crawl_delay(self) -> float:
        """Seconds between two requests that the rules ask for; 0 where they do not."""
        delay = self.parsed.crawl_delay(PRODUCT) if self.parsed else None
        return max(0.0, float(delay or 0.0))

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The `Sitemap:` lines as they stand."""
        return tuple(self.parsed.sitemaps) if self.parsed else ()


def parse(body: bytes) -> Rules:
    """Returns the rules in a robots.txt; a web page served in its place has none."""
    text = body[:MOST_BYTES].decode("utf-8-sig", "replace")
    if text.lstrip()[:512].lower().startswith(("<!doctype html", "<html")):
        return Rules("robots.txt is a web page: no rules, everything is assumed to be allowed")
    return Rules("robots.txt was read", declared=True, parsed=Protego.parse(text))


def missing(reason: str) -> Rules:
    """Returns the rules of a host that has no robots.txt: none."""
    return Rules(f"robots.txt is not there ({reason}): everything is assumed to be allowed")


def unreachable(reason: str, *, denies: bool = True) -> Rules:
    """Returns the rules of a host whose robots.txt could not be had: nothing may be asked.

    Or everything, where the operator has chosen so.
    """
    note = f"robots.txt could not be had: {reason}"
    if denies:
        return Rules(note, unreachable=reason)
    return Rules(f"{note}: everything is assumed to be allowed, as configured")
