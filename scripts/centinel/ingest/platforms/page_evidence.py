"""Pages that say themselves which files a dataset has: schema.org's `Dataset`, or signposting.

JSON-LD names files as `distribution` (https://schema.org/DataDownload), signposting as links with
the relation `item` (https://signposting.org/FAIR/), on the page or in its link set. A title, a DOI
and a licence may also stand in `citation_*` and `DC.*`; those alone name no file, and claim no
page.
"""

import re
from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import Any

from centinel import addresses
from centinel.ingest.landing import Link, Page, domain
from centinel.ingest.manifest import hashes
from centinel.ingest.model import IngestStop, ManifestFile, PlatformItem, Stopped
from centinel.ingest.platforms.asking import get, obj, rows, usable
from centinel.ingest.platforms.items import day, item, item_meta, item_name
from centinel.ingest.platforms.platform import ApiAnswer, Ask, Match, Work
from centinel.ingest.request import Request, doi_of
from centinel.record import Json
from centinel.sources.platforms.values import count, first_text, listed, mapping, text

_BYTES = re.compile(r"(\d{1,15})(?:\s*(?:B|bytes?|octets?))?", re.I)
"""A size that is exact; `1.2 MB` is not."""

_LINK_SET = "application/linkset+json"

_TITLES = ("citation_title", "dc.title", "dcterms.title", "og:title")
_LICENCES = ("dc.rights", "dcterms.license", "citation_license")
_DAYS = ("citation_publication_date", "citation_date", "dc.date", "dcterms.issued")
_DOIS = ("citation_doi", "dc.identifier", "dcterms.identifier")


class PageEvidence:
    """A page with a `Dataset` in its JSON-LD, or with `item` links."""

    name = "page-evidence"

    def match(self, request: Request, terminal_url: str, page: Page | None) -> Match | None:
        """Returns the dataset that a page describes, where it names files or calls itself one."""
        if page is None or not page.is_web_page:
            return None
        dataset, items = _dataset(page), page.related("item")
        if dataset is not None and _downloads(dataset):
            evidence = "page: JSON-LD Dataset with distribution"
        elif items:
            evidence = "page: signposting, rel=item"
        elif dataset is not None:
            evidence = "page: JSON-LD Dataset"
        else:
            return None
        host, identity = domain(terminal_url), _identity(page, dataset, terminal_url)
        return Match(self.name, host, identity, evidence, terminal_url, request, page)

    def item(self, match: Match) -> Work:
        """Returns what the page says; its link set is asked for where the page names no file."""
        page = match.page
        if page is None:
            raise IngestStop(Stopped.NO_PLATFORM_MATCH, f"{match.address}: no page")
        dataset = _dataset(page) or {}
        files = list(_files(page, dataset)) or (yield from _of_link_set(page))
        if not files:
            message = "the page describes a dataset, and names no file of it"
            if dataset.get("isAccessibleForFree") is False:
                raise IngestStop(Stopped.RESTRICTED, f"{match.address}: {message}: not free")
            raise IngestStop(Stopped.EMPTY_MANIFEST, f"{match.address}: {message}")
        return _item(match, page, dataset, files)


def _dataset(page: Page) -> Json | None:
    """The page's dataset: the first that names files, else the first."""
    found = page.of_type("Dataset")
    return next((each for each in found if _downloads(each)), found[0] if found else None)


def _downloads(dataset: Json) -> list[Json]:
    """The distributions that have an address."""
    each = [mapping(value) for value in listed(dataset.get("distribution"))]
    return [value for value in each if text(value.get("contentUrl"))]


def _identity(page: Page, dataset: Json | None, terminal_url: str) -> str:
    """The DOI that the page states of itself, else its address."""
    stated: list[Any] = [each.address for each in page.related("cite-as")]
    for value in listed((dataset or {}).get("identifier")):
        stated.append(value if isinstance(value, str) else mapping(value).get("value"))
    stated += [(dataset or {}).get("@id"), *page.metas(*_DOIS)]
    dois = (doi_of(each) for each in stated if isinstance(each, str))
    return next(filter(None, dois), terminal_url)


def _files(page: Page, dataset: Json) -> Iterator[ManifestFile]:
    """The files of JSON-LD, else those of signposting; each address once."""
    base, seen = page.web.base if page.web else page.terminal_url, set[str]()
    for download in _downloads(dataset):
        address = usable(download.get("contentUrl"), base)
        if address is not None and address not in seen:
            seen.add(address)
            yield _downloaded(download, address)
    if seen:
        return
    for link in page.related("item"):
        if link.address not in seen:
            seen.add(link.address)
            yield _linked(link)


def _of_link_set(page: Page) -> Generator[Ask, ApiAnswer, list[ManifestFile]]:
    """The files of the page's link set (RFC 9264), which holds what is too much for a header."""
    named = [each for each in page.related("linkset") if each.media_type == _LINK_SET]
    if not named:
        return []
    answer = yield from get(named[0].address, "the link set")
    found: dict[str, ManifestFile] = {}
    for context in rows(answer.get("linkset"), "linkset"):
        stated = obj(context, "a link context")
        anchor = stated.get("anchor")
        if anchor is not None and usable(anchor, named[0].address) != page.terminal_url:
            continue
        for target in rows(stated.get("item", []), "item"):
            address = usable(mapping(target).get("href"), named[0].address)
            if address is not None:
                link = Link(address, ("item",), text(mapping(target).get("type")))
                found.setdefault(address, _linked(link))
    return list(found.values())


def _downloaded(download: Json, address: str) -> ManifestFile:
    stated = download.get("contentSize")
    exact = _BYTES.fullmatch(text(stated) or "")
    found = hashes(
        ("sha256", download.get("sha256")), ("md5", download.get("md5")), *_checksum(download)
    )
    extra = {**found.extra}
    if stated is not None and exact is None and count(stated) is None:
        extra["stated_size"] = str(stated)[:100]
    return ManifestFile(
        _path(address, text(download.get("name"))),
        int(exact[1]) if exact else count(stated),
        found.md5,
        found.sha1,
        found.sha256,
        first_text(download, ("encodingFormat", "fileFormat")),
        address,
        extra,
    )


def _checksum(download: Json) -> Iterator[tuple[Any, Any]]:
    """SPDX's checksums, which DCAT and some repositories write into their JSON-LD."""
    for each in listed(download.get("checksum") or download.get("spdx:checksum")):
        value = mapping(each)
        if value:
            kind = value.get("algorithm") or value.get("spdx:algorithm")
            name = re.split(r"[/#:_]", kind)[-1] if isinstance(kind, str) else None
            yield name, value.get("checksumValue") or value.get("spdx:checksumValue")
        else:
            yield None, each


def _linked(link: Link) -> ManifestFile:
    return ManifestFile(
        _path(link.address, None), mimetype=link.media_type, platform_url=link.address
    )


def _path(address: str, title: str | None) -> str:
    """The file's name: the stated one where it has an extension, else that of the address."""
    served = addresses.file_name(address)
    if title and addresses.file_extension(title):
        return title
    if addresses.file_extension(served):
        return served
    return (title or served or "file").replace("/", "-").replace("\\", "-")


def _item(match: Match, page: Page, dataset: Json, files: list[ManifestFile]) -> PlatformItem:
    names = [text(mapping(each).get("name")) for each in listed(dataset.get("creator"))]
    authors = [each for each in names if each] or page.metas("citation_author", "dc.creator")
    title = text(dataset.get("name")) or next(iter(page.metas(*_TITLES)), None)
    doi = doi_of(match.platform_id)
    published = day(dataset.get("datePublished")) or _first_day(page)
    made = item(
        match,
        files,
        resolved_id=match.platform_id,
        title=title or (page.web.title if page.web else None) or None,
        archiveorg_item_name=item_name(match.domain, doi or _tail(match.address)),
        archiveorg_item_meta=item_meta(
            title=title,
            creator=authors,
            date=published,
            description=text(dataset.get("description")),
            source=match.address,
            doi=doi,
            version=text(dataset.get("version")),
        ),
        metadata={"page": dataset},
        licence=_licence(page, dataset),
        terms=text(dataset.get("usageInfo")) or text(dataset.get("conditionsOfAccess")),
        published=published,
    )
    described = [each.address for each in page.related("describedby")]
    return (
        replace(made, metadata={**made.metadata, "describedby": described}) if described else made
    )


def _first_day(page: Page) -> str | None:
    stated = (day(each.replace("/", "-")) for each in page.metas(*_DAYS))
    return next(filter(None, stated), None)


def _licence(page: Page, dataset: Json) -> str | None:
    for value in listed(dataset.get("license")):
        said = text(value) or first_text(mapping(value), ("url", "@id", "name"))
        if said:
            return said
    linked = [each.address for each in page.related("license")]
    return next(iter([*linked, *page.metas(*_LICENCES)]), None)


def _tail(address: str) -> str:
    return address.partition("://")[2].partition("/")[2].strip("/")
