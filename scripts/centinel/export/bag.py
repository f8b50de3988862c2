"""A source for hand-over: a bag (BagIt, RFC 8493) of its record, bytes, texts, tables and audit."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from errno import EMLINK, EPERM, EXDEV
from pathlib import Path

import bagit
import yaml

from centinel import __version__
from centinel.configuration import Configuration
from centinel.files import sync, write_json, write_whole
from centinel.journal import Torn, read_record
from centinel.masking import masked
from centinel.record import Json, Observation
from centinel.store import Store

_NO_LINKS = frozenset({EMLINK, EPERM, EXDEV})
"""What a file system says that links no further, or not at all, or to another."""


@dataclass
class Bagged:
    """What went into a bag, and what the record names and the bag does not have."""

    blobs: int = 0
    without_bytes: list[Json] = field(default_factory=list)
    torn: list[str] = field(default_factory=list)
    since: str | None = None
    until: str | None = None
    """The dates of the first and of the last line of the record."""


def write(store: Store, configuration: Configuration) -> Bagged:
    """Writes the bag of a source; it takes its place whole, or not at all.

    Blobs and texts are hard links where the file system allows, since no code changes one. A blob
    that is missing or damaged is named in `data/contents.json` and in the bag's own description,
    and is not in the bag. Raises OSError for a fault of this machine.
    """
    for left in store.export.glob(f".{store.bag.name}.*.tmp"):
        shutil.rmtree(left)  # of a job that was killed
    folder = store.bag.with_name(f".{store.bag.name}.{os.getpid()}.tmp")
    folder.mkdir(parents=True)
    try:
        bagged = _fill(folder, store, configuration)
        bagit.make_bag(str(folder), _about(store, configuration, bagged), checksums=["sha256"])
        if store.bag.exists():
            shutil.rmtree(store.bag)
        folder.rename(store.bag)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sync(store.export)
    return bagged


def _fill(folder: Path, store: Store, configuration: Configuration) -> Bagged:
    """Puts everything into the folder, as it lies in the source's."""
    # What is written anew stays the bag's own; only what never changes is linked.
    for name in (store.record, store.derived, store.tables):
        _take_tree(name, store, folder, is_linked=False)
    for name in (store.text, store.underivable):
        _take_tree(name, store, folder, is_linked=True)
    for path in [*sorted(store.root.glob("*.json*")), store.report]:
        if path.is_file():
            _take(path, folder / path.name, is_linked=False)
    for path in (store.ingest_results, store.ingest_filesets):
        if path.is_file():
            _take(path, folder / store.relative(path), is_linked=False)
    bagged = _blobs(folder, store)
    write_whole(folder / "configuration.yaml", _configuration(store, configuration))
    contents: Json = {
        "source": store.source,
        "blobs": bagged.blobs,
        "without_bytes": bagged.without_bytes,
        "torn": bagged.torn,
    }
    write_json(folder / "contents.json", contents)
    return bagged


def _take_tree(tree: Path, store: Store, folder: Path, *, is_linked: bool) -> None:
    """Takes the whole files of a tree."""
    for path in _files(tree):
        _take(path, folder / store.relative(path), is_linked=is_linked)


def _files(tree: Path) -> Iterator[Path]:
    """Yields the whole files below a folder, one folder after another.

    Hidden ones are on their way to their name, or locks; `.part` is a transcription under way.
    """
    for place, folders, names in os.walk(tree):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and not name.endswith(".part"):
                yield Path(place, name)


def _take(path: Path, place: Path, *, is_linked: bool) -> None:
    """Links or copies a file to its place in the bag."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if is_linked:
        try:
            place.hardlink_to(path)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
        else:
            return
    shutil.copyfile(path, place)


def _blobs(folder: Path, store: Store) -> Bagged:
    """Takes the blobs that the record names, with their sidecars, where their bytes are intact."""
    bagged, torn = Bagged(), Torn()
    seen: set[str] = set()
    for line in read_record(store, torn):
        bagged.since = bagged.since or line.get("at")
        bagged.until = line.get("at") or bagged.until
        if line.get("type") != Observation.TYPE:
            continue
        sha256 = str(line.get("blob"))
        if sha256 in seen:
            continue
        seen.add(sha256)
        reason = _unfit(store, sha256)
        if reason:
            fault = {"artifact": line.get("artifact"), "at": line.get("at"), "blob": sha256}
            bagged.without_bytes.append({**fault, "reason": reason})
            continue
        bagged.blobs += 1
        for path in (store.blob(sha256), store.kind_sidecar(sha256)):
            if path.exists():
                is_blob = path.suffix == ""
                _take(path, folder / store.relative(path), is_linked=is_blob)
    bagged.torn = torn.places
    return bagged


def _unfit(store: Store, sha256: str) -> str | None:
    """Why a blob's bytes cannot be handed over."""
    if store.is_intact(sha256):
        return None
    is_set_aside = store.damaged_blob(sha256).exists()
    return "damaged" if store.has_blob(sha256) or is_set_aside else "missing"


def _configuration(store: Store, configuration: Configuration) -> bytes:
    """What the run was told of this source, without secrets, and of no other."""
    given = dict(configuration.as_given)
    given["blocks"] = {store.source: given["blocks"][store.source]}
    return masked(yaml.safe_dump(given, sort_keys=True, allow_unicode=True)).encode()


def _about(store: Store, configuration: Configuration, bagged: Bagged) -> dict[str, str]:
    """What stands in `bag-info.txt`."""
    block = configuration.sources[store.source]
    about = {
        "External-Identifier": store.source,
        "External-Description": f"The public record of {masked(f'{block.key}: {block.value}')}, "
        "as served and as read; data/configuration.yaml made it",
        "Bag-Software-Agent": f"centinel {__version__}, bagit.py {bagit.VERSION}",
        "Record-Since": bagged.since or "no line",
        "Record-Until": bagged.until or "no line",
        "Blobs": str(bagged.blobs),
        "Blobs-Missing-Or-Damaged": str(len(bagged.without_bytes)),
    }
    if configuration.contact:
        about["Contact-Name"] = masked(configuration.contact)
    return about
