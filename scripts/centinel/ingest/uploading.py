"""Uploads of staged items: only where the configuration says so, and keys are at hand.

The `internetarchive` library is under AGPL-3.0: its program `ia` is run, never imported.
"""

import csv
import io
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import orjson

from centinel import tools
from centinel.answers import Fetched
from centinel.files import write_whole
from centinel.http import Client
from centinel.ingest import items, statuses
from centinel.ingest.model import ManifestFile
from centinel.ingest.settings import ArchiveOrg
from centinel.record import Json

PROGRAM = "ia"
INSTALL = "pip install internetarchive"

KEYS = (("IA_ACCESS_KEY_ID", "IA_ACCESS_KEY"), ("IA_SECRET_ACCESS_KEY", "IA_SECRET_KEY"))
"""The environment variables that `ia` reads, each with the older name that is taken for it."""

STALL_SECONDS = 3600.0
"""How long an upload may say nothing; `ia` says a line a file."""


@dataclass(frozen=True)
class Uploaded:
    """How an item stands at archive.org: a status, and why where that is no success."""

    status: str
    message: str | None = None


def keys(environment: Mapping[str, str] | None = None) -> dict[str, str] | None:
    """Returns the keys as `ia` wants them in its environment; None where one is missing."""
    given = os.environ if environment is None else environment
    found = {names[0]: next(filter(None, map(given.get, names)), "") for names in KEYS}
    return found if all(found.values()) else None


def is_wanted(archiveorg: ArchiveOrg) -> bool:
    """Returns whether staged items are to be uploaded, and can be."""
    return archiveorg.upload and keys() is not None


def upload(
    client: Client,
    archiveorg: ArchiveOrg,
    folder: Path,
    files: Iterable[ManifestFile],
    metadata: Mapping[str, object],
) -> Uploaded:
    """Uploads what the item does not have yet; one that has everything is reused as it is.

    Never raises for what the service or the program does: that is a status.
    """
    listed = list(files)
    listing = _listing(client, archiveorg, folder.name)
    held = items.held_by(listing, listed)
    other = [path for path, found in held.items() if found != "exists"]
    if other:
        message = f"{other[0]}: the item {folder.name} has another file of this name"
        return Uploaded("mismatch-existing", message)
    missing = [each.path for each in listed if each.path not in held]
    if not missing:
        return Uploaded(statuses.SUCCESS_EXISTING)
    return _run(folder, missing, metadata)


def _listing(client: Client, archiveorg: ArchiveOrg, name: str) -> Json:
    """What the service says of an item; nothing where there is none, or no answer."""
    answer = client.get(f"{archiveorg.url}/metadata/{quote(name)}")
    if not isinstance(answer, Fetched):
        return {}
    content = answer.body.content()
    answer.body.discard()
    try:
        listing = orjson.loads(content)
    except orjson.JSONDecodeError:
        return {}
    return listing if isinstance(listing, dict) else {}


def _run(folder: Path, paths: list[str], metadata: Mapping[str, object]) -> Uploaded:
    """Runs `ia upload` over a list of files: names of strangers never are its arguments."""
    listing = folder.with_name(f".{folder.name}.upload.csv")
    write_whole(listing, _spreadsheet(folder.name, paths, metadata))
    command = [PROGRAM, "upload", "--spreadsheet", str(listing.resolve())]
    command += ["--checksum", "--no-derive", "--retries", "3"]
    try:
        tools.run(
            command, deadline=None, stall=STALL_SECONDS, environment=keys() or {}, folder=folder
        )
    except tools.ToolError as error:
        hint = "" if tools.is_installed(PROGRAM) else f" ({INSTALL})"
        return Uploaded(statuses.UPLOAD, f"{error}{hint}")
    finally:
        listing.unlink(missing_ok=True)
    return Uploaded(statuses.SUCCESS)


def _spreadsheet(name: str, paths: list[str], metadata: Mapping[str, object]) -> bytes:
    """The list that `ia` takes: a row a file, the item's metadata in the first."""
    columns: dict[str, str] = {}
    for key, value in metadata.items():
        if not items.is_key(key):
            continue
        if isinstance(value, list | tuple):
            columns |= {f"{key}[{number}]": str(each) for number, each in enumerate(value)}
        elif value not in (None, ""):
            columns[key] = str(value)
    names = ("identifier", "file", "REMOTE_NAME", *columns)
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, names)
    writer.writeheader()
    for number, path in enumerate(paths):
        first = columns if number == 0 else {}
        writer.writerow({"identifier": name, "file": f"./{path}", "REMOTE_NAME": path, **first})
    return buffer.getvalue().encode("utf-8", "replace")
