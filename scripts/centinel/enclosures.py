"""Documents that a page carries at their own address: one level, same host, at most 25 a page."""

import html
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from centinel import addresses, kinds
from centinel.answers import disposition_name
from centinel.sources.source_kind import Parts
from centinel.webpage import WebPage

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MOST = 25
"""The rest is counted; the busiest real page that was measured had 10."""

_ATTRIBUTES = (("embed", "src"), ("object", "data"), ("iframe", "src"), ("a", "href"))
_EXTENSIONS = "|".join(
    sorted(each for row in kinds.FORMATS if row.enclosed for each in row.extensions)
)
_LITERAL = re.compile(
    rf"""(?<!\\)(["'`])((?:(?!\1)[^\\\n<>]|\\.){{1,2000}}?\.(?:{_EXTENSIONS})(?:[?#](?:(?!\1)[^\\\n<>]|\\.){{0,2000}})?)\1""",
    re.I,
)
_NEAR = 80
"""Characters around a literal in which a `+` makes it a piece of a concatenation."""

_OTHER_SCHEME = re.compile(r"(?!https?:)[a-z][a-z0-9+.-]*:", re.I)
_UNICODE_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})")


def find(page: WebPage, address: str) -> Parts:
    """Returns the documents that a page encloses, in the order in which it names them.

    `address` is the page's own. Only the host (and port) that served the page counts, and only
    extensions that the table of kinds calls worth fetching; an address without an extension where
    the page marks the link as a document, or a product that is known serves documents so: the
    headers of its answer then decide (`no_document`).
    """
    found: dict[str, str | None] = {}
    for candidate in _candidates(page):
        target = addresses.canonical(candidate, page.base)
        if target and addresses.host(target) == addresses.host(page.final_url):
            found.setdefault(target, addresses.original(candidate, page.base))
    for own in (address, page.final_url):
        found.pop(own, None)
    kept = tuple(found)[:MOST]
    dropped = len(found) - len(kept)
    notes = (f"{dropped} enclosures more than {MOST} were not taken",) if dropped else ()
    return Parts(kept, notes, {each: stated for each in kept if (stated := found[each])})


def no_document(headers: Mapping[str, str]) -> str | None:
    """Returns why an answer is no document, by its headers; None where it is one."""
    declared = headers.get("content-type")
    name = disposition_name(headers.get("content-disposition"))
    if kinds.is_enclosed(addresses.file_extension(name or "")) or kinds.is_enclosed_type(declared):
        return None
    return f"no document: {kinds.media_type(declared) or 'no type'}"


def _last_segment(candidate: str) -> str:
    return candidate.partition("?")[0].partition("#")[0].rpartition("/")[2]


def _candidates(page: WebPage) -> Iterator[str]:
    """Yields addresses that look like documents; most links are to pages, and are dropped here."""
    for tag, attribute in _ATTRIBUTES:
        for element in page.elements(tag):
            value = (element.get(attribute) or "").strip()
            extension = addresses.file_extension(_last_segment(value))
            if kinds.is_enclosed(extension) or (not extension and _is_marked(element, value)):
                yield value
            yield from _in_parameters(value)
    for script in page.scripts():
        yield from _literals(script)


_PRODUCTS = re.compile(
    r"/DocumentCenter/View/\d+|/ViewFile/|/Download(?:File|FileBytes)/|/ShowDocument\b|/MetaViewer\.php"
    r"|/View\.ashx\?|/documents?/download/|/media/\d+/download\b",
    re.I,
)
"""How products that many towns use address their documents; keyed on a product, never a town."""

_MARK = re.compile(r"[\[(]\s*(?:pdf|word|excel|powerpoint|docx?|xlsx?|pptx?|odt|ods|csv)\b", re.I)
_CLASS = re.compile(
    r"(?:^|[\s_-])(?:pdf|docx?|xlsx?|file-?download|document-?link)(?:$|[\s_-])", re.I
)


def _is_marked(element: "Element", value: str) -> bool:
    """Whether the page says that a link without an extension leads to a document."""
    if not value or _OTHER_SCHEME.match(value) or value.startswith("#"):
        return False
    if kinds.is_enclosed_type(element.get("type")) or element.get("download") is not None:
        return True
    if _PRODUCTS.search(value) or _CLASS.search(element.get("class") or ""):
        return True
    return _MARK.search(" ".join(map(str, element.itertext()))) is not None


def _in_parameters(value: str) -> Iterator[str]:
    """Yields documents that a viewer's address carries in a parameter (`viewer.html?file=…`)."""
    query = value.partition("?")[2].partition("#")[0]
    if "." in query and not _OTHER_SCHEME.match(value):
        for _, stated in parse_qsl(query):
            if kinds.is_enclosed(addresses.file_extension(_last_segment(stated))):
                yield stated


def _literals(script: str) -> Iterator[str]:
    """Yields whole quoted literals that end like a document; never a piece of a concatenation."""
    for match in _LITERAL.finditer(script):
        before = script[max(0, match.start() - _NEAR) : match.start()].rstrip()
        after = script[match.end() : match.end() + _NEAR].lstrip()
        if before.endswith("+") or after.startswith("+") or "${" in match[2]:
            continue
        text = _unescaped(match[2])
        if kinds.is_enclosed(addresses.file_extension(_last_segment(text))):
            yield text


def _unescaped(literal: str) -> str:
    """Undoes what scripts, JSON and HTML escape in an address."""
    text = _UNICODE_ESCAPE.sub(lambda match: chr(int(match[1], 16)), literal)
    return html.unescape(text.replace("\\/", "/"))
