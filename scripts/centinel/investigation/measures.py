"""Measures of the front page: how much of it is text, links and script."""

import re
from dataclasses import asdict, dataclass

from centinel import enclosures
from centinel.investigation.seed import Seed
from centinel.readers.document import Document, GaveWay
from centinel.readers.markdown import link_share
from centinel.readers.page import open_page
from centinel.readers.tree import words
from centinel.record import Json
from centinel.report.wording import number, percent, size
from centinel.webpage import WebPage

_POSTBACK = re.compile(r"__doPostBack\s*\(", re.I)
_CAPTCHA = re.compile(r"recaptcha|hcaptcha|turnstile", re.I)
_BOXES = frozenset({"", "text", "search", "date", "number"})
"""Types of an input that somebody fills in."""


@dataclass(frozen=True)
class Measures:
    """What was measured on one page."""

    bytes: int
    characters: int
    """Of the text that a reader of ours sees."""
    link_share: float
    """How much of it is link text, from 0 to 1."""
    links: int
    script_bytes: int
    script_share: float
    """How much of the page is script, from 0 to 1."""
    enclosures: int
    enclosure_notes: tuple[str, ...]
    postback_links: int
    """Links that only send the page's form again."""
    post_boxes: int
    """Forms with a box to fill in, which are sent by POST."""
    has_captcha: bool

    def to_json(self) -> Json:
        """Returns them by name."""
        return {**asdict(self), "enclosure_notes": list(self.enclosure_notes)}

    def lines(self) -> list[str]:
        """Returns them for a person."""
        return [
            f"text: {number(self.characters)} characters, "
            f"{percent(100 * self.link_share)} of them link text",
            f"links: {number(self.links)}",
            f"script: {size(self.script_bytes)} of {size(self.bytes)}, "
            f"{percent(100 * self.script_share)} of the page",
            f"enclosures: {number(self.enclosures)}",
            *self.enclosure_notes,
        ]


def measure(seed: Seed) -> Measures | None:
    """Returns the measures of a page; None for what is none."""
    page = seed.page
    if page is None:
        return None
    characters, share = _text(seed)
    script = sum(len(text.encode("utf-8", "replace")) for text in page.scripts())
    found = enclosures.find(page, seed.asked)
    size_of_page = len(seed.content)
    return Measures(
        bytes=size_of_page,
        characters=characters,
        link_share=round(share, 3),
        links=sum(1 for _ in page.attributes("a", "href")),
        script_bytes=script,
        script_share=round(min(1.0, script / size_of_page), 3) if size_of_page else 0.0,
        enclosures=len(found.addresses),
        enclosure_notes=found.notes,
        postback_links=_postbacks(page),
        post_boxes=_post_boxes(page),
        has_captcha=any(_CAPTCHA.search(each) for each in page.attributes("script", "src")),
    )


def _text(seed: Seed) -> tuple[int, float]:
    """The characters that the readers see, and how much of them is link text."""
    answer = seed.fetched
    assert answer is not None
    assert seed.claim is not None
    try:
        tree = open_page(Document(answer.body.path, seed.claim.kind, answer.declared_type)).tree
    except GaveWay:
        return 0, 0.0
    body = tree.find("body")
    shown = tree if body is None else body
    return len(words(shown)), link_share(shown)


def _postbacks(page: WebPage) -> int:
    stated = (*page.attributes("a", "href"), *page.attributes("a", "onclick"))
    return sum(_POSTBACK.search(each) is not None for each in stated)


def _post_boxes(page: WebPage) -> int:
    return sum(
        any((each.get("type") or "").lower() in _BOXES for each in form.iter("input"))
        for form in page.tree.iter("form")
        if (form.get("method") or "get").strip().lower() == "post"
    )
