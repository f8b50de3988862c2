"""Dataverse (https://guides.dataverse.org/en/latest/api/native-api.html), wherever it is installed.

The address names a dataset by its PID; the API is at the same origin. The first answer has the
newest version; an older one is asked for by its number.
"""

import re
from collections.abc import Generator
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from centinel.ingest.landing import Page, domain
from centinel.ingest.manifest import shortfall
from centinel.ingest.model import IngestStop, PlatformItem, Stopped
from centinel.ingest.platforms.asking import Sheet, Walk, get, obj, rows, walk, whole
from centinel.ingest.platforms.dataverse_files import files, today
from centinel.ingest.platforms.items import day, item, item_meta, item_name, scope
from centinel.ingest.platforms.platform import ApiAnswer, Ask, Match, Work
from centinel.ingest.request import Request
from centinel.record import Json
from centinel.sources.platforms.values import count, identifier, listed, mapping, text

PAGE_SIZE = 1000

_PID = re.compile(r"(?:(doi|hdl|perma):|https?://(?:dx\.)?(doi\.org|hdl\.handle\.net)/)(\S+)", re.I)
_PROTOCOLS = {"doi.org": "doi", "hdl.handle.net": "hdl"}
_IDENTITY = re.compile(r"[A-Za-z0-9][^\s?#]*")
_FILE_PID = re.compile(r".*/[A-Z0-9]{6}/[A-Z0-9]{6}", re.I)
"""A file's PID: the dataset's six characters, and six more."""

_PAGES = re.compile(r"(.*/)(dataset|file|citation)(?:\.xhtml)?", re.I)
_DATASETS = re.compile(r"(.*/)(?:spa|modern|modern-frontend|dvn-ui)/(datasets|files)/?", re.I)
_API = re.compile(r"(.*/)api/(datasets|access/dataset|access/datafile|files)/.*", re.I)
_VERSION = re.compile(r"\d{1,6}(?:\.\d{1,6})?")
_LATEST = frozenset({"", ":latest", ":latest-published", "latest"})
_MEANINGS = {401: Stopped.RESTRICTED, 403: Stopped.RESTRICTED}
"""What is not published gives 401 with "is not permitted to perform requested action"."""


class Dataverse:
    """`<host>/dataset.xhtml?persistentId=doi:10.…`."""

    name = "dataverse"

    def match(self, request: Request, terminal_url: str, page: Page | None) -> Match | None:
        """Returns the dataset that an address of the product's pages names.

        The PID alone is not enough: the page's name, or the page itself, must be Dataverse's too.
        """
        parts = urlsplit(terminal_url)
        query = {key.lower(): value for key, value in parse_qsl(parts.query)}
        pid = pid_of(query.get("persistentid", ""))
        number = query.get("id", "") if parts.path.lower().endswith("/dataset.xhtml") else ""
        if pid is None and not re.fullmatch(r"\d{1,12}", number):
            return None
        found = next(filter(None, (each.fullmatch(parts.path) for each in (_API, _PAGES))), None)
        found = found or _DATASETS.fullmatch(parts.path)
        is_named = parts.path.lower().endswith(".xhtml") or bool(_API.fullmatch(parts.path))
        evidence = "path" if found and is_named else _evidence(page)
        if evidence is None:
            return None
        is_file = bool(found and found[2].lower() in ("file", "files", "access/datafile"))
        root = f"{parts.scheme}://{parts.netloc}{found[1] if found else '/'}"
        details = {"root": root, "is_file": is_file, "version": query.get("version", "")}
        return Match(
            self.name,
            domain(terminal_url),
            pid or number,
            evidence,
            terminal_url,
            request,
            page,
            details,
        )

    def item(self, match: Match) -> Work:
        """Asks for the dataset, and for the version that is wanted where it is an older one."""
        wanted = _wanted(match)
        answer = yield from _dataset(match)
        dataset = obj(obj(answer.json, "the dataset").get("data"), "data of the dataset")
        latest = dataset.get("latestVersion")
        if latest is None:
            raise scope(match, "the dataset has no published version")
        version = obj(latest, "latestVersion")
        _refuse_state(match, version)
        pid = _pid_of_answer(dataset, version) or match.platform_id
        is_latest = wanted is None or wanted in _spellings(version)
        if not is_latest:
            version = yield from _older(match, pid, str(wanted))
            _refuse_state(match, version)
        found = yield from _listed(match, pid, version)
        return _item(match, pid, dataset | {"latestVersion": version}, found, answer, is_latest)


def pid_of(stated: str) -> str | None:
    """Returns a PID with its protocol in lower case: `doi:10.7910/DVN/CLSFKX`; None for none.

    Identifiers are what the installation chose: six characters in new ones, anything in old ones.
    """
    found = _PID.fullmatch(stated.strip())
    if found is None:
        return None
    protocol = (found[1] or _PROTOCOLS[found[2].lower()]).lower()
    identity = found[3].strip("/")
    if protocol == "doi" and not identity.startswith("10."):
        return None
    return f"{protocol}:{identity}" if _IDENTITY.fullmatch(identity) else None


def _evidence(page: Page | None) -> str | None:
    """What shows that a page is Dataverse's: its own generator, or the API in its JSON-LD."""
    if page is None:
        return None
    for stated in page.metas("generator", "application-name"):
        if stated.lower().startswith("dataverse"):
            return f"page: generator {stated[:40]}"
    for dataset in page.of_type("Dataset"):
        for each in listed(dataset.get("distribution")):
            if "/api/access/datafile/" in str(mapping(each).get("contentUrl")):
                return "page: JSON-LD names /api/access/datafile/"
    return None


def _wanted(match: Match) -> str | None:
    """The version that the address names; None for the newest. Raises IngestStop."""
    if match.details["is_file"] or _FILE_PID.fullmatch(match.platform_id):
        raise scope(match, "one file of a dataset: give the address of the dataset")
    stated = str(match.details["version"]).strip().lower()
    if stated in _LATEST:
        return None
    if stated in ("draft", ":draft"):
        raise IngestStop(Stopped.RESTRICTED, f"{match.address}: a draft, which is not public")
    if not _VERSION.fullmatch(stated):
        raise scope(match, f"{stated[:40]!r} is no version")
    return stated


def _dataset(match: Match) -> Generator[Ask, ApiAnswer, ApiAnswer]:
    """The dataset; a PID in small letters is tried in capitals too, as registered ones are."""
    root, pid = match.details["root"], match.platform_id
    if pid.isdecimal():
        return (yield from whole(f"{root}api/datasets/{pid}", "the dataset", _MEANINGS))
    try:
        return (yield from whole(_address(root, pid), "the dataset", _MEANINGS))
    except IngestStop as stop:
        protocol, _, identity = pid.partition(":")
        capitals = f"{protocol}:{identity.upper()}"
        if stop.status is not Stopped.NOT_FOUND or capitals == pid:
            raise
    return (yield from whole(_address(root, capitals), "the dataset", _MEANINGS))


def _address(root: str, pid: str, rest: str = "") -> str:
    return f"{root}api/datasets/:persistentId/{rest}?persistentId={quote(pid, safe=':/')}"


def _refuse_state(match: Match, version: Json) -> None:
    state = text(version.get("versionState"))
    if state == "DEACCESSIONED":
        why = text(version.get("versionNote")) or text(version.get("deaccessionNote")) or ""
        raise IngestStop(Stopped.GONE, f"{match.address}: deaccessioned{why and ': '}{why}")
    if state == "DRAFT":
        raise IngestStop(Stopped.RESTRICTED, f"{match.address}: a draft, which is not public")


def _number(version: Json) -> str | None:
    major, minor = count(version.get("versionNumber")), count(version.get("versionMinorNumber"))
    return None if major is None else f"{major}.{minor or 0}"


def _spellings(version: Json) -> set[str]:
    """How an address may write a version's number: `2` is `2.0`."""
    number = _number(version) or ""
    return {number, number.removesuffix(".0")}


def _pid_of_answer(dataset: Json, version: Json) -> str | None:
    stated = text(version.get("datasetPersistentId"))
    if stated:
        return pid_of(stated)
    protocol, authority = text(dataset.get("protocol")), text(dataset.get("authority"))
    name = identifier(dataset.get("identifier"))
    return pid_of(f"{protocol}:{authority}/{name}") if protocol and authority and name else None


def _older(match: Match, pid: str, wanted: str) -> Generator[Ask, ApiAnswer, Json]:
    address = _address(match.details["root"], pid, f"versions/{wanted}")
    answer = yield from get(address, f"version {wanted}", _MEANINGS)
    version = obj(answer.get("data"), "data of the version")
    if wanted not in _spellings(version):
        raise scope(match, f"version {wanted} is answered with version {_number(version)}")
    return version


def _listed(match: Match, pid: str, version: Json) -> Generator[Ask, ApiAnswer, Walk]:
    """The files of a version; from their own list where the version leaves them out."""
    stated = version.get("files")
    if stated is not None:
        return Walk(rows(stated, "files"))
    address = _address(
        match.details["root"], pid, f"versions/{_number(version) or ':latest-published'}/files"
    )

    def read(answer: ApiAnswer, asked: str, before: Walk) -> Sheet:  # noqa: ARG001 (others do)
        value = obj(answer.json, "the files")
        found, total = rows(value.get("data"), "data of the files"), count(value.get("totalCount"))
        had = len(before.rows) + len(found)
        # A release without paging gives everything, and no total.
        is_last = not found or total is None or had >= total
        return Sheet(found, None if is_last else _sheet(address, had), total)

    return (yield from walk(_sheet(address, 0), "the files", read, _MEANINGS))


def _sheet(address: str, offset: int) -> str:
    return f"{address}&limit={PAGE_SIZE}&offset={offset}"


def _item(
    match: Match, pid: str, dataset: Json, found: Walk, answer: ApiAnswer, is_latest: bool
) -> PlatformItem:
    version, root = dataset["latestVersion"], match.details["root"]
    number, wanted = _number(version), _wanted(match)
    part = "" if is_latest else f"versions/{number}"
    known = f"{root}api/access/dataset/:persistentId/{part}?persistentId={quote(pid, safe=':/')}"
    licence = version.get("license")
    notes = [] if pid.lower() == match.platform_id.lower() else [f"answered with {pid}"]
    terms = [text(version.get(key)) for key in ("termsOfUse", "termsOfAccess")]
    return item(
        match,
        files(found.rows, root, today(answer), bool(version.get("fileAccessRequest"))),
        platform_id=pid,
        requested_id=f"{match.platform_id}@{wanted}" if wanted else match.platform_id,
        resolved_id=f"{pid}@{number}" if number else pid,
        is_latest=is_latest,
        title=_field(version, "title"),
        declared_files=found.total,
        incomplete=found.incomplete or shortfall(len(found.rows), found.total),
        web_bundle_url=f"{known}&format=original",
        archiveorg_item_name=item_name(match.domain, pid.rpartition("/")[2], f"v{number or 1}"),
        archiveorg_item_meta=_meta(match, pid, version),
        metadata={"dataset": dataset},
        licence=text(mapping(licence).get("uri"))
        or text(mapping(licence).get("name"))
        or text(licence),
        terms="\n".join(filter(None, terms)) or None,
        published=day(version.get("releaseTime")) or day(dataset.get("publicationDate")),
        notes=tuple(notes),
    )


def _fields(version: Json) -> dict[str, Any]:
    citation = mapping(mapping(version.get("metadataBlocks")).get("citation"))
    fields = [mapping(each) for each in listed(citation.get("fields"))]
    return {str(each.get("typeName")): each.get("value") for each in fields}


def _field(version: Json, name: str) -> str | None:
    return text(_fields(version).get(name))


def _inner(version: Json, name: str, part: str) -> list[str]:
    """The texts of one part of a compound field."""
    found = [mapping(each).get(part) for each in listed(_fields(version).get(name))]
    return [said for each in found if (said := text(mapping(each).get("value")))]


def _meta(match: Match, pid: str, version: Json) -> Json:
    return item_meta(
        title=_field(version, "title"),
        creator=_inner(version, "author", "authorName"),
        date=day(version.get("releaseTime")),
        description="\n".join(_inner(version, "dsDescription", "dsDescriptionValue")),
        source=f"{match.details['root']}dataset.xhtml?persistentId={pid}",
        doi=pid.removeprefix("doi:") if pid.startswith("doi:") else None,
        version=_number(version),
    )
