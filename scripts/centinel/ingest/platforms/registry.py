"""The platforms that this version has, in the order in which they are asked."""

import re

from centinel.ingest.landing import Page
from centinel.ingest.model import IngestStop, Stopped
from centinel.ingest.platforms.archiveorg import ArchiveOrg
from centinel.ingest.platforms.ckan import Ckan
from centinel.ingest.platforms.dataverse import Dataverse
from centinel.ingest.platforms.direct import Direct
from centinel.ingest.platforms.dryad import Dryad
from centinel.ingest.platforms.figshare import Figshare
from centinel.ingest.platforms.github import Github
from centinel.ingest.platforms.osf import Osf
from centinel.ingest.platforms.page_evidence import PageEvidence
from centinel.ingest.platforms.platform import Match, Platform
from centinel.ingest.platforms.zenodo import Zenodo
from centinel.ingest.request import Request

PLATFORMS: tuple[Platform, ...] = (
    Figshare(),
    Zenodo(),
    ArchiveOrg(),
    Dryad(),
    Osf(),
    Github(),
    Dataverse(),
    Ckan(),
    PageEvidence(),
    Direct(),
)
"""Those with a host of their own, then the products that anybody may run, then what a page says."""


_LOGIN = re.compile(r"\b(?:log|sign)[ -]?(?:in|on)\b|\bauthentication\b", re.I)

_BY_ADDRESS = frozenset({"host", "path"})
"""Evidence that an address gives by itself, without what was served there."""


def recognise(request: Request, terminal_url: str, page: Page | None) -> tuple[Platform, Match]:
    """Returns the first platform that claims an address; raises IngestStop where none does.

    `terminal_url` is the public address behind all redirects (see `Hosts.public`). Where a file is
    served there, or nothing is known of it, the address that was asked for counts as well: a
    platform that sends the bytes of one file from another host is still that platform.
    """
    claimed = _first(request, terminal_url, page)
    if claimed is None or claimed[0].name == Direct.name:
        asked = _first(request, request.address, None)
        if asked is not None and asked[1].evidence in _BY_ADDRESS:
            return asked
    if claimed is not None:
        return claimed
    if page is not None and _wants_login(page):
        raise IngestStop(Stopped.LOGIN, f"{terminal_url}: the page asks for a password")
    known = ", ".join(each.name for each in PLATFORMS)
    raise IngestStop(
        Stopped.NO_PLATFORM_MATCH,
        f"{terminal_url}: neither its host nor its page is of a known platform ({known})",
    )


def _wants_login(page: Page) -> bool:
    """Whether a page is there to log in: its title says so, and it has a field for a password."""
    web = page.web
    if web is None or not _LOGIN.search(web.title):
        return False
    return "password" in (each.lower() for each in web.attributes("input", "type"))


def _first(request: Request, address: str, page: Page | None) -> tuple[Platform, Match] | None:
    for platform in PLATFORMS:
        match = platform.match(request, address, page)
        if match is not None:
            return platform, match
    return None
