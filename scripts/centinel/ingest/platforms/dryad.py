"""Dryad (https://datadryad.org/api): one DOI for all versions; the newest public one is given.

Its API gives lists to everybody, 30 requests a minute; files, to those without an account, rarely.
The same files stand at an address of the web site, which a file's `alternatives` name.
"""

import re
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from centinel.ingest.landing import Page, domain
from centinel.ingest.manifest import ALTERNATIVES, hashes, refused, shortfall
from centinel.ingest.model import IngestStop, ManifestFile, PlatformItem, Stopped
from centinel.ingest.platforms.asking import (
    Sheet,
    Walk,
    changed,
    get,
    name_of,
    obj,
    rows,
    usable,
    walk,
)
from centinel.ingest.platforms.items import day, item, item_meta, item_name, scope
from centinel.ingest.platforms.platform import ApiAnswer, Match, Work
from centinel.ingest.request import Request
from centinel.record import Json
from centinel.sources.platforms.values import count, listed, mapping, text

HOSTS = frozenset({"datadryad.org", "www.datadryad.org"})
PAGE_SIZE = 100
"""The most rows of a page ("Maximum allowed is 100")."""

_DOI = re.compile(r"(?:doi:)?(10\.\d{4,9}/[\w.;()/-]+)", re.I)
_DATASET = re.compile(r"/(?:stash/|api/v2/)?(?:dataset|datasets|resource|landing)/(.+?)/?", re.I)
_FILE = re.compile(r"/(?:stash/)?(?:downloads/(?:file_stream|download)|api/v2/files)/", re.I)
_SHARE = re.compile(r"/(?:stash/)?share/", re.I)
_STATUSES = {
    "withdrawn": Stopped.GONE,
    "embargoed": Stopped.EMBARGOED,
    "private for peer review": Stopped.RESTRICTED,
    "in progress": Stopped.RESTRICTED,
    "submitted": Stopped.RESTRICTED,
    "curation": Stopped.RESTRICTED,
    "action required": Stopped.RESTRICTED,
}
"""What a dataset's `curationStatus` means; all others are public."""


class Dryad:
    """`datadryad.org/dataset/doi:10.5061/dryad.…`."""

    name = "dryad"

    def match(self, request: Request, terminal_url: str, page: Page | None) -> Match | None:
        """Returns the dataset that an address of the host names by its DOI."""
        if domain(terminal_url) not in HOSTS:
            return None
        parts = urlsplit(terminal_url)
        path = unquote(parts.path)
        named = _DATASET.fullmatch(path)
        query = parse_qs(parts.query)
        stated = query.get("id", [""])[0] if path.endswith("/show") else named[1] if named else ""
        found = _DOI.fullmatch(stated)
        return Match(
            self.name,
            "datadryad.org",
            f"doi:{found[1].lower()}" if found else "",
            "host",
            terminal_url,
            request,
            page,
            {"is_file": bool(_FILE.match(path)), "is_share": bool(_SHARE.match(path))},
        )

    def item(self, match: Match) -> Work:
        """Asks for the dataset and for every page of its files."""
        if match.details["is_share"]:
            raise IngestStop(Stopped.RESTRICTED, f"{match.address}: a private link for reviewers")
        if match.details["is_file"]:
            raise scope(match, "one file of a dataset: give the address of the dataset")
        if not match.platform_id:
            raise scope(match, "no dataset: give the address of one, …/dataset/doi:10.5061/…")
        origin = f"{urlsplit(match.address).scheme}://datadryad.org"
        address = f"{origin}/api/v2/datasets/{quote(match.platform_id, safe='')}"
        dataset = yield from get(address, "the dataset", {401: Stopped.RESTRICTED})
        _refuse(match, dataset)
        version = _link(dataset, "stash:version", origin)
        if version is None:
            raise changed("the dataset names no version")
        found = yield from walk(
            f"{version}/files?page=1&per_page={PAGE_SIZE}", "the files", _read, {}
        )
        return _item(match, dataset, found, origin, version)


def _refuse(match: Match, dataset: Json) -> None:
    state = (text(dataset.get("curationStatus")) or "").lower()
    until = day(dataset.get("embargoEndDate"))
    meaning = _STATUSES.get(state)
    if meaning is None and text(dataset.get("visibility")) == "restricted":
        meaning, state = Stopped.RESTRICTED, "visibility is restricted"
    if meaning is not None:
        when = f" until {until}" if until and meaning is Stopped.EMBARGOED else ""
        raise IngestStop(meaning, f"{match.address}: {state}{when}", until)


def _link(value: Json, name: str, origin: str) -> str | None:
    """Where a HAL link leads; only within the host."""
    address = usable(mapping(mapping(value.get("_links")).get(name)).get("href"), f"{origin}/")
    return address if address and domain(address) == domain(origin) else None


def _read(answer: ApiAnswer, asked: str, before: Walk) -> Sheet:
    """A page of files. The next one is counted up to, since `next` is not always named."""
    value = obj(answer.json, "the files")
    found = rows(mapping(value.get("_embedded")).get("stash:files"), "_embedded of the files")
    total = count(value.get("total"))
    is_last = not found or (total is not None and len(before.rows) + len(found) >= total)
    following = f"{asked.partition('?')[0]}?page={before.pages + 2}&per_page={PAGE_SIZE}"
    return Sheet(found, None if is_last else following, total)


def _item(match: Match, dataset: Json, found: Walk, origin: str, version: str) -> PlatformItem:
    files = [obj(each, "a file") for each in found.rows]
    present = [each for each in files if each.get("status") != "deleted"]
    number = count(dataset.get("versionNumber"))
    identity = match.platform_id
    stated = text(dataset.get("identifier"))
    if stated is not None and stated.lower() != identity:
        raise changed("the dataset has not the DOI that was asked for")
    return item(
        match,
        [_file(each, origin) for each in present],
        resolved_id=f"{identity}@{number}" if number is not None else identity,
        is_latest=True,
        title=text(dataset.get("title")),
        declared_files=None if found.total is None else found.total - len(files) + len(present),
        declared_bytes=count(dataset.get("storageSize")),
        incomplete=found.incomplete or shortfall(len(files), found.total),
        web_bundle_url=f"{version}/download",
        archiveorg_item_name=item_name(
            "datadryad.org", identity.partition("/")[2], f"v{number or 1}"
        ),
        archiveorg_item_meta=_meta(match, dataset, number),
        metadata={"dataset": dataset},
        licence=text(dataset.get("license")),
        published=day(dataset.get("publicationDate")),
    )


def _file(file: Json, origin: str) -> ManifestFile:
    path = name_of(file.get("path"), "a file")
    found = hashes((file.get("digestType"), file.get("digest")))
    itself = _link(file, "self", origin) or ""
    number = itself.rpartition("/")[2]
    stated = _link(file, "stash:download", origin)
    if stated is None and number.isdecimal():
        stated = f"{itself}/download"
    made = ManifestFile(
        path,
        count(file.get("size")),
        found.md5,
        found.sha1,
        found.sha256,
        text(file.get("mimeType")),
        stated,
        {**found.extra, "id": number or None},
    )
    if stated is None:
        return refused(made, Stopped.SCHEMA_CHANGED, "no download address")
    if number.isdecimal():
        made.extra[ALTERNATIVES] = [f"{origin}/downloads/file_stream/{number}"]
    return made


def _meta(match: Match, dataset: Json, number: int | None) -> Json:
    return item_meta(
        title=text(dataset.get("title")),
        creator=[name for each in listed(dataset.get("authors")) if (name := _author(each))],
        date=day(dataset.get("publicationDate")),
        description=text(dataset.get("abstract")),
        source=f"https://datadryad.org/dataset/{match.platform_id}",
        doi=match.platform_id.removeprefix("doi:"),
        version=str(number) if number is not None else None,
        licenseurl=text(dataset.get("license")),
    )


def _author(value: Any) -> str | None:
    author = mapping(value)
    names = filter(None, (text(author.get("lastName")), text(author.get("firstName"))))
    return ", ".join(names) or None
