"""PrimeGov's public portal: the meetings of a client, each with its documents.

Its pages ask `GetArchivedMeetingYears`, `ListArchivedMeetings?year=…` and `ListUpcomingMeetings`,
which answer with bare lists; none of them is paged. A meeting has no address of its own: it is an
entry, `<years>#<id>`, and its files are what its `documentList` names. A document is at its
template (`CompiledDocument` for a file, `Portal/Meeting` for a page), unless it states a `link`.
Recordings are at other hosts, and are no files of a meeting.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from centinel.answers import Fetched
from centinel.record import Json
from centinel.sources.platforms import values
from centinel.sources.platforms.entries import Entries, identity
from centinel.sources.platforms.json_elements import Scan
from centinel.sources.platforms.paged import base_of
from centinel.sources.platforms.records import Block, Entry, Page

SERVER = "https://{client}.primegov.com"
API = "/api/v2/PublicPortal"
YEARS = f"{API}/GetArchivedMeetingYears"
UPCOMING = f"{API}/ListUpcomingMeetings"
ARCHIVED = f"{API}/ListArchivedMeetings?year="

_PAGE = 3
"""The `compileOutputType` of a document that is a page; 1 is a PDF."""


class PrimeGov(Entries):
    """`query: {platform: primegov, client: …}`."""

    name = "primegov"
    lacking = "id"
    media_type = "application/json"

    def address(self, block: Block) -> str:
        """Returns the list of the years that are archived."""
        return f"{_server(block)}{YEARS}"

    def read(self, block: Block, fetched: Fetched) -> Page:
        """Returns the lists that the years name, or the meetings of a list. Raises Unreadable."""
        content = fetched.body.content()
        if YEARS.lower() in fetched.final_url.lower():
            return _lists(_server(block), values.parsed(content))
        if values.is_web_page(content):
            raise values.Unreadable(values.WEB_PAGE)
        scan = Scan(content.decode("utf-8-sig", "surrogateescape"))
        scan.run()
        found = []
        for meeting, text in scan.elements:
            entry = self._entry(block, meeting, text, fetched.final_url)
            found += [entry] if entry else []
        warnings = () if scan.fault is None else (f"it breaks off: {scan.fault}",)
        return Page(tuple(found), len(scan.elements) - len(found), warnings=warnings)

    def _entry(self, block: Block, value: Any, text: str, document: str) -> Entry | None:
        meeting = values.mapping(value)
        identifier = values.identifier(meeting.get("id"))
        address = self.entry(block, None, identifier)
        if address is None:
            return None
        fragment = text.encode("utf-8", "surrogateescape")
        documents = [values.mapping(each) for each in values.listed(meeting.get("documentList"))]
        published = (values.moment(each.get("publishDate")) for each in documents)
        return Entry(
            address,
            _title(meeting),
            max(filter(None, published), default=None),
            identity(identifier, fragment),
            fragment=fragment,
            files=tuple(_files(_server(block), documents)),
            found_in=document,
        )


def _lists(server: str, value: Any) -> Page:
    """The lists of meetings: those to come, and those of each year."""
    stated = values.rows(value, "the list of years")
    years = [year for each in stated if (year := values.identifier(each)) and year.isdecimal()]
    lists = (f"{server}{UPCOMING}", *(f"{server}{ARCHIVED}{year}" for year in years))
    return Page((), len(stated) - len(years), branches=lists)


def _title(meeting: Json) -> str | None:
    title = values.text(meeting.get("title"))
    day = values.text(meeting.get("dateTime"))
    return f"{title}, {day[:10]}" if title and day else title


def _files(server: str, documents: list[Json]) -> Iterator[str]:
    for document in documents:
        stated = values.text(document.get("link"))
        template = values.identifier(document.get("templateId"))
        kind = values.identifier(document.get("compileOutputType"))
        if stated:
            yield stated
        elif template and kind == str(_PAGE):
            yield f"{server}/Portal/Meeting?meetingTemplateId={quote(template)}"
        elif template:
            output = f"&compileOutputType={quote(kind)}" if kind else ""
            yield f"{server}/Public/CompiledDocument?meetingTemplateId={quote(template)}{output}"


def _server(block: Block) -> str:
    return base_of(block, SERVER.format(client=block["client"]))
