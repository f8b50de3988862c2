"""Who wrote a directory listing: what each server puts into its own, and no other page has."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from centinel.readers.tree import text_of

FEWEST_LINKS = 2
"""A page that is only about listings has their words, but not their links."""

_INDEX_OF = re.compile(r"index of /", re.I)
_DIRECTORY_LISTING = re.compile(r"directory listing for /", re.I)
_HOST_AND_PATH = re.compile(r"[\w.-]+(?::\d+)? - /")
_APACHE_SORT = re.compile(r"\?C=[NMSD];O=[AD]")
_FANCYINDEX_SORT = re.compile(r"\?C=[NMSD]&O=[AD]")
_PARENT = "[to parent directory]"


@dataclass
class View:
    """A page as those look at it who ask what wrote it."""

    tree: Any

    @cached_property
    def links(self) -> list[Any]:
        return [each for each in self.tree.iter("a") if each.get("href") is not None]

    @cached_property
    def headings(self) -> list[str]:
        return [_text(each) for each in self.tree.iter("title", "h1", "h2")]

    def heading(self, pattern: re.Pattern[str]) -> str | None:
        """Returns how the page is headed, where that begins like this."""
        said = next((each for each in self.headings if pattern.match(each)), None)
        return None if said is None else f'its heading is "{said[:100]}"'

    def linked(self, pattern: re.Pattern[str]) -> int:
        """Returns how many links go to what is like this."""
        return sum(pattern.match(each.get("href")) is not None for each in self.links)

    def has(self, tag: str, name: str | None = None) -> bool:
        """Returns whether there is an element, of a class where one is named."""
        return any(
            name is None or name in (each.get("class") or "").split()
            for each in self.tree.iter(tag)
        )


def _text(element: Any) -> str:
    return " ".join(text_of(element).split())


def _iis(view: View) -> str | None:
    if any(_text(link).lower() == _PARENT for link in view.links):
        return f'it links to "{_PARENT}"'
    twice = len(view.headings) > 1 and view.headings[0] == view.headings[1]
    return view.heading(_HOST_AND_PATH) if twice and view.has("pre") else None


def _caddy(view: View) -> str | None:
    signed = any("//caddyserver.com" in link.get("href") for link in view.links)
    listed = view.has("tr", "file") or view.has("span", "meta-item")
    return "it is served with Caddy, and has its rows" if signed and listed else None


def _python(view: View) -> str | None:
    return view.heading(_DIRECTORY_LISTING)


def _lighttpd(view: View) -> str | None:
    return view.heading(_INDEX_OF) if view.has("div", "foot") and view.has("th", "n") else None


def _apache(view: View) -> str | None:
    sorting = view.linked(_APACHE_SORT)
    if sorting >= FEWEST_LINKS:
        return f"it has {sorting} links that sort it"
    signed = any(_text(each).startswith("Apache") for each in view.tree.iter("address"))
    return view.heading(_INDEX_OF) if signed else None


def _nginx(view: View) -> str | None:
    sorting = view.linked(_FANCYINDEX_SORT)
    if sorting >= FEWEST_LINKS:
        return f"it has {sorting} links that sort it"
    up = bool(view.links) and view.links[0].get("href") == "../"
    return view.heading(_INDEX_OF) if up and view.has("pre") else None


def _index_of(view: View) -> str | None:
    return view.heading(_INDEX_OF)


SERVERS: tuple[tuple[str, Callable[[View], str | None]], ...] = (
    ("IIS", _iis),
    ("Caddy", _caddy),
    ("Python's http.server", _python),
    ("lighttpd", _lighttpd),
    ("Apache", _apache),
    ("nginx", _nginx),
    ("an unknown server", _index_of),
)
"""Who writes listings, and what shows it; the first that shows is believed."""
