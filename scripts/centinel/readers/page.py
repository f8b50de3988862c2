"""Opens an HTML document: bytes to a clean tree, with its title and what was noticed."""

import re
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from centinel.readers.characters import removed_note
from centinel.readers.charset import decode
from centinel.readers.cleaning import clean, title_of
from centinel.readers.document import Document, GaveWay
from centinel.readers.tables import unfold_layout
from centinel.readers.tree import flatten, parse

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

LARGEST_PAGE = 10 * 1024 * 1024
"""Bytes.  A page of 50 MB takes 1.5 GB and 4 s to parse, and extraction over 20 s (measured)."""

MOST_ATTRIBUTES = 10_000
"""Of one tag.  The parser compares each with all before it: 60,000 take 9 s."""

_LONG_TAG = re.compile(r"<[a-z][^<>]{20000,}", re.IGNORECASE)
_CODE = re.compile(r"<(script|style)\b.*?</\1", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Page:
    """One parsed and cleaned page; the tree is the reader's own, to be cut as it likes."""

    tree: "Element"
    title: str | None
    notes: tuple[str, ...]


def open_page(document: Document) -> Page:
    """Returns the cleaned page; raises `GaveWay` where it is too large, or holds no element.

    It is opened once, and copied for each reader that asks: a copy takes a tenth of the time.
    """
    page = document.shared.get(Page.__name__) or _opened(document)
    document.shared[Page.__name__] = page
    return replace(page, tree=deepcopy(page.tree))


def _opened(document: Document) -> Page:
    size = document.path.stat().st_size
    if size > LARGEST_PAGE:
        raise GaveWay(f"page of {size} bytes is over the limit of {LARGEST_PAGE} bytes")
    decoded = decode(document.data, document.declared_type, markup=True)
    refuse_hostile(decoded.text)
    tree, cut = parse(decoded.text)
    deep = flatten(tree)
    characters, uris = clean(tree)
    unfold_layout(tree)
    notes = (*decoded.notes, cut, deep, removed_note(characters, uris))
    return Page(tree, title_of(tree), tuple(note for note in notes if note))


def refuse_hostile(html: str) -> None:
    """Raises `GaveWay` where one tag of `html` has more attributes than can be parsed."""
    if not _LONG_TAG.search(html):
        return
    tags = _LONG_TAG.findall(_CODE.sub("", html))  # "a<b" in a script opens no tag
    most = max((len(tag.split()) - 1 for tag in tags), default=0)
    if most > MOST_ATTRIBUTES:
        raise GaveWay(f"a tag with {most} attributes is over the limit of {MOST_ATTRIBUTES}")
