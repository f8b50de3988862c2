"""Documents that a page carries at their own address: one level, same host, at most 25 a page."""

import html
import re
from collections.abc import Iterator
from typing import Any

import lxml.html

from centinel import addresses, kinds
from centinel.sources.source_kind import Parts

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

_UNICODE_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})")


def find(body: bytes, final_url: str, address: str) -> Parts:
    """Returns the documents that a page encloses, in the order in which it names them.

    `final_url` is the base of relative addresses unless the page sets another. Only the page's own
    host (and port) counts, and only extensions that the table of kinds calls worth fetching.
    """
    tree = _parsed(body)
    if tree is None:
        return Parts()
    base = _base(tree, final_url)
    found: dict[str, None] = {}
    for candidate in _candidates(tree):
        # Most links are to pages: those are dropped before the dear work on their address.
        if not kinds.is_enclosed(addresses.file_extension(_last_segment(candidate))):
            continue
        target = addresses.canonical(candidate, base)
        if target and _is_enclosed(target, final_url) and target not in (address, final_url):
            found[target] = None
    kept = tuple(found)[:MOST]
    dropped = len(found) - len(kept)
    notes = (f"{dropped} enclosures more than {MOST} were not taken",) if dropped else ()
    return Parts(kept, notes)


def _last_segment(candidate: str) -> str:
    return re.split(r"[?#]", candidate, maxsplit=1)[0].rpartition("/")[2]


def _parsed(body: bytes) -> Any:
    if not body.strip():
        return None
    parser = lxml.html.HTMLParser(
        huge_tree=True, remove_comments=True, no_network=True, encoding=_encoding(body)
    )
    try:
        return lxml.html.document_fromstring(body, parser=parser)
    except (lxml.etree.ParserError, ValueError):
        return None


def _encoding(body: bytes) -> str | None:
    """UTF-8 where the bytes are; without a declaration in the page, lxml would take Latin-1."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return "utf-8"


def _base(tree: Any, final_url: str) -> str:
    for element in tree.iter("base"):
        stated = addresses.canonical(element.get("href") or "", final_url)
        if stated:
            return stated
    return final_url


def _candidates(tree: Any) -> Iterator[str]:
    for tag, attribute in _ATTRIBUTES:
        for element in tree.iter(tag):
            value = (element.get(attribute) or "").strip()
            if value:
                yield value
    for script in tree.iter("script"):
        yield from _literals(script.text or "")


def _literals(script: str) -> Iterator[str]:
    """Yields whole quoted literals that end like a document; never a piece of a concatenation."""
    for match in _LITERAL.finditer(script):
        before = script[max(0, match.start() - _NEAR) : match.start()].rstrip()
        after = script[match.end() : match.end() + _NEAR].lstrip()
        if not before.endswith("+") and not after.startswith("+") and "${" not in match[2]:
            yield _unescaped(match[2])


def _unescaped(literal: str) -> str:
    """Undoes what scripts, JSON and HTML escape in an address."""
    text = _UNICODE_ESCAPE.sub(lambda match: chr(int(match[1], 16)), literal)
    return html.unescape(text.replace("\\/", "/"))


def _is_enclosed(target: str, final_url: str) -> bool:
    return addresses.host(target) == addresses.host(final_url) and kinds.is_enclosed(
        addresses.extension(target)
    )
