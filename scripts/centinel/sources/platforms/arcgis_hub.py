"""ArcGIS Hub's search (https://developers.arcgis.com/hub/services/search/), OGC API - Records.

Of the interfaces that Hub documents, this one has pages, a total, and an address for each record;
its DCAT feed has neither (`platform: dcat` reads that one, at `/api/feed/dcat-us/1.1.json`).

A record's files are what it links as `enclosure` (OGC API - Records), the item file
(https://developers.arcgis.com/rest/users-groups-and-items/item-data/) where its type is one of a
file, and the address of a document that it only links to. Layers of services are no files: their
records are kept, their features are not.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from centinel.answers import Fetched
from centinel.record import Json, Resource
from centinel.sources.platforms import values
from centinel.sources.platforms.paged import Paged, base_of, with_query
from centinel.sources.platforms.records import Block, Memory, Page, Place, Record
from centinel.sources.source_kind import Parts

LIMIT = 100
"""The `maximum` of `limit` in the API's own definition, `/api/search/definition`."""

LAST_MILLISECOND = 9_999_999_999_999
"""Since 1970: in the year 2286."""

PORTAL = "https://www.arcgis.com"
"""Where items are, unless a block's `portal` names a portal of its own."""

FILE_TYPES = frozenset(
    {
        "CAD Drawing",
        "CSV",
        "CSV Collection",
        "Code Sample",
        "File Geodatabase",
        "GeoJson",
        "GeoPackage",
        "Image",
        "KML",
        "KML Collection",
        "Microsoft Excel",
        "Microsoft Powerpoint",
        "Microsoft Word",
        "PDF",
        "Shapefile",
        "Visio Document",
        "iWork Keynote",
        "iWork Numbers",
        "iWork Pages",
    }
)
"""Types whose item file is the thing itself.

https://developers.arcgis.com/rest/users-groups-and-items/items-and-item-types/
"""

LINK_TYPES = frozenset({"Document Link"})
"""Types whose `url` is a document somewhere else."""


class ArcgisHub(Paged):
    """`query: {platform: arcgis-hub, url: …}`."""

    name = "arcgis-hub"
    lacking = "id"
    cap = LIMIT
    both = "({}) AND ({})"

    def address(self, block: Block) -> str:
        """Returns the items of the block's `collection`; with its `filter`, in CQL."""
        stated = {"filter": block["filter"]} if "filter" in block else {}
        return with_query(_items(block), stated)

    def at(self, block: Block, rows: int) -> Mapping[str, str]:  # noqa: ARG002 (others need it)
        """Ordered by creation, so that what is added comes last; the first index is 1."""
        order = "properties.created"
        return {"sortBy": order, "limit": str(LIMIT), "startindex": str(rows + 1)}

    def behind(self, block: Block, place: Place) -> str:  # noqa: ARG002 (others need it)
        """Returns CQL's range of what was created at a time or later, as the site itself asks."""
        return f"created BETWEEN {place} AND {LAST_MILLISECOND}"

    def read(self, block: Block, fetched: Fetched) -> Page:
        """Returns what a page says: `features` and `numberMatched`. Raises Unreadable."""
        answer = values.mapping(values.parsed(fetched.body.content()), "the answer")
        listed = values.rows(answer.get("features"), "features")
        found = tuple(filter(None, (self._record(block, each) for each in listed)))
        total = values.count(answer.get("numberMatched"))
        return Page(found, len(listed) - len(found), total, cap=LIMIT)

    def _record(self, block: Block, row: Any) -> Record | None:
        feature = values.mapping(row)
        properties = values.mapping(feature.get("properties"))
        identifier = values.identifier(feature.get("id"))
        if identifier is None:
            return None
        return Record(
            f"{_items(block)}/{quote(identifier, safe='')}",
            values.first_text(properties, ("title", "name")),
            values.moment(properties.get("modified")),
            place=values.count(properties.get("created")),
        )

    def is_record(self, block: Block, artifact: str) -> bool:
        """Returns whether an address is of an item of the collection."""
        return artifact.startswith(f"{_items(block)}/")

    def parts(
        self,
        block: Block,
        resource: Resource,
        fetched: Fetched,
        memory: Memory,  # noqa: ARG002 (others need it)
    ) -> Parts:
        """Returns the files of an item. Raises Unreadable."""
        feature = values.mapping(values.parsed(fetched.body.content()), "the record")
        properties = values.mapping(feature.get("properties"), "properties")
        stated = _files(block, feature, properties)
        return values.files(stated, fetched.final_url, (resource.address, fetched.final_url))


def _files(block: Block, feature: Json, properties: Json) -> Iterator[Any]:
    for link in values.listed(feature.get("links")):
        if values.mapping(link).get("rel") == "enclosure":
            yield values.mapping(link).get("href")
    kind = values.text(properties.get("type"))
    identifier = values.identifier(properties.get("id")) or values.identifier(feature.get("id"))
    if kind in FILE_TYPES and identifier:
        portal = base_of({"url": block.get("portal", PORTAL)})
        yield f"{portal}/sharing/rest/content/items/{quote(identifier, safe='')}/data"
    if kind in LINK_TYPES:
        yield properties.get("url")


def _items(block: Block) -> str:
    return f"{base_of(block)}/api/search/v1/collections/{block.get('collection', 'all')}/items"
