"""Finds the part of a page that the page itself declares to be its content."""

from typing import TYPE_CHECKING

from centinel.readers.cleaning import drop
from centinel.readers.document import GaveWay
from centinel.readers.tree import find, words

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_CHROME = """//nav | //aside | //footer | //*[@role='navigation' or @role='complementary'
    or @role='contentinfo' or @role='search' or @aria-label='breadcrumb']"""

_WIDEST_FIRST = {
    "main": "//main",
    "[role=main]": "//*[@role='main']",
    "#main-content": "//*[@id='main-content']",
    ".main-content": "//*[contains(concat(' ', normalize-space(@class), ' '), ' main-content ')]",
}
"""Widest first: on some templates the record stands between `<main>` and its `<article>`."""

_ARTICLES = "//article[not(ancestor::article)]"

_MOST = 0.5
"""Share of a whole that one part must hold to stand for it."""


def prune(tree: "Element") -> None:
    """Removes navigation, asides and footers from `tree`, in place."""
    drop(tree, _CHROME)


def marked_region(tree: "Element") -> tuple[str, "Element"]:
    """Returns the selector and the element of the declared region, pruned of navigation in place.

    Raises `GaveWay` where the page declares none, or none that holds text.  Of several articles
    one is the region if it alone has a first-level heading, or holds most of their text.  Else
    they are a list, and the region is what holds them all, if that is most of the page: teasers
    beside an article that is not marked are a list as well.
    """
    prune(tree)
    declared = False
    for selector, xpath in _WIDEST_FIRST.items():
        for element in find(tree, xpath):
            declared = True
            if words(element):
                return selector, element
    articles = [(len(words(article)), article) for article in find(tree, _ARTICLES)]
    if not any(length for length, _ in articles):
        found = "the declared region holds no text" if declared or articles else None
        raise GaveWay(found or "the page declares no main region")
    titled = [article for _, article in articles if article.xpath(".//h1")]
    length, largest = max(articles, key=lambda pair: pair[0])
    if len(titled) == 1 and words(titled[0]):
        return "article", titled[0]
    if length >= _MOST * sum(length for length, _ in articles):
        return "article", largest
    holder = _common_ancestor([article for length, article in articles if length])
    if len(words(holder)) < _MOST * len(words(tree)) or holder.tag in ("body", "html"):
        raise GaveWay(f"{len(articles)} articles, none of which is the page's own")
    return "the list of articles", holder


def _common_ancestor(elements: list["Element"]) -> "Element":
    """Returns the nearest element that holds all of `elements`."""
    others = [set(element.iterancestors()) for element in elements[1:]]
    shared = (
        ancestor
        for ancestor in elements[0].iterancestors()
        if all(ancestor in ancestors for ancestors in others)
    )
    return next(shared)
