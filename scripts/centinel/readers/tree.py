"""A parsed page: how it is made, searched and measured, and how parts of it are taken out."""

from typing import TYPE_CHECKING, cast

from centinel.readers.document import GaveWay

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

DROP, UNWRAP = "centinel-drop", "centinel-unwrap"
"""Names that condemned elements bear until `take_out` removes all of them at once."""

_DEEPEST = 256
"""Levels.  The converter loses text somewhere above 1,000, and browsers stop at 512; what is left
inside is text without its blocks."""


def parse(html: str) -> tuple["Element", str | None]:
    """Returns the tree of `html`, and a note where the parser cut it; raises `GaveWay` where no
    element is in it."""
    from lxml import etree
    from lxml.html import HTMLParser, document_fromstring

    # Without huge_tree a text of 10 MB vanishes without a word.
    parser = HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        tree: Element = document_fromstring(html.encode("utf-8", "replace"), parser=parser)
    except etree.ParserError as error:
        raise GaveWay(f"no HTML in it: {error}") from error
    deep = any("depth" in entry.message for entry in parser.error_log)
    return tree, "what is nested too deep for the parser was cut" if deep else None


def flatten(tree: "Element") -> str | None:
    """Unwraps in place what is nested deeper than `_DEEPEST`; returns a note where anything is."""
    deep = find(tree, "/*" * _DEEPEST)
    for element in deep:
        for descendant in element.iterdescendants():
            descendant.tag = UNWRAP
            descendant.tail = f"\n{descendant.tail or ''}"
    take_out(tree)
    return f"what is nested deeper than {_DEEPEST} levels was flattened" if deep else None


def alone(element: "Element") -> "Element":
    """Returns the body of a new page that holds nothing but `element`, taken from its own."""
    body = find(parse("<body></body>")[0], "//body")[0]
    element.tail = None
    body.append(element)
    return body


def find(tree: "Element", xpath: str) -> list["Element"]:
    """Returns the elements that `xpath` selects, in document order."""
    return cast("list[Element]", tree.xpath(xpath))


def text_of(element: "Element") -> str:
    """Returns the text of `element` as it stands, without what follows it."""
    from lxml import etree

    return str(etree.tostring(element, method="text", encoding="unicode", with_tail=False))


def words(element: "Element") -> str:
    """Returns the text of `element`, white space folded; what lengths are measured on."""
    return " ".join(text_of(element).split())


def take_out(tree: "Element") -> None:
    """Removes the elements named `DROP` with what is in them, and the tags named `UNWRAP`."""
    from lxml import etree

    etree.strip_elements(tree, DROP, with_tail=False)
    etree.strip_tags(tree, UNWRAP)
