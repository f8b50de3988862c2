"""Loopback servers that answer as a portal of PrimeGov does, and as a bucket of S3."""

from collections.abc import Mapping
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
