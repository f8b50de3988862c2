"""The files of a Dataverse version: what is served under which name, and what is not served."""

from collections.abc import Iterable
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote

from centinel.ingest.manifest import DOUBTFUL, UNTIL, hashes, refused
from centinel.ingest.model import HASHES, ManifestFile, Stopped
from centinel.ingest.platforms.asking import changed, name_of, obj
from centinel.ingest.platforms.items import day
from centinel.ingest.platforms.platform import ApiAnswer
from centinel.record import Json
from centinel.sources.platforms.values import count, identifier, mapping, text


def today(answer: ApiAnswer) -> str:
    """Returns the day on which a server answered, ISO 8601; this machine's where it says none."""
    try:
        return parsedate_to_datetime(answer.headers.get("date", "")).date().isoformat()
    except (ValueError, TypeError, OverflowError):
        return datetime.now(UTC).date().isoformat()


def files(listed: Iterable[Any], root: str, on: str, may_be_requested: bool) -> list[ManifestFile]:
    """Returns the files of a version; embargoes are judged on the day `on`."""
    return [_file(obj(each, "a file"), root, on, may_be_requested) for each in listed]


def _file(row: Json, root: str, on: str, may_be_requested: bool) -> ManifestFile:
    stored = obj(row.get("dataFile"), "dataFile")
    made = _served(row, stored, root)
    until = _iso(mapping(stored.get("embargo")).get("dateAvailable"))
    ended = _iso(mapping(stored.get("retention")).get("dateUnavailable"))
    if made.platform_url is None:
        return refused(made, Stopped.SCHEMA_CHANGED, "neither a PID nor an id")
    if until is not None and until > on:
        return refused(made, Stopped.EMBARGOED, f"embargoed until {until}", **{UNTIL: until})
    if ended is not None and ended <= on:
        return refused(made, Stopped.GONE, f"kept until {ended} only")
    if row.get("restricted") is True:
        wish = "; access may be requested" if may_be_requested else ""
        return refused(made, Stopped.RESTRICTED, f"restricted{wish}")
    return made


def _served(row: Json, stored: Json, root: str) -> ManifestFile:
    """A file as it was deposited: of a table, the original and not the tab-separated form.

    The declared hash of such an original is at times that of the other form (IQSS/dataverse#9501),
    and `filesize` always is.
    """
    has_original = bool(stored.get("originalFileFormat") or stored.get("originalFileName"))
    name = stored.get("originalFileName") or stored.get("filename") or row.get("label")
    folder = row.get("directoryLabel")
    checksum = mapping(stored.get("checksum"))
    found = hashes((checksum.get("type"), checksum.get("value")), ("md5", stored.get("md5")))
    doubtful: Json = {DOUBTFUL: list(HASHES)} if has_original else {}
    kept = {"id": count(stored.get("id")), "version": count(row.get("version"))}
    said = {"description": text(row.get("description"))}
    return ManifestFile(
        f"{folder.strip('/')}/{_name(name)}" if isinstance(folder, str) and folder else _name(name),
        count(stored.get("originalFileSize" if has_original else "filesize")),
        found.md5,
        found.sha1,
        found.sha256,
        text(stored.get("originalFileFormat")) or text(stored.get("contentType")),
        _address(stored, root, has_original),
        {**found.extra, **doubtful, **{k: v for k, v in (kept | said).items() if v is not None}},
    )


def _name(value: Any) -> str:
    return name_of(value, "a file")


def _address(stored: Json, root: str, has_original: bool) -> str | None:
    """Where the file is served: by its PID, else by its number, as where files have no PIDs."""
    pid, number = text(stored.get("persistentId")), identifier(stored.get("id"))
    if pid:
        where, query = ":persistentId/", [f"persistentId={quote(pid, safe=':/')}"]
    elif number and number.isascii() and number.isdecimal():
        where, query = number, []
    else:
        return None
    if has_original:
        query.append("format=original")
    return f"{root}api/access/datafile/{where}{'?' if query else ''}{'&'.join(query)}"


def _iso(value: Any) -> str | None:
    """The day; raises IngestStop where something else stands there: it would decide access."""
    if value is None:
        return None
    stated = day(value)
    try:
        return date.fromisoformat(stated or "").isoformat()
    except ValueError:
        raise changed(f"{str(value)[:40]!r} is no day") from None
