"""Main-content extraction, and what it may not leave out of a public body's page."""

import re
from typing import TYPE_CHECKING

from centinel.readers.tree import parse, words

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_DOCUMENT = re.compile(r"\.(?:pdf|docx?|xlsx?|pptx?|csv|od[tsp]|rtf|epub|zip)(?:[?#]|$)", re.I)

MOST_ELEMENTS = 50_000
"""Of one page.  Extraction takes 0.1 to 0.2 ms for each; more are lists and tables, not prose."""


def too_many(tree: "Element") -> str | None:
    """Returns why `tree` is too much for the extractor, `None` where it is not."""
    count = sum(1 for _ in tree.iter())
    return f"{count} elements are too many for the extractor" if count > MOST_ELEMENTS else None


def extract(tree: "Element") -> "Element | None":
    """Returns the main content of `tree` by trafilatura, `None` where it finds none.

    As HTML with tables and links: its own markdown drops headings and headerless tables.  In its
    precise mode: the other one ends in the text of the whole page, menus and all, without marks.
    Takes 15 to 20 ms a page, four fifths of what reading one costs.
    """
    import logging

    import trafilatura

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # it warns of every empty page
    html = trafilatura.extract(
        tree,
        output_format="html",
        include_tables=True,
        include_links=True,
        include_comments=False,
        favor_precision=True,
    )
    content = parse(html)[0] if html else None
    return content if content is not None and words(content) else None


def document_links(element: "Element") -> set[str]:
    """Returns the addresses under `element` whose extension says that a document is there."""
    addresses = (link.get("href", "") for link in element.iter("a"))
    return {address for address in addresses if _DOCUMENT.search(address)}


def table_rows(element: "Element") -> int:
    """Returns how many table rows with text are under `element`."""
    return sum(1 for row in element.iter("tr") if words(row))
