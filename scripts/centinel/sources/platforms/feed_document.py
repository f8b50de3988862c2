"""Reads one document of RSS 2.0, RSS 1.0 (RDF) or Atom, tolerantly."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from centinel.sources.platforms import values

_ROOTS = frozenset({"rss", "RDF", "feed"})
_ENTRIES = frozenset({"item", "entry"})
_MODIFIED = ("updated", "modified", "date", "pubDate", "published", "issued")
"""The first of these that an entry has says when it was changed."""

_NEXT = ("next", "prev-archive")
"""Links of RFC 5005 to more entries: the next page (section 3), the archive before (section 4)."""

_ROOT_END = re.compile(rb"</(?:[\w.-]+:)?(?:rss|RDF|feed)\s*>")
_EMPTY_ROOT = re.compile(rb"<(?:[\w.-]+:)?(?:rss|RDF|feed)\b[^<>]*/>\s*\Z")
_ENTRY_START = re.compile(rb"<(?:[\w.-]+:)?(?:item|entry)[\s/>]")
_ENTRY_END = re.compile(rb"</(?:[\w.-]+:)?(?:item|entry)\s*>")
_AMPERSAND = re.compile(
    rb"<!\[CDATA\[(?:.*?\]\]>|.*)|<!--(?:.*?-->|.*)"
    rb"|&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9A-Fa-f]+);)",
    re.S,
)
"""An `&` that stands for itself, or what such a one may stand in."""


@dataclass(frozen=True)
class FeedEntry:
    """One entry, as it stands in the document; addresses are absolute where they can be."""

    link: str | None
    identifier: str | None
    title: str | None
    lastmod: str | None
    files: tuple[str, ...]
    fragment: bytes
    """The element with the namespaces that it needs, in UTF-8."""


@dataclass
class FeedDocument:
    """One document of a feed."""

    entries: list[FeedEntry] = field(default_factory=list)
    following: str | None = None
    is_complete: bool = False
    """Whether it says that it holds everything (RFC 5005, section 2)."""
    total: int | None = None
    """`totalResults` of OpenSearch 1.1, where it is stated."""
    generator: str | None = None
    is_cut: bool = False
    """Whether it ends in the middle; the half entry at its end is left out."""


def parse(content: bytes, base: str) -> FeedDocument:
    """Returns what a feed says; raises Unreadable."""
    if values.is_web_page(content):
        raise values.Unreadable(values.WEB_PAGE)
    whole, is_cut = _whole(content.removeprefix(b"\xef\xbb\xbf").lstrip())
    root = _root(whole, base)
    name = _local(root) if root is not None else None
    if root is None or name not in _ROOTS:
        found = f"its root is <{name}>" if name else "no XML"
        raise values.Unreadable(f"{values.CHANGED}: no feed ({found})")
    document = FeedDocument(is_cut=is_cut)
    for element in _elements(root):
        if _local(element) in _ENTRIES:
            document.entries.append(_entry(element))
            continue
        _take(document, element)
    return document


def _whole(content: bytes) -> tuple[bytes, bool]:
    """Drops the half entry behind the last whole one where the root is not closed."""
    last = _last(_ENTRY_END, content)
    if _last(_ROOT_END, content) > last or _EMPTY_ROOT.search(content):
        return content, False
    if not last:
        first = _ENTRY_START.search(content)
        last = first.start() if first else len(content)
    return content[:last], True


def _last(pattern: re.Pattern[bytes], content: bytes) -> int:
    """Where the last match ends; 0 for none."""
    return max((match.end() for match in pattern.finditer(content)), default=0)


def _root(content: bytes, base: str) -> Any:
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True
    )
    escaped = _AMPERSAND.sub(lambda match: b"&amp;" if match[0] == b"&" else match[0], content)
    try:
        return etree.fromstring(escaped, parser, base_url=base)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _elements(root: Any) -> Iterator[Any]:
    """The children of the root, and of the channel of RSS."""
    for child in root:
        if isinstance(child.tag, str):
            yield child
            if _local(child) == "channel":
                yield from (each for each in child if isinstance(each.tag, str))


def _take(document: FeedDocument, element: Any) -> None:
    """Takes what the feed says of itself."""
    name = _local(element)
    if name == "link" and element.get("rel") in _NEXT:
        following = _absolute(element, element.get("href"))
        if following and (element.get("rel") == _NEXT[0] or not document.following):
            document.following = following
    elif name == "complete":
        document.is_complete = True
    elif name == "totalResults":
        document.total = values.count(element.text)
    elif name == "generator":
        document.generator = values.text(element.text)


def _entry(element: Any) -> FeedEntry:
    said, files, permalink = _children(element)
    about = next((value for key, value in element.attrib.items() if key.endswith("}about")), None)
    modified = next((said[name] for name in _MODIFIED if name in said), None)
    return FeedEntry(
        link=said.get("link") or permalink or _if_whole(about),
        identifier=said.get("guid") or said.get("id") or values.text(about),
        title=said.get("title"),
        lastmod=values.moment(modified),
        files=tuple(files),
        fragment=etree.tostring(element, encoding="utf-8", with_tail=False),
    )


def _children(element: Any) -> tuple[dict[str, str], list[str], str | None]:
    """What the children say by their names, the files, and a guid that is a permalink.

    What is of the entry's own vocabulary goes before what extensions call the same.
    """
    own: dict[str, str] = {}
    foreign: dict[str, str] = {}
    files: list[str] = []
    permalink = None
    for child in element:
        if not isinstance(child.tag, str):
            continue
        name = _local(child)
        file, stated = _file(child, name), _stated(child, name)
        files += [file] if file else []
        if stated:
            is_own = _namespace(child) == _namespace(element)
            (own if is_own else foreign).setdefault(name, stated)
        if name == "guid" and (child.get("isPermaLink") or "true").strip().lower() != "false":
            permalink = _if_whole(child.text)
    return {**foreign, **own}, files, permalink


def _stated(child: Any, name: str) -> str | None:
    """What a child of an entry says: a link its address, all else its text."""
    if name == "link":
        if child.get("rel", "alternate") != "alternate":
            return None
        return _absolute(child, child.get("href") or child.text)
    return values.text("".join(child.itertext()))


def _file(child: Any, name: str) -> str | None:
    """The address of a file that a child names: RSS `enclosure`, Atom `link rel=enclosure`."""
    if name == "enclosure":
        resource = next(
            (value for key, value in child.attrib.items() if key.endswith("}resource")), None
        )
        return _absolute(child, child.get("url") or resource)
    if name == "link" and child.get("rel") == "enclosure":
        return _absolute(child, child.get("href"))
    return None


def _absolute(element: Any, stated: str | None) -> str | None:
    """An address, resolved against `xml:base` and the document's own."""
    address = values.text(stated)
    if address is None:
        return None
    try:
        return urljoin(element.base or "", address)
    except ValueError:
        return None


def _if_whole(stated: str | None) -> str | None:
    """An id that is a whole address: most are none, and would resolve to nonsense."""
    address = values.text(stated)
    return address if address and address.lower().startswith(("http://", "https://")) else None


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _namespace(element: Any) -> str:
    return str(element.tag).rpartition("}")[0]
