"""archive.org: items that are there already (https://archive.org/developers/md-read.html).

An item is a folder of files. Those that its owner gave are the manifest; what archive.org derived
from them, and its bookkeeping, is not.
"""

import re
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from centinel.ingest.landing import Page, domain
from centinel.ingest.manifest import hashes, refused, shortfall
from centinel.ingest.model import IngestStop, ManifestFile, PlatformItem, Stopped
from centinel.ingest.platforms.asking import changed, get, name_of, obj, rows
from centinel.ingest.platforms.items import day, item, scope
from centinel.ingest.platforms.platform import Match, Work
from centinel.ingest.request import Request
from centinel.record import Json
from centinel.sources.platforms.values import count, listed, mapping, text

HOSTS = frozenset({"archive.org", "www.archive.org"})

_ITEM = re.compile(r"/(details|download|metadata|embed)/([A-Za-z0-9][A-Za-z0-9._-]*)(?:/(.*))?")
_TORRENTS = "academictorrents_"
_BOOKKEEPING = (
    "_meta.xml",
    "_meta.sqlite",
    "_files.xml",
    "_reviews.xml",
    "_archive.torrent",
    "_itemimage.jpg",
    "_thumb.png",
)
_TORRENT_BOOKKEEPING = (".torrent", ".txt", ".bib")
_NO_FILES = frozenset({"collection", "web", "account"})
"""Media types of items that hold no files of a dataset."""

_TYPES = {
    "CSV": "text/csv",
    "Comma-Separated Values": "text/csv",
    "Tab-Separated Values": "text/tab-separated-values",
    "Text": "text/plain",
    "Markdown": "text/markdown",
    "HTML": "text/html",
    "JSON": "application/json",
    "Text PDF": "application/pdf",
    "Image Container PDF": "application/pdf",
    "ZIP": "application/zip",
    "RAR": "application/vnd.rar",
    "TAR": "application/x-tar",
    "GZIP": "application/gzip",
    "7z": "application/x-7z-compressed",
    "JPEG": "image/jpeg",
    "PNG": "image/png",
    "MPEG4": "video/mp4",
}
"""What archive.org's word for a format is as a media type; other words are kept in `extra`."""


class ArchiveOrg:
    """`archive.org/details/<item>`."""

    name = "archiveorg"

    def match(self, request: Request, terminal_url: str, page: Page | None) -> Match | None:
        """Returns the item that an address of the host names."""
        if domain(terminal_url) not in HOSTS:
            return None
        found = _ITEM.fullmatch(unquote(urlsplit(terminal_url).path))
        details = {"file": (found[3] or "").strip("/") if found else ""}
        identity = found[2] if found else ""
        return Match(
            self.name, "archive.org", identity, "host", terminal_url, request, page, details
        )

    def item(self, match: Match) -> Work:
        """Asks for the item's metadata, which has all of its files."""
        if not match.platform_id:
            raise scope(match, "no item: give the address of one, …/details/<item>")
        if match.details["file"]:
            raise scope(match, "one file of an item: give the address of the item")
        origin = f"{urlsplit(match.address).scheme}://archive.org"
        answer = yield from get(f"{origin}/metadata/{match.platform_id}", "the item")
        _refuse(match, answer)
        return _item(match, answer, origin)


def _refuse(match: Match, answer: Json) -> None:
    if answer.get("is_dark") is True:
        raise IngestStop(Stopped.GONE, f"{match.address}: the item was taken out of view")
    if not answer:
        raise IngestStop(Stopped.NOT_FOUND, f"{match.address}: there is no such item")
    if text(answer.get("error")):
        raise IngestStop(Stopped.HTTP_ERROR, f"{match.address}: {text(answer['error'])}")
    metadata = obj(answer.get("metadata"), "metadata of the item")
    if text(metadata.get("mediatype")) in _NO_FILES:
        raise scope(match, f"an item of the type {metadata['mediatype']}")
    if text(metadata.get("access-restricted-item")) == "true":
        raise IngestStop(Stopped.RESTRICTED, f"{match.address}: access to the item is restricted")


def _item(match: Match, answer: Json, origin: str) -> PlatformItem:
    metadata, name = mapping(answer.get("metadata")), match.platform_id
    if text(metadata.get("identifier")) != name:
        raise changed("the item has not the identifier that was asked for")
    listing = [obj(each, "a file") for each in rows(answer.get("files"), "files")]
    kept = [
        each for each in listing if _is_content(name_of(each.get("name"), "a file"), each, name)
    ]
    declared = count(answer.get("files_count"))
    return item(
        match,
        [_file(each, f"{origin}/download/{name}") for each in kept],
        resolved_id=name,
        is_latest=True,
        title=text(metadata.get("title")),
        incomplete=shortfall(len(listing), declared, "files and derivatives"),
        web_bundle_url=f"{origin}/compress/{name}",
        archiveorg_item_name=name,
        archiveorg_item_meta=metadata,
        metadata={"item": {**answer, "files": listing}},
        licence=text(metadata.get("licenseurl")),
        terms=text(metadata.get("rights")),
        published=day(metadata.get("date")) or day(metadata.get("publicdate")),
    )


def _is_content(path: str, file: Json, item_name: str) -> bool:
    """Whether a file is of the item's owner."""
    if file.get("source") != "original" or path.startswith("_"):
        return False
    is_torrent = item_name.startswith(_TORRENTS)
    suffixes = (*_BOOKKEEPING, *(_TORRENT_BOOKKEEPING if is_torrent else ()))
    return path not in {item_name + each for each in suffixes}


def _file(file: Json, base: str) -> ManifestFile:
    path = name_of(file.get("name"), "a file")
    found = hashes(*((kind, file.get(kind)) for kind in ("md5", "sha1", "sha256")))
    stated = next(iter(listed(file.get("format"))), None)
    made = ManifestFile(
        path,
        count(file.get("size")),
        found.md5,
        found.sha1,
        found.sha256,
        _TYPES.get(_word(stated)),
        f"{base}/{quote(path.encode('utf-8', 'replace'))}",
        {**found.extra, "format": text(stated)},
    )
    if text(file.get("private")) == "true":
        return refused(made, Stopped.RESTRICTED, "not public")
    return made


def _word(value: Any) -> str:
    return text(value) or ""
