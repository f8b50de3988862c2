"""The platforms that this version has, in the order in which they are asked."""

from centinel.ingest.landing import Page
from centinel.ingest.model import IngestStop, Stopped
from centinel.ingest.platforms.platform import Match, Platform
from centinel.ingest.request import Request

PLATFORMS: tuple[Platform, ...] = ()
"""Those with a host of their own, then the products that anybody may run, then what a page says."""


def recognise(request: Request, terminal_url: str, page: Page | None) -> tuple[Platform, Match]:
    """Returns the first platform that claims an address; raises IngestStop where none does.

    `terminal_url` is the public address behind all redirects (see `Hosts.public`).
    """
    for platform in PLATFORMS:
        match = platform.match(request, terminal_url, page)
        if match is not None:
            return platform, match
    known = ", ".join(each.name for each in PLATFORMS)
    raise IngestStop(
        Stopped.NO_PLATFORM_MATCH,
        f"{terminal_url}: neither its host nor its page is of a known platform ({known})",
    )
