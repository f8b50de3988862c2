"""Loopback servers that answer as PrimeGov's portals, Municode's library and a bucket of S3 do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote
from xml.sax.saxutils import escape

from tests.sites.platforms import Json, Vendor, as_json
from tests.sites.server import NOT_FOUND, Answer


def document(template: int, name: str, kind: int | None = 1, **more: object) -> Json:
    """A document of a meeting: 1 is a PDF, 3 a page."""
    return {
        "id": template + 10_000,
        "templateId": template,
        "templateName": name,
        "compileOutputType": kind,
        "publishDate": "2026-01-09T19:29:40.647",
        "link": None,
        **more,
    }


def meeting(number: int, *documents: Json, day: str = "2026-01-12") -> Json:
    """A meeting as the API lists it, without what a client may add."""
    return {
        "id": number,
        "committeeId": 1,
        "title": "City Council Meeting",
        "dateTime": f"{day}T17:30:00",
        "date": "Jan 12, 2026",
        "time": "05:30 PM",
        "documentList": list(documents),
        "videoUrl": "https://youtube.com/watch?v=ka4mEHoNTKw",
        "isShowVideoIcon": True,
    }


class PrimeGov(Vendor):
    """The public portal of one client: bare lists, none of them paged."""

    api = "/api/v2/PublicPortal"

    def __init__(self) -> None:
        super().__init__()
        self.archived: dict[int, list[Json]] = {}
        self.upcoming: list[Json] = []
        self.pdfs: dict[str, bytes] = {}

    def routed(self, path: str, query: Mapping[str, str]) -> Answer:
        """A list, or a compiled document."""
        if path == "/Public/CompiledDocument":
            content = self.pdfs.get(query.get("meetingTemplateId", ""))
            return Answer(content, "application/pdf") if content else NOT_FOUND
        lists = {
            f"{self.api}/GetArchivedMeetingYears": sorted(self.archived, reverse=True),
            f"{self.api}/ListUpcomingMeetings": self.upcoming,
            f"{self.api}/ListArchivedMeetings": self.archived.get(int(query.get("year", "0")), []),
        }
        return as_json(lists[path]) if path in lists else NOT_FOUND


class Bucket(Vendor):
    """A bucket whose keys everybody may list: `cap` in an answer, as the service does."""

    name = "agendas"

    def __init__(self, in_path: bool = False) -> None:
        super().__init__()
        self.keys: dict[str, str] = {}
        """Each key with the time of its last change."""
        self.cap = 1000
        self.at = f"/{self.name}/" if in_path else "/"
        self.forgets_the_token = False

    def fill(self, *keys: str) -> None:
        """Puts keys into it."""
        self.keys |= dict.fromkeys(keys, "2024-03-05T06:07:08.000Z")

    def routed(self, path: str, query: Mapping[str, str]) -> Answer:
        """The listing at the bucket itself, and what is at a key."""
        if path != self.at:
            return Answer(b"%PDF-1.4", "application/pdf")
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        is_second = query.get("list-type") == "2"
        behind = query.get("continuation-token" if is_second else "marker", "")
        found = sorted(each for each in self.keys if each.startswith(prefix))
        lines: dict[str, str] = {}
        for key in found:
            rest = key.removeprefix(prefix)
            folded = delimiter and delimiter in rest
            name = prefix + rest.partition(delimiter)[0] + delimiter if folded else key
            if name > behind.removeprefix("token-"):
                lines.setdefault(name, "folder" if folded else "key")
        kept = dict(list(lines.items())[: int(query.get("max-keys", self.cap))])
        is_cut = len(kept) < len(lines)
        return self._written(query, kept, is_cut, is_second)

    def _written(
        self, query: Mapping[str, str], lines: dict[str, str], is_cut: bool, is_second: bool
    ) -> Answer:
        is_escaped = query.get("encoding-type") == "url"

        def said(text: str) -> str:
            return quote(text, safe="/") if is_escaped else escape(text)

        body = "".join(
            f"<Contents><Key>{said(name)}</Key><LastModified>{self.keys[name]}</LastModified>"
            '<ETag>"0"</ETag><Size>8</Size><StorageClass>STANDARD</StorageClass></Contents>'
            if kind == "key"
            else f"<CommonPrefixes><Prefix>{said(name)}</Prefix></CommonPrefixes>"
            for name, kind in lines.items()
        )
        last = list(lines)[-1] if lines else ""
        if is_cut and is_second and not self.forgets_the_token:
            body += f"<NextContinuationToken>token-{escape(last)}</NextContinuationToken>"
        elif is_cut and query.get("delimiter"):
            body += f"<NextMarker>{said(last)}</NextMarker>"
        escaped = "<EncodingType>url</EncodingType>" if is_escaped else ""
        head = (
            f"<Name>{self.name}</Name><Prefix>{said(query.get('prefix', ''))}</Prefix>"
            f"<MaxKeys>{self.cap}</MaxKeys>{escaped}"
            f"<Delimiter>{said(query.get('delimiter', ''))}</Delimiter>"
            f"<IsTruncated>{str(is_cut).lower()}</IsTruncated>"
        )
        content = (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{head}{body}'
            "</ListBucketResult>"
        )
        return Answer(content.encode(), "application/xml")


@dataclass(frozen=True)
class Node:
    """A node of a code: its text, and the nodes in it."""

    name: str
    title: str
    text: str | None = None
    nodes: tuple[Node, ...] = ()
    begins: bool = False
    """Whether it is read on its own, so that an answer about what it is in only points to it."""


class Municode(Vendor):
    """The API of the library with one client that has one code: by job, in parts."""

    def __init__(self, *chapters: Node) -> None:
        super().__init__()
        self.chapters = chapters
        self.job = 485152
        self.product = 10159

    def routed(self, path: str, query: Mapping[str, str]) -> Answer:
        """What is asked of the one code; of all else there is none."""
        named = {
            f"/Jobs/latest/{self.product}": {"Id": self.job, "Name": "Supplement 19"},
            "/Clients/name": {"ClientID": 8130, "ClientName": query.get("clientName")},
            "/ClientContent/8130": {
                "codes": [{"productId": self.product, "productName": "Code of Ordinances"}]
            },
        }
        if path in named:
            return as_json(named[path])
        if query.get("jobId") != str(self.job) or query.get("productId") != str(self.product):
            return NOT_FOUND
        if path == "/codesToc":
            children = [{"Id": each.name, "Heading": each.title} for each in self.chapters]
            return as_json({"Id": str(self.product), "Heading": "CODE", "Children": children})
        found = self._found(query.get("nodeId", ""), self.chapters)
        if path != "/CodesContent" or found is None:
            return NOT_FOUND
        return as_json({"Docs": list(self._docs(found, found)), "PdfUrl": None})

    def _found(self, name: str, nodes: tuple[Node, ...]) -> Node | None:
        for each in nodes:
            found = each if each.name == name else self._found(name, each.nodes)
            if found:
                return found
        return None

    def _docs(self, node: Node, asked: Node) -> Iterator[Json]:
        """The node and what is read with it; what is read on its own has no content here."""
        is_here = node is asked or not node.begins
        group = (asked.name if is_here else node.name) if node.text else "[SHOW_TOC]"
        yield {
            "Id": node.name,
            "Title": node.title,
            "TitleHtml": f"<div>{node.title}</div>" if is_here else None,
            "Content": f'<div class="chunk-content">{node.text}</div>'
            if is_here and node.text
            else None,
            "ChunkGroupStartingNodeId": group,
            "NodeDepth": 1,
            "DocType": 1,
        }
        for each in node.nodes if is_here else ():
            yield from self._docs(each, asked)
