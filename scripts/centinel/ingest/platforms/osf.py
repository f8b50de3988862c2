"""OSF (https://developer.osf.io): projects, their components and registrations.

A short id may be a node, a registration, a file or a person; the API says which. Folders are walked
and paged to the end. Components are nodes of their own, and no part of the node that holds them.
"""

import re
from collections.abc import Generator, Iterator
from typing import Any
from urllib.parse import quote, urlsplit

from centinel.ingest.landing import Page, domain
from centinel.ingest.manifest import hashes, refused, shortfall
from centinel.ingest.model import IngestStop, ManifestFile, PlatformItem, Stopped
from centinel.ingest.platforms.asking import (
    MOST_PAGES,
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
from centinel.ingest.platforms.platform import ApiAnswer, Ask, Match, Work
from centinel.ingest.request import Request
from centinel.record import Json
from centinel.sources.platforms.values import count, listed, mapping, text

HOSTS = frozenset({"osf.io", "www.osf.io"})
API = "api.osf.io"
PAGE_SIZE = 100
"""The most rows of a page (`page[size]`)."""

_GUID = re.compile(
    r"/(?:project/|registries/|[a-z]+/(?=[a-z0-9]{5}/?$))?([a-z0-9]{5})(?:/(.*))?", re.I
)
_WHOLE = frozenset({"", "files", "wiki", "overview", "metadata", "files/osfstorage"})
"""What may stand behind an id and still mean all of it."""

_LOGIN = re.compile(r"/(?:login|register|oauth)(?:/|$)")
_NODES = frozenset({"nodes", "registrations"})
_PRIVATE = {401: Stopped.RESTRICTED, 403: Stopped.RESTRICTED}
"""A private node answers as if an account were all that is missing."""

_Folders = Generator[Ask, ApiAnswer, tuple[list[Json], str | None]]


class Osf:
    """`osf.io/<id>`."""

    name = "osf"

    def match(self, request: Request, terminal_url: str, page: Page | None) -> Match | None:
        """Returns the node that an address of the host names."""
        if domain(terminal_url) not in HOSTS:
            return None
        path = urlsplit(terminal_url).path
        found = _GUID.fullmatch(path)
        rest = (found[2] or "").strip("/") if found else ""
        details = {
            "is_part": rest not in _WHOLE,
            "is_login": bool(_LOGIN.match(path)),
            "is_preprint": path.startswith("/preprints/"),
        }
        identity = found[1].lower() if found else ""
        return Match(self.name, "osf.io", identity, "host", terminal_url, request, page, details)

    def item(self, match: Match) -> Work:
        """Asks what the id is, for the node, its providers, and every folder."""
        _refuse_address(match)
        api = f"{urlsplit(match.address).scheme}://{API}/v2"
        asked = f"{api}/guids/{match.platform_id}/?resolve=false"
        guid = yield from get(asked, "the id", _PRIVATE)
        kind, identity = _referent(match, guid)
        answer = guid
        if mapping(guid["data"]).get("type") not in _NODES:
            counted = f"{api}/{kind}/{identity}/?related_counts=children"
            answer = yield from get(counted, f"the {kind[:-1]}", _PRIVATE)
        node = obj(obj(answer.get("data"), "data of the node").get("attributes"), "attributes")
        _refuse_closed(match, node)
        providers = yield from walk(
            f"{api}/{kind}/{identity}/files/?page[size]={PAGE_SIZE}",
            "the providers",
            _read,
            _PRIVATE,
        )
        files, incomplete = yield from _walked(providers)
        return _item(match, kind, answer, files, incomplete)


def _refuse_address(match: Match) -> None:
    if match.details["is_login"]:
        raise IngestStop(Stopped.LOGIN, f"{match.address}: wants an account")
    if match.details["is_preprint"]:
        raise scope(match, "a preprint: give the address of a project or a registration")
    if not match.platform_id:
        raise scope(match, "no project: give the address of one, osf.io/<id>")
    if match.details["is_part"]:
        raise scope(match, "one file or page of a project: give the address of the project")


def _referent(match: Match, guid: Json) -> tuple[str, str]:
    """What the id stands for; the answer may be the thing itself, since the API redirects to it."""
    data = obj(guid.get("data"), "data of the id")
    referent = mapping(mapping(mapping(data.get("relationships")).get("referent")).get("data"))
    told = referent or data
    kind, identity = text(told.get("type")), text(told.get("id"))
    if kind is None or identity is None or not re.fullmatch(r"[a-z0-9]{3,40}", identity):
        raise changed("the id refers to nothing")
    if kind not in _NODES:
        raise scope(match, f"one of {kind}: give the address of a project or a registration")
    return kind, identity


def _refuse_closed(match: Match, node: Json) -> None:
    until = day(node.get("embargo_end_date"))
    if node.get("withdrawn") is True:
        why = text(node.get("withdrawal_justification")) or ""
        raise IngestStop(Stopped.GONE, f"{match.address}: withdrawn{why and ': '}{why}")
    if until and (node.get("embargoed") is True or node.get("public") is False):
        raise IngestStop(Stopped.EMBARGOED, f"{match.address}: embargoed until {until}", until)
    if node.get("public") is False:
        raise IngestStop(Stopped.RESTRICTED, f"{match.address}: not public")


def _read(answer: ApiAnswer, asked: str, before: Walk) -> Sheet:  # noqa: ARG001 (others need it)
    """A page of JSON:API. The total stands in `meta`, in older versions below `links`."""
    value = obj(answer.json, "the list")
    links = mapping(value.get("links"))
    meta = mapping(value.get("meta")) or mapping(links.get("meta"))
    following = usable(links.get("next"), asked)
    if following is not None and domain(following) != domain(asked):
        raise changed("the next page is on another host")
    return Sheet(rows(value.get("data"), "data of the list"), following, count(meta.get("total")))


def _walked(providers: Walk) -> _Folders:
    """Every file below the providers, and why there may be more."""
    files: list[Json] = []
    cuts = [providers.incomplete, shortfall(len(providers.rows), providers.total, "providers")]
    waiting = [obj(each, "a provider") for each in providers.rows]
    seen: set[str] = set()
    asked = 0
    while waiting:
        folder = waiting.pop(0)
        address = _folder_address(folder)
        if address in seen:
            continue
        seen.add(address)
        asked += 1
        if asked > MOST_PAGES:
            cuts.append(f"stopped after {MOST_PAGES} folders, with {len(waiting) + 1} left")
            break
        found = yield from walk(address, "a folder", _read, _PRIVATE)
        cuts += [found.incomplete, shortfall(len(found.rows), found.total, "entries of a folder")]
        for row in found.rows:
            entry = obj(row, "an entry of a folder")
            kind = obj(entry.get("attributes"), "attributes of an entry").get("kind")
            (waiting if kind == "folder" else files).append(entry)
    return files, "; ".join(filter(None, cuts)) or None


def _folder_address(folder: Json) -> str:
    """Where a folder's list is; raises IngestStop where it leads to another host."""
    relation = mapping(mapping(folder.get("relationships")).get("files"))
    related = mapping(relation.get("links")).get("related")
    stated = related if isinstance(related, str) else mapping(related).get("href")
    address = usable(stated, f"https://{API}/")
    if address is None or domain(address) != API:
        raise changed("a folder has no list of files")
    return f"{address}{'&' if '?' in address else '?'}page[size]={PAGE_SIZE}"


def _item(
    match: Match, kind: str, answer: Json, files: list[Json], incomplete: str | None
) -> PlatformItem:
    node = mapping(mapping(answer.get("data")).get("attributes"))
    identity = match.platform_id
    licence = mapping(node.get("node_license"))
    return item(
        match,
        [_file(each) for each in files],
        resolved_id=identity,
        is_latest=None,
        title=text(node.get("title")),
        incomplete=incomplete,
        web_bundle_url=f"https://files.osf.io/v1/resources/{identity}/providers/osfstorage/?zip=",
        archiveorg_item_name=item_name("osf.io", identity),
        archiveorg_item_meta=item_meta(
            title=text(node.get("title")),
            date=day(node.get("date_registered")) or day(node.get("date_created")),
            description=text(node.get("description")),
            source=f"https://osf.io/{identity}/",
        ),
        metadata={kind[:-1]: answer},
        licence=text(licence.get("name")) or text(licence.get("id")),
        published=day(node.get("date_registered")) or day(node.get("date_created")),
        notes=("its archive differs each time that it is made", *_components(answer)),
    )


def _components(answer: Json) -> Iterator[str]:
    """A note on the components, where the answer counts some."""
    relations = mapping(mapping(answer.get("data")).get("relationships"))
    related = mapping(mapping(mapping(relations.get("children")).get("links")).get("related"))
    number = count(mapping(related.get("meta")).get("count"))
    if number:
        yield f"{number} components are projects of their own: no part of this one"


def _file(entry: Json) -> ManifestFile:
    """A file. Its path begins at its provider; only OSF's own storage has hashes."""
    attributes = obj(entry.get("attributes"), "attributes of a file")
    name = name_of(attributes.get("name"), "a file")
    stated = attributes.get("materialized_path")
    path = stated.removeprefix("/") if isinstance(stated, str) and stated.strip("/") else name
    provider = text(attributes.get("provider")) or "osfstorage"
    extra = mapping(attributes.get("extra"))
    declared = mapping(extra.get("hashes"))
    found = hashes(*((kind, declared.get(kind)) for kind in ("sha256", "sha1", "md5")))
    address = usable(mapping(entry.get("links")).get("download"), "https://osf.io/")
    made = ManifestFile(
        path if provider == "osfstorage" else f"{quote(provider, safe=' ')}/{path}",
        count(attributes.get("size")),
        found.md5,
        found.sha1,
        found.sha256,
        _declared_type(extra),
        address,
        {**found.extra, "provider": provider, "version": count(attributes.get("current_version"))},
    )
    if address is None:
        return refused(made, Stopped.SCHEMA_CHANGED, "no download address")
    return made


def _declared_type(extra: Json) -> str | None:
    found: Any = next(iter(listed(extra.get("contentType"))), None)
    return text(found)
