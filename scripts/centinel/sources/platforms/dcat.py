"""A catalogue file of DCAT-US, usually `data.json` (https://resources.data.gov/resources/dcat-us/).

One file, and no paging: what it has is all there is. A dataset's link is its `landingPage`, else
its `identifier` where that is an address; its files are the `downloadURL` of each `distribution`.
An `accessURL` is a page or a service, no file. The root may be the catalogue of version 1.1 or the
bare list of 1.0 (https://project-open-data.cio.gov/v1.1/schema/).
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from centinel import addresses
from centinel.http import Fetched
from centinel.sources.platforms import values
from centinel.sources.platforms.entries import Entries, identity
from centinel.sources.platforms.records import Block, Entry, Page

_DECODER = json.JSONDecoder(strict=False)
_SPACE = re.compile(r"[ \t\n\r]*")
_LIST = "dataset"


class Dcat(Entries):
    """`query: {platform: dcat, url: …}`."""

    name = "dcat"
    media_type = "application/json"

    def read(self, block: Block, fetched: Fetched) -> Page:
        """Returns the datasets of a catalogue. Raises Unreadable."""
        content = fetched.body.content()
        if values.is_web_page(content):
            raise values.Unreadable(values.WEB_PAGE)
        # What is no UTF-8 comes back as the same bytes when an entry is written.
        scan = _Scan(content.decode("utf-8-sig", "surrogateescape"))
        scan.run()
        found = []
        for dataset, text in scan.elements:
            entry = self._entry(block, dataset, text, fetched.final_url)
            found += [entry] if entry else []
        warnings = () if scan.fault is None else (f"it breaks off: {scan.fault}",)
        unusable = len(scan.elements) - len(found)
        return Page(tuple(found), unusable, is_complete=True, warnings=warnings)

    def _entry(self, block: Block, value: Any, text: str, document: str) -> Entry | None:
        dataset = values.mapping(value)
        fragment = text.encode("utf-8", "surrogateescape")
        identifier = _first(dataset.get("identifier")) or values.identifier(
            dataset.get("identifier")
        )
        address = self.entry(block, _link(dataset, identifier, document), identifier)
        if address is None:
            return None
        return Entry(
            address,
            _first(dataset.get("title")),
            values.moment(_first(dataset.get("modified"))),
            identity(identifier, fragment),
            fragment=fragment,
            files=tuple(_downloads(dataset)),
            found_in=document,
        )


def _link(dataset: dict[str, Any], identifier: str | None, document: str) -> str | None:
    for page in _texts(dataset.get("landingPage")):
        if address := addresses.canonical(page, document):
            return address
    # An identifier is no reference: only a whole address counts.
    return addresses.canonical(identifier) if identifier else None


def _downloads(dataset: dict[str, Any]) -> Iterator[str]:
    for distribution in values.listed(dataset.get("distribution")):
        yield from _texts(values.mapping(distribution).get("downloadURL"))


def _texts(value: Any) -> Iterator[str]:
    """The texts in a value of JSON-LD: a text, a node with `@id` or `@value`, a list of these."""
    for each in values.listed(value):
        node = values.mapping(each)
        said = values.text(each) or values.first_text(node, ("@id", "@value"))
        if said:
            yield said


def _first(value: Any) -> str | None:
    return next(_texts(value), None)


@dataclass
class _Scan:
    """Reads a catalogue element by element, and keeps each as it stands in the text.

    A file that ends in the middle gives the elements before it.
    """

    text: str
    elements: list[tuple[Any, str]] = field(default_factory=list)
    fault: str | None = None
    at: int = 0
    has_list: bool = False

    def run(self) -> None:
        """Reads on as far as it is JSON; raises Unreadable where there is no list at all."""
        try:
            self._root()
        except (ValueError, RecursionError) as error:
            self.fault = str(error)
        if not self.has_list:
            raise values.Unreadable(
                f"{values.CHANGED}: no list {_LIST!r}" + (f" ({self.fault})" if self.fault else "")
            )

    def _root(self) -> None:
        if self._next() == "[":
            self._list()
            return
        self._expect("{")
        while self._next() != "}":
            key, self.at = _DECODER.raw_decode(self.text, self.at)
            self._expect(":")
            if self._next() == "[" and key == _LIST:
                self._list()
            else:
                _, self.at = _DECODER.raw_decode(self.text, self.at)
            self._separator("}")

    def _list(self) -> None:
        self.has_list = True
        self._expect("[")
        while self._next() != "]":
            start = self.at
            value, self.at = _DECODER.raw_decode(self.text, start)
            self.elements.append((value, self.text[start : self.at]))
            self._separator("]")
        self._expect("]")

    def _next(self) -> str:
        """The next character that is no space; "" at the end."""
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.text[self.at : self.at + 1]

    def _expect(self, character: str) -> None:
        found = self._next()
        if found != character:
            raise ValueError(f"{found or 'the end'!r} instead of {character!r} at {self.at}")
        self.at += 1

    def _separator(self, end: str) -> None:
        """Steps over a comma; nothing but the end may stand there otherwise."""
        if self._next() == ",":
            self.at += 1
        elif self._next() != end:
            raise ValueError(f"no comma and no {end!r} at {self.at}")
