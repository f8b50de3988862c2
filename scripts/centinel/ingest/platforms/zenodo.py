"""Zenodo (https://developers.zenodo.org/#records): a record is one version.

A concept stands for all versions and redirects to the newest: it is out of scope, since what it
gives changes. The record's number names exactly one set of files.
"""

import re
from typing import Any
from urllib.parse import quote, urlsplit

from centinel.ingest.landing import Page, domain
from centinel.ingest.manifest import ALTERNATIVES, hashes
from centinel.ingest.model import IngestStop, ManifestFile, PlatformItem, Stopped
from centinel.ingest.platforms.asking import changed, get, name_of, obj, rows, usable
from centinel.ingest.platforms.items import day, item, item_meta, item_name, scope
from centinel.ingest.platforms.platform import Match, Work
from centinel.ingest.request import Request, doi_of
from centinel.record import Json
from centinel.sources.platforms.values import count, identifier, listed, mapping, text

HOSTS = frozenset({"zenodo.org", "www.zenodo.org", "sandbox.zenodo.org"})

_RECORD = re.compile(r"/(?:api/)?records?/(\d{1,12})(?:/(files)/[^/]+.*|/.*)?")
_BY_DOI = re.compile(r"/doi/10\.\d{4,9}/zenodo\.(\d{1,12})/?", re.I)
_DOI = re.compile(r"10\.(?:5281|5072)/zenodo\.(\d{1,12})")
"""The prefixes of Zenodo and of its sandbox."""

_CLOSED = {"restricted": Stopped.RESTRICTED, "closed": Stopped.RESTRICTED}
_MEANINGS = {403: Stopped.RESTRICTED}
"""A record whose metadata is not public."""


class Zenodo:
    """`zenodo.org/records/<id>`."""

    name = "zenodo"

    def match(self, request: Request, terminal_url: str, page: Page | None) -> Match | None:
        """Returns the record that an address of the host names."""
        host = domain(terminal_url)
        if host not in HOSTS:
            return None
        path = urlsplit(terminal_url).path
        found = _RECORD.fullmatch(path)
        by_doi = _BY_DOI.fullmatch(path)
        number = found[1] if found else by_doi[1] if by_doi else ""
        return Match(
            self.name,
            host.removeprefix("www."),
            number,
            "host",
            terminal_url,
            request,
            page,
            {"is_file": bool(found and found[2])},
        )

    def item(self, match: Match) -> Work:
        """Asks for the record."""
        if not match.platform_id:
            raise scope(match, "no record: give the address of one, …/records/<id>")
        if match.details["is_file"]:
            raise scope(match, "one file of a record: give the address of the record")
        origin = f"{urlsplit(match.address).scheme}://{match.domain}"
        address = f"{origin}/api/records/{match.platform_id}"
        record = yield from get(address, "the record", _MEANINGS)
        return _item(match, record, origin)


def _item(match: Match, record: Json, origin: str) -> PlatformItem:
    number = identifier(record.get("id")) or identifier(record.get("recid"))
    metadata = obj(record.get("metadata"), "metadata of the record")
    if number is None or not number.isascii() or not number.isdecimal():
        raise changed("the record has no id")
    _refuse_concept(match, record, number)
    _refuse_closed(match, metadata)
    files = [_file(each, number, origin) for each in rows(record.get("files"), "files")]
    doi = text(record.get("doi")) or text(metadata.get("doi"))
    version = mapping(next(iter(listed(mapping(metadata.get("relations")).get("version"))), None))
    is_last = version.get("is_last")
    return item(
        match,
        files,
        platform_id=number,
        requested_id=_requested(match),
        resolved_id=number,
        is_latest=is_last if isinstance(is_last, bool) else None,
        title=text(metadata.get("title")),
        web_bundle_url=usable(mapping(record.get("links")).get("archive"), origin),
        archiveorg_item_name=item_name(match.domain, number),
        archiveorg_item_meta=_meta(match, metadata, doi, number),
        metadata={"record": record},
        licence=_licence(metadata),
        published=day(metadata.get("publication_date")),
    )


def _requested(match: Match) -> str:
    """The number that is in the DOI that was asked for, else the one of the address."""
    stated = _DOI.fullmatch(doi_of(match.request.base_url) or "")
    return stated[1] if stated else match.platform_id


def _refuse_concept(match: Match, record: Json, number: str) -> None:
    requested = _requested(match)
    concept = identifier(record.get("conceptrecid"))
    if concept is not None and concept != number and concept in (requested, match.platform_id):
        raise scope(match, f"{concept} stands for all versions; the latest is record {number}")
    if match.platform_id != number:
        raise scope(match, f"record {match.platform_id} is answered with record {number}")


def _refuse_closed(match: Match, metadata: Json) -> None:
    right = text(metadata.get("access_right"))
    if right == "embargoed":
        until = day(metadata.get("embargo_date"))
        message = f"{match.address}: embargoed until {until or 'a day that is not said'}"
        raise IngestStop(Stopped.EMBARGOED, message, until)
    if right in _CLOSED:
        raise IngestStop(_CLOSED[right], f"{match.address}: access is {right}")
    if right != "open":
        raise changed(f"metadata.access_right is {str(right)[:40]!r}")


def _file(row: Any, number: str, origin: str) -> ManifestFile:
    """A file; the checksum lost its prefix for a while, and links moved (zenodo#2486)."""
    file = obj(row, "a file")
    key = name_of(file.get("key"), "a file")
    found = hashes((None, file.get("checksum")))
    current = f"{origin}/api/records/{number}/files/{quote(key)}/content"
    stated = usable(mapping(file.get("links")).get("self"), origin) or current
    others = [f"{origin}/records/{number}/files/{quote(key)}?download=1", current]
    kept = [each for each in others if each != stated]
    return ManifestFile(
        key,
        count(file.get("size")),
        found.md5,
        found.sha1,
        found.sha256,
        text(file.get("mimetype")),
        stated,
        {**found.extra, ALTERNATIVES: kept},
    )


def _licence(metadata: Json) -> str | None:
    stated = metadata.get("license")
    return text(mapping(stated).get("id")) or text(stated)


def _meta(match: Match, metadata: Json, doi: str | None, number: str) -> Json:
    creators = [text(mapping(each).get("name")) for each in listed(metadata.get("creators"))]
    return item_meta(
        title=text(metadata.get("title")),
        creator=[each for each in creators if each],
        date=day(metadata.get("publication_date")),
        description=text(metadata.get("description")),
        source=f"https://{match.domain}/records/{number}",
        doi=doi,
        version=text(metadata.get("version")),
        rights=_licence(metadata),
    )
