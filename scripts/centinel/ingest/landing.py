"""What was served at the landing address, and what it says of a dataset."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

import orjson

from centinel import addresses
from centinel.answers import disposition_name
from centinel.record import Json
from centinel.webpage import WebPage, open_page

_LINK = re.compile(
    r"<([^<>]*)>((?:\s*;\s*[\w!#$&+\-.^`|~*]+(?:\s*=\s*(?:\"[^\"]*\"|[^\s;,\"]+))?)*)"
)
_PARAMETER = re.compile(r";\s*([\w*-]+)\s*=\s*(?:\"([^\"]*)\"|([^\s;,\"]+))")
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_DEEPEST = 8
"""How deep a dataset may stand in JSON-LD: in `@graph`, `mainEntity`, `itemListElement`."""


@dataclass(frozen=True)
class Link:
    """A typed link of a page: of its `Link` header (RFC 8288), or a `<link>` element."""

    address: str
    relations: tuple[str, ...]
    media_type: str | None = None


@dataclass(frozen=True)
class Page:
    """An answer at a landing address: a web page, or whatever else stood there."""

    terminal_url: str
    """The canonical address behind all redirects."""
    http_status: int | None = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names in lower case, lines of one name joined by a comma."""
    body: bytes = b""
    """The content of a page; may be empty for what is none."""
    size: int | None = None
    """Bytes of the whole answer, where they were counted."""

    @property
    def media_type(self) -> str | None:
        """The declared type without parameters, in lower case."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower() or None

    @property
    def filename(self) -> str | None:
        """The file name in Content-Disposition, without folders."""
        return disposition_name(self.headers.get("content-disposition"))

    @cached_property
    def is_web_page(self) -> bool:
        """Whether it is HTML: by its declared type, else by how it opens."""
        if self.media_type:
            return self.media_type in _HTML
        start = self.body[:512].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
        return start.startswith((b"<!doctype html", b"<html"))

    @cached_property
    def web(self) -> WebPage | None:
        """The parsed page; None where it is none, or cannot be parsed."""
        if not self.is_web_page:
            return None
        return open_page(self.body, self.headers.get("content-type"), self.terminal_url)

    def metas(self, *names: str) -> list[str]:
        """Returns the contents of the `<meta>` elements of these names, in document order."""
        if self.web is None:
            return []
        wanted = {name.lower() for name in names}
        found = []
        for element in self.web.elements("meta"):
            name = (element.get("name") or element.get("property") or "").strip().lower()
            content = " ".join((element.get("content") or "").split())
            if name in wanted and content:
                found.append(content)
        return found

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The typed links of the header and of the page, with absolute addresses."""
        return (*self._header_links(), *self._element_links())

    def related(self, relation: str) -> list[Link]:
        """Returns the links that have a relation."""
        return [each for each in self.links if relation in each.relations]

    @cached_property
    def linked_data(self) -> tuple[Json, ...]:
        """Every object of the page's JSON-LD, nested ones too; what cannot be read gives none."""
        if self.web is None:
            return ()
        found: list[Json] = []
        for element in self.web.elements("script"):
            declared = (element.get("type") or "").partition(";")[0].strip().lower()
            if declared == "application/ld+json":
                found += _objects(_json(element.text or ""))
        return tuple(found)

    def of_type(self, name: str) -> list[Json]:
        """Returns the JSON-LD objects of a type of schema.org."""
        return [each for each in self.linked_data if name in types_of(each)]

    def _header_links(self) -> Iterator[Link]:
        for match in _LINK.finditer(self.headers.get("link", "")[:100_000]):
            parameters = {
                key.lower(): quoted or plain for key, quoted, plain in _PARAMETER.findall(match[2])
            }
            yield from self._link(match[1], parameters.get("rel"), parameters.get("type"))

    def _element_links(self) -> Iterator[Link]:
        if self.web is not None:
            for element in self.web.elements("link"):
                address = element.get("href") or ""
                yield from self._link(address, element.get("rel"), element.get("type"))

    def _link(self, stated: str, relations: str | None, media_type: str | None) -> Iterator[Link]:
        base = self.web.base if self.web is not None else self.terminal_url
        address = addresses.canonical(stated, base) if stated.strip() else None
        if address and relations:
            yield Link(address, tuple(relations.lower().split()), media_type)


def types_of(value: Json) -> set[str]:
    """Returns the names of an object's types, without the vocabulary's address."""
    stated = value.get("@type")
    listed = stated if isinstance(stated, list) else [stated]
    return {re.split(r"[/#:]", each)[-1] for each in listed if isinstance(each, str)}


def domain(address: str) -> str:
    """Returns the host of an address, with its port where that is not the scheme's own."""
    return urlsplit(address).netloc


def _json(text: str) -> Any:
    cleaned = text.strip().removeprefix("<!--").removesuffix("-->").strip().rstrip(";")
    try:
        return orjson.loads(cleaned.encode("utf-8", "replace"))
    except orjson.JSONDecodeError:
        return None


def _objects(value: Any, depth: int = 0) -> Iterator[Json]:
    """Every object inside a value, the outer ones first."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for each in value:
            yield from _objects(each, depth + 1)
    elif isinstance(value, dict):
        yield value
        for each in value.values():
            if isinstance(each, dict | list):
                yield from _objects(each, depth + 1)
