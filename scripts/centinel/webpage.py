"""A page as acquire looks at it: its links, its title, and the text that a person sees."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from lxml import etree

from centinel import addresses
from centinel.answers import Fetched
from centinel.readers.charset import decode
from centinel.readers.document import GaveWay
from centinel.readers.page import LARGEST_PAGE, refuse_hostile

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_UNSEEN = ("script", "style", "noscript", "template")
_SHELL = frozenset({*_UNSEEN, "head", "title"})


@dataclass(frozen=True)
class WebPage:
    """One parsed page; the tree is shared and not to be changed."""

    tree: "Element"
    final_url: str

    @cached_property
    def base(self) -> str:
        """What relative addresses are relative to: `<base href>`, else the served address."""
        for element in self.tree.iter("base"):
            stated = addresses.canonical(element.get("href") or "", self.final_url)
            if stated:
                return stated
        return self.final_url

    def elements(self, tag: str) -> Iterator["Element"]:
        """Yields the elements of a name, in document order."""
        return self.tree.iter(tag)

    def attributes(self, tag: str, attribute: str) -> Iterator[str]:
        """Yields the non-empty values of an attribute, in document order."""
        for element in self.tree.iter(tag):
            value = (element.get(attribute) or "").strip()
            if value:
                yield value

    def scripts(self) -> Iterator[str]:
        """Yields the text of each script on the page."""
        for element in self.tree.iter("script"):
            yield element.text or ""

    def forms(self) -> list[str]:
        """Returns where each form is posted to; empty for one that is not posted."""
        return [
            (each.get("action") or "").strip()
            if (each.get("method") or "").lower() == "post"
            else ""
            for each in self.tree.iter("form")
        ]

    @cached_property
    def title(self) -> str:
        """The page's title with its white space folded; empty where it has none."""
        element = next(self.tree.iter("title"), None)
        return (
            " ".join("".join(map(str, element.itertext())).split()) if element is not None else ""
        )

    @cached_property
    def text(self) -> str:
        """The text that is not in scripts, styles and the head, with its white space folded."""
        words: list[str] = []
        skipped: Element | None = None
        for event, element in etree.iterwalk(self.tree, events=("start", "end")):
            if skipped is not None:
                if event == "end" and element is skipped:
                    skipped = None
                    words.append(element.tail or "")
                continue
            if event == "end":
                words.append(element.tail or "")
            elif element.tag in _SHELL:
                skipped = element
            else:
                words.append(element.text or "")
        return " ".join(" ".join(words).split())


_last: tuple[tuple[str, str | None, str], WebPage | None] | None = None
"""The page that was opened last: several ask for it while it is being acquired."""


def page_of(fetched: Fetched) -> WebPage | None:
    """Returns the page that an answer holds, parsed once; None as `open_page` does."""
    global _last
    key = (fetched.body.sha256, fetched.declared_type, fetched.final_url)
    if _last is None or _last[0] != key:
        _last = (key, open_page(fetched.body.content(), fetched.declared_type, fetched.final_url))
    return _last[1]


def open_page(body: bytes, declared_type: str | None, final_url: str) -> WebPage | None:
    """Returns the parsed page; None where it is too large, hostile or holds no element.

    The limits are the readers': a page that they refuse to parse is not parsed here either.
    """
    if not body.strip() or len(body) > LARGEST_PAGE:
        return None
    text = decode(body, declared_type, markup=True).text
    try:
        refuse_hostile(text)
        return WebPage(_tree(text), final_url)
    except (GaveWay, etree.LxmlError, ValueError):
        return None


def _tree(text: str) -> "Element":
    """The tree of plain elements: those of lxml.html cost a call each when they are looked at."""
    parser = etree.HTMLParser(
        encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, no_network=True
    )
    tree: Element | None = etree.fromstring(text.encode("utf-8", "replace"), parser=parser)
    if tree is None:
        raise ValueError("no element in it")
    return tree


_STAMP = re.compile(
    r"""
    \b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b     # a UUID
    | \b(?=\w*\d)(?=\w*[A-Za-z])[\w-]{20,}\b            # a token: long, letters and digits
    | \b\d{1,2}:\d{2}:\d{2}(?:\.\d+)?\b                 # a time of day to the second
    | \b\d{10}(?:\d{3})?\b                              # seconds or milliseconds of the epoch
    """,
    re.X | re.I,
)
"""What pages stamp on themselves at each request. A time to the minute is content: a meeting's."""

_DURATION = re.compile(r"\b\d+(?:[.,]\d+)? ?(?:ms|milliseconds|seconds|secs?)\b", re.I)


def without_stamps(text: str) -> str:
    """Returns the text without tokens and stamps that differ from request to request."""
    # Word by word: every stamp has a digit, and most words are letters.
    words = [
        each if each.isalpha() or each.rstrip(".,;:!?").isalpha() else _STAMP.sub("", each)
        for each in text.split(" ")
    ]
    kept = " ".join(words)
    lowered = kept.lower()
    return _DURATION.sub("", kept) if "sec" in lowered or "ms" in lowered else kept
