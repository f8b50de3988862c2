"""Item folders for archive.org: staged from blobs, ready for upload, reused where they stand."""

import os
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from centinel.files import whole, write_whole
from centinel.ingest.model import ManifestFile, Observed
from centinel.record import Json
from centinel.store import Store

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""The identifier of an item: up to 100 characters (archive.org's documentation of metadata)."""

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,100}")
_CONTROLS = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no place for (section 2.2)."""


@dataclass(frozen=True)
class Staged:
    """A file of an item: its name there, what its bytes are, and the blob that holds them."""

    name: str
    observed: Observed
    blob: Path


def item_name(stated: str | None, domain: str, platform_id: str) -> str:
    """Returns the name of an item: the helper's, else made of domain and id; safe as a folder."""
    wanted = stated or f"{domain}-{platform_id}"
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", wanted).strip("-._")[:100].rstrip("-._")
    return name if _NAME.fullmatch(name) else "item"


def is_key(key: str) -> bool:
    """Returns whether a key may stand in an item's metadata, beside what is said of files."""
    return _KEY.fullmatch(key) is not None and key not in ("identifier", "item", "file")


def stage(store: Store, name: str, metadata: Mapping[str, object], files: Iterable[Staged]) -> Path:
    """Makes or completes the folder of an item and returns it.

    Files are links to blobs, or copies where links cannot be made; what stands there already is
    kept. The two XML files say what archive.org's own say of an item. Raises OSError.
    """
    folder = store.ingest_item(name)
    listed = list(files)
    folder.mkdir(parents=True, exist_ok=True)
    places = [folder / each.name for each in listed]
    for parent in {each.parent for each in places}:
        parent.mkdir(parents=True, exist_ok=True)
    for each, place in zip(listed, places, strict=True):
        _place(each, place)
    write_whole(folder / f"{name}_meta.xml", _meta(name, metadata))
    write_whole(folder / f"{name}_files.xml", _files(name, listed))
    return folder


def _place(file: Staged, target: Path) -> None:
    """Puts a file into its place; one that stands there with the same size is the same."""
    try:
        if target.stat().st_size == file.observed.size:
            return
        target.unlink()
    except FileNotFoundError:
        pass
    if not file.observed.size:
        target.touch()
        return
    try:
        os.link(file.blob, target)
    except OSError:
        with whole(target) as stream, file.blob.open("rb") as blob:
            shutil.copyfileobj(blob, stream)


def _meta(name: str, metadata: Mapping[str, object]) -> bytes:
    from lxml import etree

    root = etree.Element("metadata")
    _text(root, "identifier", name)
    if "mediatype" not in metadata:
        _text(root, "mediatype", "data")
    for key, value in sorted(metadata.items()):
        if is_key(key):
            for one in value if isinstance(value, list | tuple) else [value]:
                if one is not None and one != "":
                    _text(root, key, str(one))
    return _written(root)


def _files(name: str, files: Iterable[Staged]) -> bytes:
    from lxml import etree

    root = etree.Element("files")
    for each in files:
        element = etree.SubElement(root, "file", name=_clean(each.name), source="original")
        seen = each.observed
        for key, value in (("size", seen.size), ("md5", seen.md5), ("sha1", seen.sha1)):
            if value is not None:
                _text(element, key, str(value))
        _text(element, "format", seen.mimetype or "Data")
    for suffix in ("_meta.xml", "_files.xml"):
        etree.SubElement(root, "file", name=name + suffix, source="original")
    return _written(root)


def _text(parent: "Element", key: str, value: str) -> None:
    from lxml import etree

    etree.SubElement(parent, key).text = _clean(value)


def _clean(text: str) -> str:
    return _CONTROLS.sub("\ufffd", text)


def _written(root: "Element") -> bytes:
    from lxml import etree

    written: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)
    return written


def held_by(listing: Json, files: Iterable[ManifestFile]) -> dict[str, str]:
    """Returns what an existing item holds of a manifest: by path `exists`, or `mismatch-existing`.

    `listing` is what archive.org's metadata API says of the item. A file is there where name, size
    and a hash agree. Paths that the item does not have are left out.
    """
    entries = listing.get("files")
    there = {
        str(each.get("name")): each
        for each in (entries if isinstance(entries, list) else [])
        if isinstance(each, dict)
    }
    return {
        file.path: "exists" if _is_same(file, there[file.path]) else "mismatch-existing"
        for file in files
        if file.path in there
    }


def _is_same(file: ManifestFile, entry: Json) -> bool:
    seen = file.observed
    size = file.size if file.size is not None else (seen.size if seen else None)
    if size is not None and str(entry.get("size")) != str(size):
        return False
    known = {
        name: getattr(file, name) or (getattr(seen, name) if seen else None)
        for name in ("md5", "sha1")
    }
    shared = [name for name in known if known[name] and entry.get(name)]
    return bool(shared) and all(known[name] == entry[name] for name in shared)
