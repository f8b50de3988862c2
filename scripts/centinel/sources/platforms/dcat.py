"""A catalogue file of DCAT-US, usually `data.json` (https://resources.data.gov/resources/dcat-us/).

One file, and no paging: what it has is all there is. A dataset's link is its `landingPage`, else
its `identifier` where that is an address; its files are the `downloadURL` of each `distribution`.
An `accessURL` is a page or a service, no file. The root may be the catalogue of version 1.1 or the
bare list of 1.0 (https://project-open-data.cio.gov/v1.1/schema/).
"""

from collections.abc import Iterator
from typing import Any

from centinel import addresses
from centinel.answers import Fetched
from centinel.sources.platforms import values
from centinel.sources.platforms.entries import Entries, identity
from centinel.sources.platforms.json_elements import Scan
from centinel.sources.platforms.records import Block, Entry, Page

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
        scan = Scan(content.decode("utf-8-sig", "surrogateescape"), _LIST)
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
