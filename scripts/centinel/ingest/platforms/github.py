"""GitHub releases (https://docs.github.com/en/rest/releases): the files attached to a release.

A release without attached files is its source archive, which is made when it is asked for: its
bytes may differ each time, so nothing is declared of them.
"""

import re
from collections.abc import Generator
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from centinel.ingest.landing import Page, domain
from centinel.ingest.manifest import hashes, refused
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
from centinel.sources.platforms.values import count, identifier, mapping, text

HOSTS = frozenset({"github.com", "www.github.com"})
API = "api.github.com"
PAGE_SIZE = 100
"""The most rows of a page (`per_page`)."""

SHORT_LIST = 30
"""Rows of a page where nothing is asked for: a release with fewer files names them all itself."""

_RELEASE = re.compile(r"/([\w.-]+)/([\w.-]+)/releases(?:/(latest|tag/(.+)|download/.+))?/?")
_LOGIN = re.compile(r"/(?:login|join|sessions?)(?:/|$)")


class Github:
    """`github.com/<owner>/<repository>/releases/tag/<tag>`."""

    name = "github"

    def match(self, request: Request, terminal_url: str, page: Page | None) -> Match | None:
        """Returns the release that an address of the host names."""
        if domain(terminal_url) not in HOSTS:
            return None
        path = unquote(urlsplit(terminal_url).path)
        found = _RELEASE.fullmatch(path)
        details = {
            "repository": f"{found[1]}/{found[2]}" if found else "",
            "tag": (found[4] or "").strip("/") if found else "",
            "is_file": bool(found and (found[3] or "").startswith("download/")),
            "is_login": bool(_LOGIN.match(path)),
        }
        tag = f"@{details['tag']}" if details["tag"] else ""
        identity = f"{details['repository']}{tag}"
        return Match(
            self.name, "github.com", identity, "host", terminal_url, request, page, details
        )

    def item(self, match: Match) -> Work:
        """Asks for the release, for the rest of its files, and which release is the latest."""
        _refuse_address(match)
        scheme = urlsplit(match.address).scheme
        api = f"{scheme}://{API}/repos/{match.details['repository']}/releases"
        tag = match.details["tag"]
        address = f"{api}/tags/{quote(tag)}" if tag else f"{api}/latest"
        release = yield from get(address, "the release")
        given = text(release.get("tag_name"))
        if given is None or (tag and given != tag):
            raise changed("the release has not the tag that was asked for")
        if release.get("draft") is True:
            raise IngestStop(Stopped.RESTRICTED, f"{match.address}: a draft, which is not public")
        found = yield from _listed(api, release)
        is_latest = True if not tag else (yield from _is_latest(api, given))
        return _item(match, release, found, given, is_latest)


def _refuse_address(match: Match) -> None:
    if match.details["is_login"]:
        raise IngestStop(Stopped.LOGIN, f"{match.address}: wants an account")
    if match.details["is_file"]:
        raise scope(match, "one file of a release: give the address of the release")
    if not match.platform_id:
        raise scope(match, "no release: give the address of one, …/releases/tag/<tag>")


def _listed(api: str, release: Json) -> Generator[Ask, ApiAnswer, Walk]:
    """The attached files; from their own list where the release may not name them all."""
    own = rows(release.get("assets"), "assets")
    number = identifier(release.get("id"))
    if len(own) < SHORT_LIST or number is None or not number.isdecimal():
        return Walk(own)
    address = f"{api}/{number}/assets?per_page={PAGE_SIZE}"

    def read(answer: ApiAnswer, asked: str, before: Walk) -> Sheet:  # noqa: ARG001 (others do)
        found = rows(answer.json, "the list of assets")
        following = f"{address}&page={before.pages + 2}"
        return Sheet(found, None if len(found) < SHORT_LIST else following)

    return (yield from walk(f"{address}&page=1", "the assets", read, {}))


def _is_latest(api: str, tag: str) -> Generator[Ask, ApiAnswer, bool | None]:
    """Whether a tag is of the latest release; None where that cannot be had."""
    answer = yield from ask(f"{api}/latest", "the latest release")
    if judged(answer, api, "the latest release", {}):
        return None
    latest = text(mapping(answer.json).get("tag_name"))
    return None if latest is None else latest == tag


def _item(
    match: Match, release: Json, found: Walk, tag: str, is_latest: bool | None
) -> PlatformItem:
    repository = match.details["repository"]
    files = [_file(obj(each, "an asset")) for each in found.rows]
    title = text(release.get("name")) or f"{repository} {tag}"
    return item(
        match,
        files or [_source(match, repository, tag)],
        platform_id=repository,
        requested_id=match.platform_id,
        resolved_id=f"{repository}@{tag}",
        is_latest=is_latest,
        title=title,
        incomplete=found.incomplete,
        archiveorg_item_name=item_name("github.com", repository, tag),
        archiveorg_item_meta=item_meta(
            title=title,
            creator=[repository.partition("/")[0]],
            date=day(release.get("published_at")),
            description=text(release.get("body")),
            source=f"https://github.com/{repository}/releases/tag/{quote(tag)}",
            version=tag,
        ),
        metadata={"release": release},
        published=day(release.get("published_at")),
    )


def _file(asset: Json) -> ManifestFile:
    name = name_of(asset.get("name"), "an asset")
    found = hashes((None, asset.get("digest")))
    address = usable(asset.get("browser_download_url"), "https://github.com/")
    made = ManifestFile(
        name,
        count(asset.get("size")),
        found.md5,
        found.sha1,
        found.sha256,
        text(asset.get("content_type")),
        address,
        {**found.extra, "id": identifier(asset.get("id"))},
    )
    if address is None:
        return refused(made, Stopped.SCHEMA_CHANGED, "no download address")
    if asset.get("state") not in (None, "uploaded"):
        return refused(made, Stopped.ERROR, f"its upload is {text(asset['state'])}")
    return made


def _source(match: Match, repository: str, tag: str) -> ManifestFile:
    """The source archive of a release that has no files."""
    origin = f"{urlsplit(match.address).scheme}://github.com"
    name: Any = repository.partition("/")[2]
    return ManifestFile(
        f"{name}-{tag.replace('/', '-')}.zip",
        platform_url=f"{origin}/{repository}/archive/refs/tags/{quote(tag)}.zip",
        mimetype="application/zip",
        extra={"is_generated": True},
    )
