"""Figshare (https://docs.figshare.com): articles, at its own host and at those of its customers.

An article lists at most ten of its files; the rest is behind a paged list. An address without a
version means the newest one, and says so.
"""

import re
from collections.abc import Generator
from typing import Any
from urllib.parse import unquote, urlsplit

from centinel.ingest.landing import Page, domain
from centinel.ingest.manifest import ALTERNATIVES, hashes, refused, shortfall
from centinel.ingest.model import IngestStop, ManifestFile, PlatformItem, Stopped
from centinel.ingest.platforms.asking import (
    Sheet,
    Walk,
    ask,
    changed,
    get,
    judged,
    name_of,
    obj,
    rows,
    usable,
    walk,
)
from centinel.ingest.platforms.items import day, item, item_meta, item_name, scope
from centinel.ingest.platforms.platform import ApiAnswer, Ask, Match, Work
from centinel.ingest.request import Request
from centinel.record import Json
from centinel.sources.platforms.values import count, identifier, listed, mapping, text

API = "api.figshare.com"
SHORT_LIST = 10
"""Files that an article object names at most ("List of up to 10 article files")."""

PAGE_SIZE = 1000
"""The most rows of a page of files (figshare's API documentation, `page_size`)."""

_ASSETS = re.compile(r"(?:[\w-]+\.)*(?:figshare\.com|figstatic\.com)")
_ARTICLE = re.compile(r"(?:/[\w-]+)?/articles/(?:[^/]+/){0,2}?(\d{1,15})(?:/(\d{1,6}))?/?")
_DOI = re.compile(r"10\.\d{4,9}/.*?\.(\d{1,15})(?:\.v(\d{1,6}))?")
_PRIVATE = re.compile(r"/s/[0-9a-f]+/?")


class Figshare:
    """`figshare.com/articles/<type>/<title>/<id>/<version>`, and the same on portals."""

    name = "figshare"

    def match(self, request: Request, terminal_url: str, page: Page | None) -> Match | None:
        """Returns the article of an address: by its host, else by the page or the DOI."""
        host = domain(terminal_url)
        path = unquote(urlsplit(terminal_url).path)
        found = _ARTICLE.fullmatch(path)
        is_own = host in ("figshare.com", "www.figshare.com") or host.endswith(".figshare.com")
        evidence = "host" if is_own else _evidence(request, page, found)
        if evidence is None:
            return None
        return Match(
            self.name,
            host.removeprefix("www."),
            found[1] if found else "",
            evidence,
            terminal_url,
            request,
            page,
            {"version": found[2] if found else None, "is_private": bool(_PRIVATE.match(path))},
        )

    def item(self, match: Match) -> Work:
        """Asks for the article, the rest of its files, and its versions."""
        _refuse_address(match)
        number, version = match.platform_id, match.details["version"]
        api = f"{urlsplit(match.address).scheme}://{API}/v2/articles/{number}"
        asked = f"{api}/versions/{version}" if version else api
        article = yield from get(asked, "the article")
        _refuse_closed(match, article)
        given = count(article.get("version")) or (int(version) if version else None)
        if given is None or identifier(article.get("id")) != number:
            raise changed("the article has not the id and a version that were asked for")
        if version and int(version) != given:
            raise scope(match, f"version {version} is answered with version {given}")
        files = yield from _listed(f"{api}/versions/{given}/files", article)
        latest = True if version is None else (yield from _is_latest(api, given))
        return _item(match, article, files, given, latest)


def _evidence(request: Request, page: Page | None, found: re.Match[str] | None) -> str | None:
    """What tells a portal on a host of its own: the DOI of the article, or figshare's files."""
    if found is None:
        return None
    doi = _DOI.fullmatch(request.doi or "")
    if doi is not None and doi[1] == found[1]:
        return f"doi {request.doi}"
    if page is None or page.web is None:
        return None
    for tag, attribute in (("script", "src"), ("link", "href"), ("a", "href"), ("img", "src")):
        for address in page.web.attributes(tag, attribute):
            host = re.match(r"(?:https?:)?//([^/:?#]+)", address)
            if host and _ASSETS.fullmatch(host[1].lower()):
                return f"page: <{tag}> of {host[1]}"
    return None


def _refuse_address(match: Match) -> None:
    """Raises IngestStop for what the host has beside articles."""
    if match.details["is_private"]:
        raise IngestStop(Stopped.RESTRICTED, f"{match.address}: a private link")
    if match.platform_id:
        return
    path = urlsplit(match.address).path
    if "/files/" in path:
        raise scope(match, "one file: give the address of the article that it belongs to")
    if re.search(r"/(collections|projects)/", path):
        raise scope(match, "a collection of articles: give the address of one article")
    if path.startswith(("/account", "/login")):
        raise IngestStop(Stopped.LOGIN, f"{match.address}: wants an account")
    raise scope(match, "no article: give the address of one, …/articles/<type>/<title>/<id>")


def _refuse_closed(match: Match, article: Json) -> None:
    if article.get("is_embargoed") is True:
        until = day(article.get("embargo_date"))
        reason = text(article.get("embargo_reason")) or text(article.get("embargo_title"))
        message = f"{match.address}: embargoed until {until or 'a day that is not said'}"
        raise IngestStop(Stopped.EMBARGOED, f"{message}{f': {reason}' if reason else ''}", until)
    if article.get("is_public") is False or article.get("is_confidential") is True:
        reason = text(article.get("confidential_reason")) or "not public"
        raise IngestStop(Stopped.RESTRICTED, f"{match.address}: {reason}")
    if article.get("is_metadata_record") is True:
        reason = text(article.get("metadata_reason")) or "a record without files"
        raise IngestStop(Stopped.METADATA_ONLY, f"{match.address}: {reason}")
    if article.get("download_disabled") is True:
        raise IngestStop(Stopped.RESTRICTED, f"{match.address}: downloads are switched off")


def _listed(address: str, article: Json) -> Generator[Ask, ApiAnswer, Walk]:
    """The files: the article's own, or the paged list where there may be more than those."""
    own = rows(article.get("files"), "files")
    if len(own) < SHORT_LIST:
        return Walk(own)

    def read(answer: ApiAnswer, asked: str, before: Walk) -> Sheet:  # noqa: ARG001 (others do)
        found = rows(answer.json, "the list of files")
        # A server may give smaller pages than were asked for: only one below ten is the last.
        following = None if len(found) < SHORT_LIST else _sheet(address, before.pages + 2)
        return Sheet(found, following)

    found = yield from walk(_sheet(address, 1), "the files", read, {})
    known: dict[str, Any] = {}
    for row in found.rows:
        known.setdefault(str(mapping(row).get("id")), row)
    found.rows = list(known.values())
    return found


def _sheet(address: str, number: int) -> str:
    return f"{address}?page={number}&page_size={PAGE_SIZE}"


def _is_latest(api: str, given: int) -> Generator[Ask, ApiAnswer, bool | None]:
    """Whether a version is the newest; None where the list of versions cannot be had."""
    answer = yield from ask(f"{api}/versions", "the versions")
    if judged(answer, api, "the versions", {}) or not isinstance(answer.json, list):
        return None
    numbers = [count(mapping(each).get("version")) for each in answer.json]
    known = [each for each in numbers if each is not None]
    return given >= max(known) if known else None


def _item(
    match: Match, article: Json, found: Walk, version: int, is_latest: bool | None
) -> PlatformItem:
    folders = mapping(article.get("folder_structure"))
    files = [_file(each, folders) for each in found.rows]
    declared = count(article.get("size"))
    sizes = [each.size for each in files]
    short = None
    if None not in sizes and not any(each.status for each in files):
        short = shortfall(sum(each or 0 for each in sizes), declared, "bytes")
    number, licence = match.platform_id, mapping(article.get("license"))
    requested = match.details["version"]
    return item(
        match,
        files,
        requested_id=f"{number}.v{requested}" if requested else number,
        resolved_id=f"{number}.v{version}",
        is_latest=is_latest,
        title=text(article.get("title")),
        declared_bytes=declared,
        incomplete=found.incomplete or short,
        web_bundle_url=f"https://ndownloader.figshare.com/articles/{number}/versions/{version}",
        archiveorg_item_name=item_name("figshare.com", number, f"v{version}"),
        archiveorg_item_meta=_meta(article, version),
        metadata={"article": article},
        licence=text(licence.get("url")) or text(licence.get("name")),
        published=day(article.get("published_date")),
    )


def _file(row: Any, folders: Json) -> ManifestFile:
    """A file. What `figshare.com/ndownloader` hides behind a wall, two other hosts give."""
    file = obj(row, "a file")
    name = name_of(file.get("name"), "a file")
    number = identifier(file.get("id")) or ""
    folder = folders.get(number)
    # The computed hash is of the bytes that are served; the supplied one is the depositor's.
    found = hashes(("md5", file.get("computed_md5")), ("md5", file.get("supplied_md5")))
    stated = usable(file.get("download_url"), "https://figshare.com/")
    others = [
        f"https://ndownloader.figshare.com/files/{number}",
        f"https://{API}/v2/file/download/{number}",
    ]
    made = ManifestFile(
        f"{folder}/{name}" if isinstance(folder, str) and folder.strip("/ ") else name,
        count(file.get("size")),
        found.md5,
        mimetype=text(file.get("mimetype")),
        platform_url=stated,
        extra={**found.extra, "id": number},
    )
    if file.get("is_link_only") is True:
        return refused(made, Stopped.LINK_ONLY, f"{name[:200]!r} is only linked")
    kept = [each for each in others if number.isdecimal() and each != stated]
    if stated is None:
        return refused(made, Stopped.SCHEMA_CHANGED, "no download address")
    made.extra[ALTERNATIVES] = kept
    return made


def _meta(article: Json, version: int) -> Json:
    authors = [text(mapping(each).get("full_name")) for each in listed(article.get("authors"))]
    return item_meta(
        title=text(article.get("title")),
        creator=[each for each in authors if each],
        date=day(article.get("published_date")),
        description=text(article.get("description")),
        source=text(article.get("figshare_url")),
        doi=text(article.get("doi")),
        version=str(version),
        licenseurl=text(mapping(article.get("license")).get("url")),
    )
