"""Takes out of a parsed page what is no text, in place, before anything reads it."""

import re
from html import unescape
from typing import TYPE_CHECKING

from centinel.readers.characters import one_line
from centinel.readers.tree import DROP, UNWRAP, find, take_out, text_of, words

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_DROPPED_TAGS = (
    *("script", "style", "noscript", "template", "svg", "button", "select", "datalist", "input"),
    *("iframe", "object", "embed", "applet", "canvas", "audio", "video", "map", "frameset"),
)

_HIDDEN = """//*[@hidden or @aria-hidden or @style or self::dialog][
    (@hidden and not(translate(@hidden, 'UNTILFOD', 'untilfod') = 'until-found'))
    or @aria-hidden = 'true'
    or contains(translate(@style, 'DISPLAYNOE ', 'displaynoe'), 'display:none')
    or contains(translate(@style, 'VISBLTYHDEN ', 'visbltyhden'), 'visibility:hidden')
    or (self::dialog and not(@open))]"""

_CONSENT = "//div[contains(@id, 'ook') or contains(@class, 'ook') or contains(@id, 'onetrust')]"
"""Any case of "cookie": a first sieve, in the one place where XPath is faster than Python."""

_CONSENT_NAME = re.compile(
    r"cookie[-_]?(?:banner|bar|consent|law|notice|popup)|^onetrust|cookiebot|cookieconsent", re.I
)
"""Names of consent banners, and no bare "cookie": that is also a class of whole bodies."""

_HOLDS_CONTENT = (
    "self::html or self::body or self::main or descendant::main or descendant::*[@role='main']"
)
"""Elements that no rule here drops: a wrapper is hidden until its script ran, a menu left open
by a forgotten end tag swallows the page."""

_NOWHERE = re.compile(r"(?:javascript|vbscript|data):", re.I)

_HEADING_BUTTON = "//button[ancestor::h2 or ancestor::h3 or ancestor::h4 or ancestor::summary]"
"""What opens a section that folds is the heading of it."""

_CONTENT = ".//p or .//table or .//h1 or .//h2 or .//h3 or .//article or .//main"
_LONG_FORM = 500
"""Characters; what a form asks for takes less."""


def clean(tree: "Element") -> tuple[int, int]:
    """Cleans `tree` in place; returns how many characters of how many data: URIs were in it."""
    from lxml import etree

    for button in find(tree, _HEADING_BUTTON):
        button.tag = UNWRAP
    etree.strip_elements(tree, *_DROPPED_TAGS, with_tail=False)
    drop(tree, _HIDDEN)
    drop(tree, _CONSENT, named=_CONSENT_NAME)
    data_uris = _data_uris(tree)
    _settle_links(tree)
    _settle_forms(tree)
    take_out(tree)
    return sum(data_uris), len(data_uris)


def drop(tree: "Element", xpath: str, named: re.Pattern[str] | None = None) -> None:
    """Removes what `xpath` finds (and `named` finds in its id or class), save what holds the
    page's content; text behind an element stays."""
    for element in find(tree, xpath):
        names = f"{element.get('id', '')} {element.get('class', '')}"
        if element.xpath(_HOLDS_CONTENT) or (named and not named.search(names)):
            continue
        element.tag = DROP
    take_out(tree)


def speak_images(tree: "Element") -> None:
    """Puts the description of an image in its place: an address of a picture is no text."""
    for image in find(tree, ".//img"):
        description = one_line(image.get("alt"))
        image.tag = UNWRAP if description else DROP
        image.text = f" {description} "  # or it would join the words around it
    take_out(tree)


def title_of(tree: "Element") -> str | None:
    """Returns the page's title on one line: `og:title`, else `<title>`, else the first `<h1>`."""
    metas = find(tree, "//meta[@property='og:title' or @name='og:title']")
    candidates = [meta.get("content") for meta in metas]
    elements = [*find(tree, "//title"), *find(tree, "//h1")]
    candidates += [text_of(element) for element in elements]
    # Twice escaped titles (&amp;amp;) are common enough to be undone once more.
    titles = (one_line(unescape(candidate or "")) for candidate in candidates)
    return next((title for title in titles if title), None)


def _data_uris(tree: "Element") -> list[int]:
    """Returns the length of each data: URI that images and links of the page carry."""
    names = ("src", "href", "srcset", "data-src")
    values = (
        element.get(name, "") for element in tree.iter("img", "a", "source") for name in names
    )
    return [len(value) for value in values if value.lstrip()[:5].lower() == "data:"]


def _settle_links(tree: "Element") -> None:
    """Resolves links where the page names its base, and unwraps those that lead nowhere."""
    base = next((base.get("href") for base in find(tree, "//base[@href]")), None)
    for link in find(tree, "//a"):
        address = re.sub(r"[\t\r\n]", "", link.get("href", "")).strip()
        leads = address not in ("", "#") and not _NOWHERE.match(address)
        if leads and (words(link) or link.xpath(".//img[@alt != '']")):
            link.set("href", _resolved(base, address))
        else:
            link.tag = UNWRAP
        link.attrib.pop("title", "")


def _resolved(base: str | None, address: str) -> str:
    """Returns `address` against `base`; as it is where there is no base or it cannot be parsed."""
    if not base or address.startswith("#"):
        return address
    from urllib.parse import urljoin

    try:
        return urljoin(base.strip(), address)
    except ValueError:
        return address


def _settle_forms(tree: "Element") -> None:
    """Makes a form that wraps content a block (a WebForms page is one form); keeps labels apart."""
    for form in find(tree, "//form"):
        if form.xpath(_CONTENT) or len(words(form)) > _LONG_FORM:
            form.tag = "div"
    for label in find(tree, "//label|//legend"):
        label.tail = f" {label.tail or ''}"
