"""The pieces of a row of `results.jsonl`. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from centinel.ingest import statuses
from centinel.ingest.capturing import Capture
from centinel.ingest.model import ManifestFile
from centinel.ingest.request import Request
from centinel.record import Json, Observation, moment

LONGEST_MESSAGE = 1600
"""Characters of `error_message` (facts of the first implementation)."""


@dataclass(frozen=True)
class Fileset:
    """A request's capture with its files as they were found to be."""

    request: Request
    capture: Capture
    files: tuple[ManifestFile, ...]
    messages: Mapping[str, str]
    """By path: why a file is not here."""
    status: str
    item_name: str | None = None
    bundle: Observation | None = None


def bundle_name(found: Fileset) -> str:
    """Returns what the platform's archive is called in an item."""
    seen = found.bundle
    given = (seen.filename if seen else None) or ""
    name = given if given.lower().endswith(".zip") else f"{found.item_name or 'bundle'}.zip"
    return name.replace("/", "-").lstrip(".") or "bundle.zip"


def blank(status: str, request: Json | str | None) -> Json:
    """Returns a row in the order of its fields, with nothing known but how it ended."""
    return {
        "hit": False,
        "status": status,
        "request": request,
        "hops": [],
        "terminal_url": None,
        "terminal_dt": None,
        "terminal_status_code": None,
        "terminal_sha1hex": None,
        "platform": None,
        "platform_domain": None,
        "platform_id": None,
        "ingest_strategy": None,
        "file_count": None,
        "total_size": None,
        "manifest": None,
        "error_message": None,
        "until": None,
        "retry_at": None,
        "updated": None,
    }


def of_platform(capture: Capture) -> Json:
    """Returns what the platform says of the dataset, or what recognised it."""
    item, match = capture.item, capture.match or {}
    row: Json = {
        "platform": item.platform if item else match.get("platform"),
        "platform_domain": item.platform_domain if item else match.get("domain"),
        "platform_id": item.platform_id if item else match.get("platform_id"),
        "platform_evidence": match.get("evidence"),
    }
    if item is not None:
        row |= {
            "requested_id": item.requested_id,
            "resolved_id": item.resolved_id,
            "is_latest": item.is_latest,
            "title": item.title,
            "licence": item.licence,
            "terms": item.terms,
            "published": item.published,
            "declared_files": item.declared_files,
            "declared_bytes": item.declared_bytes,
            "notes": list(item.notes),
        }
    return row


def entry(file: ManifestFile, message: str | None) -> Json:
    """Returns an entry of the manifest, with why the file is not here."""
    return {**file.to_json(), "message": message}


def difference(file: ManifestFile) -> str:
    """Returns what was declared and what was seen, of a file that is not what it should be."""
    what = (file.verdict or "").rpartition(":")[2]
    if not what or file.observed is None:
        return str(file.status)
    return f"{what}: declared {getattr(file, what)}, observed {getattr(file.observed, what)}"


def count(capture: Capture) -> int:
    """Returns how many files there are, also where a very long manifest is not kept whole."""
    item = capture.item
    if item is None:
        return 0
    is_cut = capture.stop is not None and capture.stop.status == statuses.TOO_MANY_FILES
    return max(item.file_count, item.declared_files or 0) if is_cut else item.file_count


def total(found: Fileset) -> int | None:
    """Returns the bytes in all: as declared, else as observed; None where neither is whole."""
    sizes = [
        each.size if each.size is not None else (each.observed.size if each.observed else None)
        for each in found.files
    ]
    if not sizes or None in sizes:
        return None
    return sum(each for each in sizes if each is not None)


def digits(at: str | None) -> str | None:
    """Returns a time as archives write it: 14 digits, UTC."""
    return f"{moment(at):%Y%m%d%H%M%S}" if at else None
