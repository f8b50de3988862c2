"""What the helpers share when they put an item together."""

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

from centinel.ingest.manifest import manifest
from centinel.ingest.model import IngestStop, ManifestFile, PlatformItem, Stopped
from centinel.ingest.platforms.platform import Match
from centinel.ingest.request import doi_of
from centinel.record import Json
from centinel.sources.platforms.values import text

_UNUSABLE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 100
"""Characters of an item's name at archive.org (its metadata documentation, `identifier`)."""


def item(match: Match, files: Iterable[ManifestFile], **fields: Any) -> PlatformItem:
    """Returns the item of a match, with safe paths.

    Raises IngestStop where there is no file, or none that may be fetched.
    """
    made, notes = manifest(files)
    if not made:
        raise IngestStop(Stopped.EMPTY_MANIFEST, f"{match.address}: no file is listed")
    if all(each.status for each in made):
        raise _all_refused(match, made)
    fields["notes"] = (*fields.get("notes", ()), *_another_doi(match, fields), *notes)
    given = {"platform_id": match.platform_id, "requested_id": match.platform_id, **fields}
    return PlatformItem(
        platform=match.platform, platform_domain=match.domain, manifest=made, **given
    )


def _another_doi(match: Match, fields: Json) -> Iterator[str]:
    """Notes that the item has another DOI than was asked for: a work's, perhaps, or a wrong one."""
    meta = fields.get("archiveorg_item_meta", {})
    asked, found = match.request.doi, doi_of(text(meta.get("doi")) or "")
    if asked is not None and found is not None and asked != found:
        yield f"asked for doi {asked}, answered with doi {found}"


def _all_refused(match: Match, files: tuple[ManifestFile, ...]) -> IngestStop:
    """What it means that no file of a set may be fetched: what holds for the first."""
    first = files[0]
    status = Stopped(str(first.status))
    reason = first.extra.get("reason") or status.value
    untils = [str(each.extra["until"]) for each in files if each.extra.get("until")]
    message = f"{match.address}: none of {len(files)} files may be fetched: {reason}"
    if status is Stopped.LINK_ONLY:
        status = Stopped.PLATFORM_SCOPE
    return IngestStop(status, message, max(untils, default=None))


def scope(match: Match, why: str) -> IngestStop:
    """Returns the stop for an address that names the wrong thing on the right platform."""
    return IngestStop(Stopped.PLATFORM_SCOPE, f"{match.address}: {why}")


def item_name(*parts: str) -> str:
    """Returns the name of an archive.org item: its characters, at most 100, never empty."""
    whole = "-".join(_UNUSABLE.sub("_", each).strip("._-") for each in parts if each)
    name = whole.lstrip("._-") or "item"
    if len(name) <= _LONGEST_NAME:
        return name
    mark = sha256(name.encode()).hexdigest()[:12]
    return f"{name[: _LONGEST_NAME - 13]}-{mark}"


def item_meta(**fields: Any) -> Json:
    """Returns an archive.org item's metadata: what says something, and what it is."""
    said = {key: value for key, value in fields.items() if value}
    return {"mediatype": "data", "collection": "datasets", **said}


def day(value: Any) -> str | None:
    """Returns the day that a text in ISO 8601 begins with."""
    stated = text(value) or ""
    return stated[:10] if re.match(r"\d{4}-\d\d-\d\d(?!\d)", stated) else None
