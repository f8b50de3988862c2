"""Recognises the products that have a platform of their own, such as Legistar and CKAN."""

import re
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from centinel import addresses
from centinel.answers import Fetched
from centinel.investigation.recognition import Case, Offer, Recognition, Walk
from centinel.report.wording import of
from centinel.sources.platforms import legistar, municode, values
from centinel.sources.platforms.paged import with_query

_LEGISTAR_HOST = re.compile(r"([a-z0-9][a-z0-9-]*)\.legistar1?\.com")
_NO_CLIENTS = frozenset({"www", "webapi", "support", "help"})
_LEGISTAR_FILES = re.compile(
    r"legistar[0-9]*\.granicus\.com/+([A-Za-z0-9][A-Za-z0-9_-]*)/|"
    r"\.legistar1\.com/+([A-Za-z0-9][A-Za-z0-9_-]*)/attachments"
)
_INSITE_LINK = re.compile(
    r"/(?:LegislationDetail|MeetingDetail|DepartmentDetail|PersonDetail)\.aspx\?|"
    r"/View\.ashx\?M=[A-Z]+&ID=\d+&GUID=",
    re.I,
)
_INSITE_PAGES = re.compile(r"/(?:Calendar|Legislation|Departments|People)\.aspx(?:\?|$)", re.I)
MOST_CLIENTS = 2
OFFERED = ("matters", "events")
"""The lists with files; the others are named in docs/query.md."""


class LegistarSite:
    """An InSite page, or one that links to it; the vendor's API is asked whether it has it."""

    name = "legistar"

    def look(self, case: Case) -> Recognition:
        """Returns one block a list, for each client that the API knows."""
        insite = _insite(case)
        clients = list(dict.fromkeys(_clients(case)))
        evidence = [insite] if insite else []
        if insite and not clients:
            evidence.append("nothing on it says the client's name in the API: block by hand")
        if not clients:
            none = ("no InSite page, and no link to one",)
            return Recognition(self.name, tuple(evidence) or none, bool(insite))
        offers: list[Offer] = []
        for client, shown_by in clients[:MOST_CLIENTS]:
            walk = case.walk("query", _legistar(client, "bodies"), most=2)
            is_known, said = _known(client, walk)
            evidence.append(f"client {client}: {shown_by}; {said}")
            offers += _lists(client, said) if is_known else []
        if len(clients) > MOST_CLIENTS:
            evidence.append(f"{len(clients) - MOST_CLIENTS} clients more were not asked for")
        return Recognition(self.name, tuple(evidence), True, tuple(offers))


def _insite(case: Case) -> str | None:
    """What shows that a page is one of InSite, Legistar's public pages."""
    details = sum(_INSITE_LINK.search(each) is not None for each in case.links)
    pages = sum(_INSITE_PAGES.search(each) is not None for each in case.links)
    if details or pages > 1:
        return f"an InSite page: {details} links to records, {pages} to its lists"
    return None


def _clients(case: Case) -> Iterator[tuple[str, str]]:
    """Yields the names of clients, and what shows each."""
    own = _LEGISTAR_HOST.fullmatch(case.hostname)
    if own and own[1] not in _NO_CLIENTS:
        yield own[1], "its host"
    for link in case.links:
        match = _LEGISTAR_HOST.fullmatch(urlsplit(link).hostname or "")
        files = _LEGISTAR_FILES.search(link)
        if files:
            yield files[1] or files[2], "links to its files"
        elif match and match[1] not in _NO_CLIENTS:
            yield match[1], f"links to {match[0]}"


def _legistar(client: str, what: str) -> dict[str, str]:
    return {"platform": "legistar", "client": client, "what": what}


def _known(client: str, walk: Walk) -> tuple[bool, str]:
    """Whether the API has a client, and how that showed."""
    token = next((each for each in walk.notes if legistar.variable_of(client) in each), None)
    if token:
        return True, f"the API refuses its list of bodies: {token}"
    if walk.reason or not walk.resources:
        return False, f"the API does not give its list of bodies: {walk.reason or 'it is empty'}"
    return True, f"the API has {len(walk.resources)} bodies of it"


def _lists(client: str, said: str) -> list[Offer]:
    return [Offer("query", _legistar(client, each), each, None, said) for each in OFFERED]


_PRIMEGOV_HOST = re.compile(r"([a-z0-9][a-z0-9-]*)\.primegov\.com")


class PrimeGovSite:
    """A portal of PrimeGov, or a page that links to one."""

    name = "primegov"

    def look(self, case: Case) -> Recognition:
        """Returns a block for each client whose portal lists meetings."""
        hosts = [case.hostname, *(urlsplit(link).hostname or "" for link in case.links)]
        matches = (_PRIMEGOV_HOST.fullmatch(each) for each in hosts)
        clients = list(dict.fromkeys(each[1] for each in matches if each and each[1] != "www"))
        if not clients:
            return Recognition(self.name, ("no portal, and no link to one",))
        evidence: list[str] = []
        offers: list[Offer] = []
        for client in clients[:MOST_CLIENTS]:
            block = {"platform": "primegov", "client": client}
            # robots.txt, the years, what is to come, and the newest year.
            walk = case.walk("query", block, most=4)
            evidence.append(f"client {client}: {walk.reason or walk.spoken}")
            offers += [Offer("query", block, client, walk)] if walk.resources else []
        if len(clients) > MOST_CLIENTS:
            evidence.append(f"{len(clients) - MOST_CLIENTS} clients more were not asked for")
        return Recognition(self.name, tuple(evidence), True, tuple(offers))


_LIBRARY = re.compile(r"https?://library\.municode\.com/([A-Za-z]{2})/([^/?#]+)")
MOST_CODES = 3


class MunicodeSite:
    """A code of ordinances in Municode's library, or a page that links to one."""

    name = "municode"

    def look(self, case: Case) -> Recognition:
        """Returns a block for each code of the clients that the page shows."""
        matches = (_LIBRARY.match(each) for each in (case.seed.final_url, *case.links))
        clients = list(dict.fromkeys((each[1], each[2]) for each in matches if each))
        if not clients:
            return Recognition(self.name, ("no code in the library, and no link to one",))
        evidence: list[str] = []
        offers: list[Offer] = []
        for state, client in clients[:MOST_CLIENTS]:
            codes, said = _codes(case, state, client)
            evidence.append(f"client {client}, {state}: {said}")
            for product, title in codes[:MOST_CODES]:
                block = {"platform": "municode", "product": product}
                offers.append(Offer("query", block, f"code-{product}", None, title))
        return Recognition(self.name, tuple(evidence), True, tuple(offers))


def _codes(case: Case, state: str, client: str) -> tuple[list[tuple[int, str]], str]:
    """The codes of a client, and what was said: its number is asked for by its name."""
    name = unquote(client).replace("_", " ")
    named = with_query(f"{municode.API}/Clients/name", {"clientName": name, "stateAbbr": state})
    number = values.count(values.mapping(_json(case, named)).get("ClientID"))
    if number is None:
        return [], f"{named} knows no such client"
    content = values.mapping(_json(case, f"{municode.API}/ClientContent/{number}"))
    found = []
    for each in map(values.mapping, values.listed(content.get("codes"))):
        product = values.count(each.get("productId"))
        if product:
            found.append((product, values.text(each.get("productName")) or "a code"))
    return found, of(len(found), "code", "codes")


def _json(case: Case, address: str) -> object:
    answer = case.client.get(address)
    try:
        return values.parsed(answer.body.content()) if isinstance(answer, Fetched) else None
    except values.Unreadable:
        return None


_CKAN_MARK = re.compile(
    r"<meta[^>]+generator[^>]+content=[\"']ckan[^\"']*[\"']|data-site-root=[\"'][^\"']*[\"']", re.I
)


class CkanSite:
    """A CKAN catalogue."""

    name = "ckan"

    def look(self, case: Case) -> Recognition:
        """Returns the catalogue's block where its search gives datasets."""
        base = _ckan_base(case)
        mark = case.says(_CKAN_MARK)
        status = f"{base}/api/3/action/status_show"
        version = _ckan_version(case, status)
        if not (mark or version):
            return Recognition(self.name, (f"no mark of it on the page, no answer of {status}",))
        evidence = [f"on the page: {mark}"] if mark else []
        evidence += [f"{status} answers: CKAN {version}"] if version else []
        walk = case.walk("query", {"platform": "ckan", "url": base}, most=2)
        return _verified(self.name, evidence, walk, {"platform": "ckan", "url": base})


def _ckan_base(case: Case) -> str:
    """Where the API begins: the root that CKAN writes into its pages, else that of the host."""
    page = case.seed.page
    for stated in page.attributes("body", "data-site-root") if page else ():
        root = addresses.canonical(stated, case.seed.final_url)
        if root and addresses.origin(root) == case.origin and "?" not in root:
            return root.rstrip("/")
    return case.origin


def _ckan_version(case: Case, status: str) -> str | None:
    answer = case.client.get(status)
    if not isinstance(answer, Fetched):
        return None
    try:
        said = values.mapping(values.parsed(answer.body.content()))
    except values.Unreadable:
        return None
    result = values.mapping(said.get("result"))
    version = values.text(result.get("ckan_version"))
    return (version or "of no stated version") if said.get("success") is True else None


_HUB_HOST = re.compile(r".+\.(?:hub|opendata)\.arcgis\.com")
_HUB_MARK = re.compile(r"hubcdn\.arcgis\.com|opendata-ui|[\"']ArcGIS Hub[\"']|arcgis-hub", re.I)
HUB_FEED = "/api/feed/dcat-us/1.1.json"


class HubSite:
    """A site of ArcGIS Hub."""

    name = "arcgis-hub"

    def look(self, case: Case) -> Recognition:
        """Returns the block of its search, and that of its feed where that was asked for."""
        host = case.hostname if _HUB_HOST.fullmatch(case.hostname) else None
        mark = case.says(_HUB_MARK)
        evidence = [f"its host is {host}"] if host else []
        evidence += [f"on the page: {mark}"] if mark else []
        feed = case.origin + HUB_FEED
        offers: tuple[Offer, ...] = ()
        if not evidence:
            block = {"platform": "dcat", "url": feed}
            walk = case.walk("query", block, most=2)
            if not walk.resources:
                return Recognition(self.name, (f"no mark of it on the page, no answer of {feed}",))
            evidence.append(f"{feed} answers: {walk.spoken}")
            offers = (Offer("query", block, "dcat", walk, "the hub's feed of datasets"),)
        search = {"platform": "arcgis-hub", "url": case.origin}
        found = _verified(self.name, evidence, case.walk("query", search, most=2), search)
        return Recognition(self.name, found.evidence, True, found.offers + offers)


def _verified(name: str, evidence: list[str], walk: Walk, block: dict[str, str]) -> Recognition:
    """A recognition whose block is offered where its own enumeration gave something."""
    if walk.resources:
        return Recognition(name, tuple(evidence), True, (Offer("query", block, name, walk),))
    reason = walk.reason or "it names no record"
    return Recognition(name, (*evidence, f"its search gives nothing: {reason}"), True)
