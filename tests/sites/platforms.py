"""Loopback servers that answer as the platforms do: their shapes, their paging, their limits.

What a test sets at a path goes before what the platform would answer there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit
from xml.sax.saxutils import escape, quoteattr

from tests.sites.server import NOT_FOUND, Answer, Request, Site

Json = dict[str, Any]

PDF = b"%PDF-1.4\n% an agenda\n"


def as_json(value: Any, status: int = 200, content_type: str = "application/json") -> Answer:
    """An answer with a JSON value."""
    return Answer(json.dumps(value).encode(), f"{content_type}; charset=utf-8", status=status)


class Vendor(Site):
    """A host whose answers depend on the query."""

    def answer(self, request: Request) -> Answer:
        """What a test set at the path, else what the platform answers."""
        given = super().answer(request)
        if given is not NOT_FOUND or request.path == "/robots.txt":
            return given
        parts = urlsplit(request.path)
        return self.routed(parts.path, dict(parse_qsl(parts.query, keep_blank_values=True)))

    def routed(self, path: str, query: Mapping[str, str]) -> Answer:
        """What the platform answers at a path."""
        raise NotImplementedError

    def asked_under(self, path: str) -> list[str]:
        """The requests whose path begins so, in order."""
        return [asked for asked in self.paths() if asked.startswith(path)]


def matter(number: int, title: str | None = None) -> Json:
    """A matter as the API gives it, without the fields that a client may add."""
    return {
        "MatterId": number,
        "MatterGuid": f"5111087D-FB2C-4FB1-9F66-{number:012X}",
        "MatterLastModifiedUtc": "2017-07-31T23:46:47.397",
        "MatterRowVersion": "AAAAAAA49Gs=",
        "MatterFile": f"13-{number}",
        "MatterName": None,
        "MatterTitle": title or f"Ordinance {number}",
        "MatterTypeName": "Ordinance",
        "MatterBodyName": "City Council",
        "MatterIntroDate": "2013-12-17T00:00:00",
        "MatterText1": None,
        "MatterReports": [],
    }


def attachment(number: int, address: str | None) -> Json:
    """An attachment of a matter."""
    return {
        "MatterAttachmentId": number,
        "MatterAttachmentLastModifiedUtc": "2014-05-24T04:16:07.367",
        "MatterAttachmentName": f"ATT {number}",
        "MatterAttachmentHyperlink": address,
        "MatterAttachmentFileName": f"{number}.pdf",
        "MatterAttachmentIsHyperlink": False,
        "MatterAttachmentShowOnInternetPage": True,
    }


def event(number: int, agenda: str | None, minutes: str | None = None) -> Json:
    """A meeting; its items come only where they are asked for."""
    return {
        "EventId": number,
        "EventGuid": f"DC62D62D-A475-472C-8309-{number:012X}",
        "EventLastModifiedUtc": "2014-05-24T04:16:05.3",
        "EventBodyName": "City Council",
        "EventDate": "2014-01-07T00:00:00",
        "EventTime": "6:30 PM",
        "EventAgendaFile": agenda,
        "EventMinutesFile": minutes,
        "EventInSiteURL": f"https://seattle.legistar.com/MeetingDetail.aspx?LEGID={number}",
        "EventItems": [],
    }


class Legistar(Vendor):
    """The Web API of one client: at most 1,000 rows, `$top` above that not kept to."""

    client = "seattle"
    cap = 1000

    def __init__(self) -> None:
        super().__init__()
        self.lists: dict[str, list[Json]] = {}
        self.attachments: dict[str, list[Json]] = {}
        self.items: dict[str, list[Json]] = {}
        self.token: str | None = None
        self.ignores_skip = False
        self.ignores_filter = False
        self.window = 1 << 40
        """How many rows are paged to: behind them a page is empty."""

    def routed(self, path: str, query: Mapping[str, str]) -> Answer:
        """A list, a record, or the list of a matter's attachments."""
        if self.token and query.get("token") != self.token:
            return as_json({"Message": "Token is required"}, 403)
        start, _, rest = path.removeprefix("/v1/").partition("/")
        what, *steps = rest.split("/")
        if start != self.client or what not in self.lists:
            return as_json({"Message": "No HTTP resource was found"}, 404)
        if not steps:
            return as_json(self._page(what, query))
        found = [each for each in self.lists[what] if str(_number(each)) == steps[0]]
        if not found or steps[1:] not in ([], ["attachments"]):
            return as_json({"Message": "No HTTP resource was found"}, 404)
        if steps[1:]:
            return as_json(self.attachments.get(steps[0], []))
        wants_items = query.get("EventItems") == "1"
        added = {"EventItems": self.items.get(steps[0], [])} if wants_items else {}
        return as_json({**found[0], **added})

    def _page(self, what: str, query: Mapping[str, str]) -> list[Json]:
        rows = sorted(self.lists[what], key=_number) if "$orderby" in query else self.lists[what]
        behind = re.search(r"Id gt (\d+)$", query.get("$filter", ""))
        if behind and not self.ignores_filter:
            rows = [each for each in rows if _number(each) > int(behind[1])]
        rows = rows[: self.window]
        skip = 0 if self.ignores_skip else int(query.get("$skip", "0"))
        top = int(query.get("$top", self.cap))
        return rows[skip : skip + (top if top <= self.cap else self.cap)]


def _number(record: Json) -> int:
    return int(next(iter(record.values())))


def package(name: str, *addresses: str) -> Json:
    """A dataset of CKAN."""
    return {
        "id": f"id-{name}",
        "name": name,
        "title": f"Dataset {name}",
        "metadata_created": "2020-01-01T00:00:00.000001",
        "metadata_modified": "2024-03-05T06:07:08.910111",
        "state": "active",
        "resources": [
            {"id": f"{name}-{number}", "url": address, "format": "CSV", "state": "active"}
            for number, address in enumerate(addresses)
        ],
    }


class Ckan(Vendor):
    """The Action API: 10 rows unless asked for more, never more than `rows_max`."""

    def __init__(self) -> None:
        super().__init__()
        self.packages: list[Json] = []
        self.rows_max = 1000
        self.count: int | None = None
        """What it declares instead of the truth."""
        self.window = 1 << 40
        """How many rows it pages to: a proxy before it may not pass on a larger `start`."""

    def routed(self, path: str, query: Mapping[str, str]) -> Answer:
        """`package_search` or `package_show`."""
        action = path.removeprefix("/api/3/action/")
        if action == "package_search":
            return as_json(self._search(query))
        found = [each for each in self.packages if query.get("id") in (each["id"], each["name"])]
        if action != "package_show" or not found:
            return as_json(ckan_error("Not Found Error", "Not found"), 404)
        return as_json({"help": "…", "success": True, "result": found[0]})

    def _search(self, query: Mapping[str, str]) -> Json:
        by_id = query.get("sort") == "id asc"
        rows = sorted(self.packages, key=lambda each: each["id"]) if by_id else self.packages
        behind = re.search(r'id:\{"(.+)" TO \*\]$', query.get("fq", ""))
        if behind:
            rows = [each for each in rows if each["id"] > behind[1]]
        start, asked = int(query.get("start", "0")), int(query.get("rows", "10"))
        return {
            "help": "…",
            "success": True,
            "result": {
                "count": len(rows) if self.count is None else self.count,
                "facets": {},
                "results": rows[start : min(start + min(asked, self.rows_max), self.window)],
                "sort": query.get("sort", "score desc, metadata_modified desc"),
                "search_facets": {},
            },
        }


def ckan_error(kind: str, message: str) -> Json:
    """What CKAN answers instead of a result."""
    return {"help": "…", "success": False, "error": {"__type": kind, "message": message}}


def item(identifier: str, kind: str = "Feature Service", **properties: Any) -> Json:
    """A record of ArcGIS Hub's search."""
    return {
        "id": identifier,
        "type": "Feature",
        "geometry": None,
        "time": None,
        "properties": {
            "id": identifier,
            "owner": "goku",
            "created": 1611934478000,
            "modified": 1671554653000,
            "name": f"Name_{identifier}",
            "title": f"Title of {identifier}",
            "type": kind,
            "url": None,
            "access": "public",
            **properties,
        },
        "links": [{"rel": "collection", "type": "application/json", "href": "https://h.example/"}],
    }


class Hub(Vendor):
    """The search of one site: 10 items unless asked for more, 100 at most, 10,000 in all."""

    window = 10_000

    def __init__(self) -> None:
        super().__init__()
        self.ignores_filter = False
        self.collections: dict[str, list[Json]] = {"all": []}
        self.files: dict[str, Answer] = {}

    def routed(self, path: str, query: Mapping[str, str]) -> Answer:
        """The items of a collection, one of them, or the file of an item of the portal."""
        portal = path.removeprefix("/sharing/rest/content/items/")
        if portal != path:
            return self.files.get(portal.removesuffix("/data"), NOT_FOUND)
        start, _, steps = path.removeprefix("/api/search/v1/collections/").partition("/items")
        if start not in self.collections:
            return as_json({"statusCode": 404, "message": "no such collection"}, 404)
        if steps:
            found = [each for each in self.collections[start] if each["id"] == steps[1:]]
            return as_json(found[0], content_type="application/geo+json") if found else NOT_FOUND
        return self._page(path, self.collections[start], query)

    def _page(self, path: str, items: Sequence[Json], query: Mapping[str, str]) -> Answer:
        behind = re.search(r"created BETWEEN (\d+) AND \d+\)?$", query.get("filter", ""))
        if behind and not self.ignores_filter:
            stated = int(behind[1])
            items = [each for each in items if each["properties"]["created"] >= stated]
        limit, start = int(query.get("limit", "10")), int(query.get("startindex", "1"))
        if limit > 100:
            return as_json({"statusCode": 400, "message": ["limit must not be greater"]}, 400)
        if start > self.window:
            return as_json({"statusCode": 500, "message": "Internal server error"}, 500)
        links = [{"rel": "self", "href": f"{self.address}{path}"}]
        if start + limit <= len(items):
            following = urlencode({**query, "startindex": start + limit})
            links.append({"rel": "next", "href": f"{self.address}{path}?{following}"})
        page = items[start - 1 : start - 1 + limit]
        return as_json(
            {
                "type": "FeatureCollection",
                "features": page,
                "timestamp": "2026-01-23T18:53:40.715Z",
                "numberMatched": min(len(items), self.window),
                "numberReturned": len(page),
                "links": links,
            }
        )


def dataset(name: str, link: str | None, *downloads: str) -> Json:
    """A dataset of DCAT-US 1.1, as ArcGIS Hub writes it."""
    stated = {} if link is None else {"landingPage": link}
    return {
        "@type": "dcat:Dataset",
        "identifier": f"https://www.arcgis.com/home/item.html?id={name}&sublayer=0",
        **stated,
        "title": f"Dataset {name}",
        "description": "Über alles",
        "modified": "2022-03-28T20:09:45.000Z",
        "accessLevel": "public",
        "distribution": [
            {"@type": "dcat:Distribution", "title": "CSV", "downloadURL": address}
            for address in downloads
        ]
        + [{"@type": "dcat:Distribution", "accessURL": "https://gis.example/FeatureServer/0"}],
    }


def catalogue(datasets: Iterable[Json], indent: int | None = 2) -> bytes:
    """A `data.json` of these datasets."""
    value = {
        "@context": "https://project-open-data.cio.gov/v1.1/schema/catalog.jsonld",
        "@type": "dcat:Catalog",
        "conformsTo": "https://project-open-data.cio.gov/v1.1/schema",
        "dataset": list(datasets),
    }
    return json.dumps(value, indent=indent, ensure_ascii=False).encode()


def rss(items: Iterable[str], channel: str = "") -> bytes:
    """An RSS 2.0 feed of these items, in the shape of Granicus: addresses with a bare `&`."""
    lines = "\n".join(items)
    return f"""<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:gran="http://granicus.com/rss"
 xmlns:openSearch="http://a9.com/-/spec/opensearch/1.1/"
 xmlns:fh="http://purl.org/syndication/history/1.0">
<channel><title>Port Alder</title><link>https://town.example/</link>{channel}
{lines}
</channel></rss>
<!-- cached page -->
""".encode()


def rss_item(number: int, link: str | None, extra: str = "") -> str:
    """An item; without a link it has a guid alone, which is no address."""
    stated = f"<link>{link}</link>" if link else ""
    return (
        f"<item><title>Meeting {number}</title>{stated}"
        f'<guid isPermaLink="false">guid-{number}</guid>'
        f"<pubDate>Tue, 07 Jan 2014 18:30:00 -0800</pubDate>{extra}</item>"
    )


def atom(entries: Iterable[str], links: Mapping[str, str] | None = None) -> bytes:
    """An Atom feed of these entries, with links of the feed by their relation."""
    stated = "".join(
        f"<link rel={quoteattr(rel)} href={quoteattr(href)}/>"
        for rel, href in (links or {}).items()
    )
    lines = "\n".join(entries)
    return f"""<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>Port Alder</title>
<id>tag:town.example,2014:feed</id>{stated}
{lines}
</feed>
""".encode()


def atom_entry(number: int, link: str, extra: str = "") -> str:
    """An entry with a link to its page."""
    return (
        f"<entry><id>tag:town.example,2014:{number}</id><title>Notice {number}</title>"
        f"<link href={quoteattr(link)}/><published>2013-01-01T00:00:00Z</published>"
        f"<updated>2014-01-0{number % 9 + 1}T00:00:00Z</updated>{extra}"
        f"<summary>{escape('Fish & chips')}</summary></entry>"
    )


def rdf(links: Iterable[str]) -> bytes:
    """An RSS 1.0 feed, whose items stand beside the channel."""
    items = "".join(
        f'<item rdf:about="{link}"><title>Item {number}</title><link>{link}</link>'
        "<dc:date>2014-01-07T18:30:00+01:00</dc:date></item>"
        for number, link in enumerate(links, 1)
    )
    return f"""<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="https://town.example/"><title>Port Alder</title></channel>{items}</rdf:RDF>
""".encode()
