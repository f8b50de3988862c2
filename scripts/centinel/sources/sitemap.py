"""Reads one sitemap document, tolerantly (https://www.sitemaps.org/protocol.html)."""

import re
import zlib
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from typing import Any

from lxml import etree

from centinel.sources.platforms import values

MOST_BYTES = 128 << 20
"""Of one document after it is unpacked; the protocol allows 50 MiB."""

_ROOTS = {"sitemapindex": "index", "urlset": "urlset", "rss": "feed", "feed": "feed", "RDF": "feed"}
_ENTRIES = frozenset({"url", "sitemap", "item", "entry"})
_MODIFIED = ("lastmod", "updated", "modified", "pubDate", "date", "published")
"""The first of these that an entry has says when it was changed."""

_ROOT_END = re.compile(rb"</(?:[\w.-]+:)?(?:urlset|sitemapindex|rss|feed|RDF)\s*>")
_ENTRY = re.compile(rb"<(/?)(?:[\w.-]+:)?(?:url|sitemap|item|entry)(?:\s[^<>]*)?>")
_AMPERSAND = re.compile(
    rb"<!\[CDATA\[(?:.*?\]\]>|.*)|<!--(?:.*?-->|.*)"
    rb"|&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9A-Fa-f]+);)",
    re.S,
)
"""An `&` that stands for itself, or what such a one may stand in."""


@dataclass(frozen=True)
class Entry:
    """One address in a sitemap, as it stands there."""

    location: str
    lastmod: str | None = None
    title: str | None = None


@dataclass
class Sitemap:
    """A sitemap document: `index` (its entries are sitemaps), `urlset`, `feed` or `text`."""

    form: str
    entries: list[Entry] = field(default_factory=list)
    is_cut: bool = False
    """Whether something behind a limit was not read, or the document ended in the middle."""


class NotASitemap(Exception):
    """The document is something else; the message says what."""


def parse(body: bytes) -> Sitemap:
    """Returns what a sitemap document names; raises NotASitemap.

    Gzip by its signature, a byte order mark, missing namespaces and unescaped `&` are all met.
    """
    body, is_cut = _unpacked(body)
    start = body.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        raise NotASitemap("it is empty")
    if start[:512].lower().startswith((b"<!doctype html", b"<html")):
        raise NotASitemap("it is a web page: probably blocked, or an error served as a page")
    if not start.startswith(b"<"):
        return _text(start, is_cut)
    return _xml(start, is_cut)


def _unpacked(body: bytes) -> tuple[bytes, bool]:
    if not body.startswith(b"\x1f\x8b"):
        return body[:MOST_BYTES], len(body) > MOST_BYTES
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        content = inflater.decompress(body, MOST_BYTES)
    except zlib.error as error:
        raise NotASitemap(f"its gzip is damaged ({error})") from None
    return content, not inflater.eof


def _text(start: bytes, is_cut: bool) -> Sitemap:
    """One address a line; a document without any is something else."""
    if is_cut:
        start = start[: start.rfind(b"\n") + 1]  # behind it stands half an address
    lines = (line.strip() for line in start.decode("utf-8", "replace").splitlines())
    entries = [Entry(line) for line in lines if line.lower().startswith(("http://", "https://"))]
    if not entries:
        raise NotASitemap("it is text without an address")
    return Sitemap("text", entries, is_cut)


def _xml(start: bytes, is_cut: bool) -> Sitemap:
    start, is_open = _whole(start)
    start = _AMPERSAND.sub(_escaped, start)
    form = _form_of(start)
    entries: list[Entry] = []
    events = _parsed(start, "end", tuple(f"{{*}}{name}" for name in _ENTRIES))
    try:
        for _, element in events:
            entry = _entry(element)
            entries += [entry] if entry else []
            _forget(element)
    except etree.XMLSyntaxError:
        is_cut = True
    return Sitemap(form, entries, is_cut or (is_open and len(events.error_log) > 0))


def _form_of(start: bytes) -> str:
    """What the root says that a document is; its entries are then looked at alone."""
    try:
        root = next(
            (each for _, each in _parsed(start, "start") if isinstance(each.tag, str)), None
        )
    except etree.XMLSyntaxError as error:
        raise NotASitemap(f"it is no XML ({error.msg})") from None
    if root is None:
        raise NotASitemap("it is no XML")
    name = _local(root.tag)
    if name not in _ROOTS:
        raise NotASitemap(f"its root is <{name}>")
    return _ROOTS[name]


def _parsed(start: bytes, event: str, tags: tuple[str, ...] | None = None) -> Any:
    return etree.iterparse(
        BytesIO(start),
        events=(event,),
        tag=tags,
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=True,
    )


def _whole(start: bytes) -> tuple[bytes, bool]:
    """Cuts what stands behind the last whole entry where the root is not closed: half an address.

    Returns whether it is open; a root that is empty is not, which only the parser sees.
    """
    if _ROOT_END.search(start):
        return start, False
    end = len(start)
    for number, match in enumerate(_ENTRY.finditer(start)):
        if match[1] or number == 0:
            end = match.end() if match[1] else match.start()
    return start[:end], True


def _escaped(match: re.Match[bytes]) -> bytes:
    return b"&amp;" if match[0] == b"&" else match[0]


@lru_cache(maxsize=256)
def _local(tag: str) -> str:
    """The tag without its namespace, also where it is no valid name."""
    return tag.rpartition("}")[2]


def _entry(element: Any) -> Entry | None:
    said: dict[str, str] = {}
    for child in element:
        tag = child.tag
        if not isinstance(tag, str):
            continue
        name, text = _local(tag), (child.text or "").strip()
        if name == "link" and not text and child.get("rel", "alternate") == "alternate":
            text = (child.get("href") or "").strip()
        if text:
            said.setdefault(name, text)
    location = said.get("loc" if _local(element.tag) in ("url", "sitemap") else "link")
    lastmod = next((_dated(said[name]) for name in _MODIFIED if name in said), None)
    return Entry(location, lastmod, said.get("title")) if location else None


def _dated(stated: str) -> str:
    """A date of RFC 822, which RSS has, as the others write theirs; every other as it stands."""
    return stated if " " not in stated else values.moment(stated) or stated


def _forget(element: Any) -> None:
    """Keeps memory flat: what was read is dropped."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]
