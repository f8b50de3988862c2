"""The three readers of HTML: the region that a page marks, its main content, the whole page.

All three keep links as markdown links, in the marked region too: what a public body's page links
to is half of what it says.  Whether a text is a menu is measured on characters of link text, never
on addresses, so that keeping them does not make a menu of a page (nor hide one).
Addresses stay as the page wrote them (what no address may hold is percent-encoded), because pages
with the same bytes share one text wherever they were found; only a `<base href>` of the page itself
changes them.

On the 181 pages of the article extraction benchmark the three in order reach F1 0.97 (words alone).
"""

from typing import TYPE_CHECKING

from centinel.readers.document import Document, FunctionReader, GaveWay, Reading
from centinel.readers.extraction import document_links, extract, table_rows, too_many
from centinel.readers.markdown import link_share, menu_note, settle, to_markdown
from centinel.readers.page import Page, open_page
from centinel.readers.region import marked_region, prune
from centinel.readers.tree import alone, words

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

KEPT_AT_LEAST = 0.5
SPARSE_LINKS = 0.15
"""The extractor is overruled where it keeps less than half of a text that is under 15 % link
text: costs nothing on the benchmark, and saves reference pages (recall 0.92 without)."""

KEPT_ROWS_AT_LEAST = 0.9
"""Share of a region's table rows; one lost heading row is no loss."""

SHORT_REGION = 500
"""Characters.  A marked region this short is the record itself, nothing is to be cut from it."""

SHORT_ARTICLE = 200
"""Characters.  Below, the extractor may have taken the wrong block: a 123-character record was
right where the page was 29,099 characters of menu, a 378-character telephone block was not."""

LOST_DOCUMENTS = 3
"""Links to documents whose loss makes an extracted article suspect; articles lose one or two."""

_KINDS = frozenset({"html"})
_PARSERS = ("lxml", "w3lib", "charset_normalizer", "html_to_markdown")
_INSTALL = "pip install lxml w3lib charset-normalizer trafilatura 'html-to-markdown>=3.20,<4'"


def read_marked(document: Document) -> Reading:
    """Returns the region that the page declares, through the main-content extractor unless that
    loses what the region is for; raises `GaveWay` where none is declared or none holds text."""
    page = open_page(document)
    selector, found = marked_region(page.tree)
    region = alone(found)
    content, note = _content_of(region)
    return _reading(page, content, f"marked region: {selector}", note)


def read_readability(document: Document) -> Reading:
    """Returns the main content that trafilatura finds in the page; raises `GaveWay` where there is
    none, or where it is so short or so incomplete that the whole page says more."""
    page = open_page(document)
    if reason := too_many(page.tree):
        raise GaveWay(reason)
    content = extract(page.tree)
    if content is None:
        raise GaveWay("no main content found")
    length, body = len(words(content)), _body(page)
    whole_is_menu = _is_menu(body)
    prune(body)
    kept = length / max(1, len(words(body)))
    documents, found = document_links(body), document_links(content)
    lost = len(documents - found)
    left_out = f"the main content leaves out {lost} of {len(documents)} links to documents"
    if lost >= LOST_DOCUMENTS and lost > len(found):
        raise GaveWay(left_out)
    if length < SHORT_ARTICLE and (_is_menu(content) or not whole_is_menu):
        raise GaveWay(f"short article ({length} characters), the whole page holds more")
    if length >= SHORT_ARTICLE and kept < KEPT_AT_LEAST and link_share(body) < SPARSE_LINKS:
        raise GaveWay(f"the main content is {kept:.0%} of a page of prose")
    short = f"short article ({length} characters) beside a menu" if length < SHORT_ARTICLE else None
    return _reading(page, content, short, left_out if lost else None)


def read_whole_page(document: Document) -> Reading:
    """Returns everything that the page shows; raises `GaveWay` only where that is nothing."""
    page = open_page(document)
    reading = _reading(page, _body(page))
    if not reading.text:
        raise GaveWay("; ".join(("the page shows no text", *page.notes)))
    return reading


def _content_of(region: "Element") -> tuple["Element", str | None]:
    """Returns what to keep of a marked region, and a note where that needs saying."""
    length = len(words(region))
    if length < SHORT_REGION:
        return region, None
    if reason := too_many(region):
        return region, f"taken whole: {reason}"
    article = extract(region)
    if article is None:
        return region, "taken whole: the extractor found no main content in it"
    kept = len(words(article)) / length
    documents = len(document_links(region) - document_links(article))
    rows, kept_rows = table_rows(region), table_rows(article)
    overruled = {
        f"kept {kept * length:.0f} of {length} characters": kept * length < SHORT_ARTICLE,
        f"kept {kept:.0%} of it": kept < KEPT_AT_LEAST and link_share(region) < SPARSE_LINKS,
        f"dropped {documents} links to documents": documents > 0,
        f"dropped {rows - kept_rows} table rows": kept_rows < KEPT_ROWS_AT_LEAST * rows,
    }
    for reason, holds in overruled.items():
        if holds:
            return region, f"taken whole: the extractor {reason}"
    return article, f"the extractor kept {kept:.0%} of it" if kept < KEPT_AT_LEAST else None


def _body(page: Page) -> "Element":
    """Returns the body of `page`, the whole tree where it has none."""
    body = page.tree.find("body")
    return page.tree if body is None else body


def _is_menu(element: "Element") -> bool:
    return menu_note(link_share(element)) is not None


def _reading(page: Page, element: "Element", *notes: str | None) -> Reading:
    """Returns `element` as a reading of `page`, with all that was noticed on the way."""
    settle(element)
    menu = menu_note(link_share(element))
    kept = tuple(note for note in (*notes, *page.notes, menu) if note)
    return Reading(to_markdown(element), page.title, kept)


marked = FunctionReader(
    "marked", _KINDS, read_marked, "trafilatura", (*_PARSERS, "trafilatura"), _INSTALL
)
readability = FunctionReader(
    "readability", _KINDS, read_readability, "trafilatura", (*_PARSERS, "trafilatura"), _INSTALL
)
whole_page = FunctionReader(
    "whole_page", _KINDS, read_whole_page, "html-to-markdown", _PARSERS, _INSTALL
)

READERS = (marked, readability, whole_page)
