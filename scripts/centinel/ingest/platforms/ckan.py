"""CKAN (https://docs.ckan.org/en/latest/api/), wherever it is installed: a dataset's resources.

Many resources are links to other hosts: that is how these catalogues are meant to be used. What a
catalogue says of sizes and hashes is often missing, and then unknown.
"""

import re
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from centinel import addresses
from centinel.ingest.landing import Page, domain
from centinel.ingest.manifest import DOUBTFUL, hashes, refused, shortfall
from centinel.ingest.model import HASHES, IngestStop, ManifestFile, PlatformItem, Stopped
from centinel.ingest.platforms.asking import ask as asked_for
from centinel.ingest.platforms.asking import changed, judged, obj, rows, usable
from centinel.ingest.platforms.items import day, item, item_meta, item_name, scope
from centinel.ingest.platforms.platform import ApiAnswer, Match, Work
from centinel.ingest.request import Request
from centinel.record import Json
from centinel.sources.platforms.values import count, first_text, identifier, mapping, text

HOSTS = frozenset({"catalog.data.gov", "open.canada.ca", "data.gov.uk", "www.data.gov.uk"})
"""Catalogues that say nothing of CKAN on their pages."""

DATASTORE = "_datastore_only_resource"
"""The `url` of a table that stands in the catalogue's database alone."""

_DATASET = re.compile(r"(.*?)/dataset/([^/]+)(?:/(resource)/[^/]+.*)?/?")
_WORDS = frozenset({"groups", "activity", "new", "edit", "changes"})
_ERRORS = {"Not Found Error": Stopped.NOT_FOUND, "Authorization Error": Stopped.RESTRICTED}
"""What the `__type` of an error says of a dataset."""

_MEANINGS = {403: Stopped.RESTRICTED}


class Ckan:
    """`<host>/dataset/<name>`."""

    name = "ckan"

    def match(self, request: Request, terminal_url: str, page: Page | None) -> Match | None:
        """Returns the dataset of an address, where its page is made by CKAN."""
        parts = urlsplit(terminal_url)
        found = _DATASET.fullmatch(unquote(parts.path))
        if found is None or found[2] in _WORDS:
            return None
        evidence = "host" if parts.netloc in HOSTS else _evidence(page)
        if evidence is None:
            return None
        root = _root(page, f"{parts.scheme}://{parts.netloc}")
        details = {"root": root, "is_file": found[3] is not None}
        host = domain(terminal_url)
        return Match(self.name, host, found[2], evidence, terminal_url, request, page, details)

    def item(self, match: Match) -> Work:
        """Asks for the dataset, which has all of its resources."""
        if match.details["is_file"]:
            raise scope(match, "one file of a dataset: give the address of the dataset")
        address = (
            f"{match.details['root']}/api/3/action/package_show"
            f"?id={quote(match.platform_id, safe='')}"
        )
        answer = yield from asked_for(address, "the dataset")
        package = _package(match, answer, address)
        return _item(match, package)


def _evidence(page: Page | None) -> str | None:
    """What shows that a page is made by CKAN: its generator, or what its scripts are told."""
    if page is None or page.web is None:
        return None
    for stated in page.metas("generator"):
        if re.match(r"ckan\b", stated, re.I):
            return f"page: generator {stated[:40]}"
    roots = list(page.web.attributes("body", "data-site-root"))
    return "page: data-site-root" if roots else None


def _root(page: Page | None, origin: str) -> str:
    """Where the catalogue begins: it may be installed below a path."""
    stated = list(page.web.attributes("body", "data-site-root")) if page and page.web else []
    root = addresses.canonical(stated[0], origin) if stated else None
    return (root if root and addresses.origin(root) == origin else origin).rstrip("/")


def _package(match: Match, answer: ApiAnswer, address: str) -> Json:
    """The dataset; an error may be served with 200, and says itself what it is."""
    value = mapping(answer.json)
    if value.get("success") is False:
        error = mapping(value.get("error"))
        status = _ERRORS.get(str(error.get("__type")), Stopped.HTTP_ERROR)
        said = first_text(error, ("message", "__type")) or "success is false"
        raise IngestStop(status, f"{match.address}: {said[:300]}")
    stopped = judged(answer, address, "the dataset", _MEANINGS)
    if stopped is not None:
        raise stopped
    package = obj(obj(answer.json, "the dataset").get("result"), "result")
    if package.get("private") is True:
        raise IngestStop(Stopped.RESTRICTED, f"{match.address}: the dataset is private")
    if package.get("state") == "deleted":
        raise IngestStop(Stopped.GONE, f"{match.address}: the dataset is deleted")
    return package


def _item(match: Match, package: Json) -> PlatformItem:
    number = identifier(package.get("id"))
    if number is None:
        raise changed("the dataset has no id")
    name, root = text(package.get("name")) or match.platform_id, match.details["root"]
    listing = [obj(each, "a resource") for each in rows(package.get("resources"), "resources")]
    present = [each for each in listing if each.get("state") != "deleted"]
    declared = count(package.get("num_resources"))
    return item(
        match,
        [_file(each, root) for each in present],
        platform_id=number,
        requested_id=match.platform_id,
        resolved_id=number,
        is_latest=True,
        title=text(package.get("title")) or name,
        declared_files=declared,
        incomplete=shortfall(len(listing), declared),
        archiveorg_item_name=item_name(match.domain, name),
        archiveorg_item_meta=item_meta(
            title=text(package.get("title")) or name,
            creator=first_text(package, ("author", "maintainer")),
            date=day(package.get("metadata_created")),
            description=text(package.get("notes")),
            source=f"{root}/dataset/{name}",
            licenseurl=text(package.get("license_url")),
        ),
        metadata={"dataset": package},
        licence=first_text(package, ("license_url", "license_title", "license_id")),
        published=day(package.get("metadata_created")),
    )


def _file(resource: Json, root: str) -> ManifestFile:
    number = identifier(resource.get("id")) or ""
    stated: Any = resource.get("url")
    if stated == DATASTORE and number:
        stated = f"{root}/datastore/dump/{quote(number, safe='')}"
    address = usable(stated, f"{root}/")
    found, size = hashes((None, resource.get("hash"))), count(resource.get("size"))
    is_upload = resource.get("url_type") == "upload"
    # Of a link the catalogue knows what once was there; and 0 where it never looked.
    doubtful: Json = {} if is_upload else {DOUBTFUL: ["size", *HASHES]}
    made = ManifestFile(
        _path(resource, address, number),
        size if is_upload or size else None,
        found.md5,
        found.sha1,
        found.sha256,
        text(resource.get("mimetype")),
        address,
        {**found.extra, **doubtful, "id": number or None, "format": text(resource.get("format"))},
    )
    if address is None:
        return refused(made, Stopped.LINK_ONLY, "its address is no http address")
    return made


def _path(resource: Json, address: str | None, number: str) -> str:
    """The file's name: of its address where that has an extension, else its title and format."""
    served = addresses.file_name(address) if address else ""
    if addresses.file_extension(served):
        return served
    title = text(resource.get("name")) or served or number or "resource"
    flat = title.replace("/", "-").replace("\\", "-").strip(". ")
    extension = (text(resource.get("format")) or "").lower().strip(".")
    if not re.fullmatch(r"[a-z0-9]{1,8}", extension) or flat.lower().endswith(f".{extension}"):
        return flat or "resource"
    return f"{flat or 'resource'}.{extension}"
