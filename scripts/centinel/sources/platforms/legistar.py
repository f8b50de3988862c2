"""Legistar's Web API (https://webapi.legistar.com/Home/Examples, https://webapi.legistar.com/Help).

A record is asked for at its own address, `{api}/{client}/{what}/{id}`. Files of a meeting stand in
its record, which is asked for with its items and their attachments. Files of a matter stand in a
list of their own, `…/attachments`, which is asked for with the matter and is a part of it.
"Items returned to GET requests are limited to those items marked as public".

Some clients want a token. It is read from the environment variable `CENTINEL_LEGISTAR_TOKEN_` and
the client's name in upper case, other characters as `_`; it is added to each request and written
nowhere.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from centinel import addresses
from centinel.answers import Answer, Fetched
from centinel.liveness import Refusal
from centinel.record import Json, Resource
from centinel.sources.platforms import values
from centinel.sources.platforms.asking import Asking, Secret
from centinel.sources.platforms.paged import Paged, base_of, with_query
from centinel.sources.platforms.records import Block, Memory, Page, Place, Record, Walked
from centinel.sources.source_kind import Parts

API = "https://webapi.legistar.com/v1"
TOKEN = "CENTINEL_LEGISTAR_TOKEN_"  # noqa: S105 (the name of a variable)

CAP = 1000
"""Rows of one answer ("queries replies are limited to 1000 responses"); a larger `$top` is not
kept to."""

_UNAUTHORISED = frozenset({401, 403})


def _no_files(record: Json) -> Iterable[Any]:  # noqa: ARG001 (the others read it)
    return ()


def _files_of_event(record: Json) -> Iterable[Any]:
    """Agenda, minutes, and the attachments of the items: GranicusEvent, GranicusEventItem."""
    yield record.get("EventAgendaFile")
    yield record.get("EventMinutesFile")
    for item in values.listed(record.get("EventItems")):
        for each in values.listed(values.mapping(item).get("EventItemMatterAttachments")):
            yield values.mapping(each).get("MatterAttachmentHyperlink")


@dataclass(frozen=True)
class What:
    """One list of the API."""

    noun: str
    """How the names of its fields begin."""
    titles: tuple[str, ...]
    """The first of these that says something is the title."""
    expanded: Mapping[str, str]
    """What the address of one record asks for beside it."""
    files: Callable[[Json], Iterable[Any]]
    has_attachments: bool = False


_WITH_ITEMS = {
    "EventItems": "1",
    "AgendaNote": "1",
    "MinutesNote": "1",
    "EventItemAttachments": "1",
}
WHAT = {
    "matters": What("Matter", ("MatterTitle", "MatterName", "MatterFile"), {}, _no_files, True),
    "events": What("Event", ("EventBodyName",), _WITH_ITEMS, _files_of_event),
    "bodies": What("Body", ("BodyName",), {}, _no_files),
    "persons": What("Person", ("PersonFullName",), {}, _no_files),
    "officerecords": What("OfficeRecord", ("OfficeRecordTitle",), {}, _no_files),
}
"""The lists whose records have an address of their own; the schema offers the same."""


def variable_of(client: str) -> str:
    """Returns the environment variable that holds a client's token."""
    return TOKEN + re.sub(r"[^A-Z0-9]", "_", client.upper())


class Legistar(Paged):
    """`query: {platform: legistar, client: …, what: …}`."""

    name = "legistar"
    lacking = "id"
    cap = CAP
    both = "({}) and {}"

    def address(self, block: Block) -> str:
        """Returns the list; with the block's `filter`, in OData's words."""
        stated = {"$filter": block["filter"]} if "filter" in block else {}
        return with_query(f"{_client(block)}/{block['what']}", stated)

    def secret(self, block: Block) -> Secret | None:
        """Returns the client's token, where the environment has one."""
        token = os.environ.get(variable_of(block["client"]), "")
        return Secret(token, "token", f"{_client(block)}/") if token else None

    def at(self, block: Block, rows: int) -> Mapping[str, str]:
        """Ordered by id, so that what is added while pages are read comes last."""
        order = f"{WHAT[block['what']].noun}Id"
        return {"$orderby": order, "$top": str(CAP), "$skip": str(rows)}

    def behind(self, block: Block, place: Place) -> str:
        """Returns OData's filter for larger ids."""
        return f"{WHAT[block['what']].noun}Id gt {place}"

    def read(self, block: Block, fetched: Fetched) -> Page:
        """Returns what a page says: a list of records. Raises Unreadable."""
        what = WHAT[block["what"]]
        listed = values.rows(values.parsed(fetched.body.content()), "the page")
        found = tuple(filter(None, (self._record(block, what, each) for each in listed)))
        return Page(found, len(listed) - len(found), cap=CAP)

    def _record(self, block: Block, what: What, row: Any) -> Record | None:
        record = values.mapping(row)
        number = values.identifier(record.get(f"{what.noun}Id"))
        if number is None or not number.isdecimal():
            return None
        address = with_query(f"{_client(block)}/{block['what']}/{number}", what.expanded)
        title = values.first_text(record, what.titles)
        day = values.text(record.get("EventDate"))
        if title and day:
            title = f"{title}, {day[:10]}"
        lastmod = values.moment(record.get(f"{what.noun}LastModifiedUtc"))
        return Record(address, title, lastmod, place=int(number))

    def is_record(self, block: Block, artifact: str) -> bool:
        """Returns whether an address is of the API, and no file that it hands out."""
        return artifact.startswith(f"{_client(block)}/") and not artifact.endswith("/file")

    def hints(self, block: Block, walked: Walked) -> list[str]:
        """Says where a token belongs, where the vendor wants one."""
        if walked.http_status in _UNAUTHORISED and self.secret(block) is None:
            return [f"some clients want a token: set {variable_of(block['client'])}"]
        return []

    def fetch(
        self,
        block: Block,
        asking: Asking,
        artifact: str,
        validators: Mapping[str, str],
        memory: Memory,
    ) -> Answer:
        """Asks for a record with its list of files, for that list alone, or for a file.

        A matter is asked for without validators: that it is unchanged says nothing of its files.
        """
        if artifact in memory.answers:
            return memory.answers.pop(artifact)
        listing = _attachments_of(block, artifact)
        if listing is None:
            return super().fetch(block, asking, artifact, validators, memory)
        memory.forget_answers()
        answer = self.record(asking, artifact, {})
        if isinstance(answer, Fetched):
            try:
                memory.answers[listing] = self.record(asking, listing, {})
            except BaseException:
                answer.body.discard()
                raise
        return answer

    def parts(self, block: Block, resource: Resource, fetched: Fetched, memory: Memory) -> Parts:
        """Returns the files that a record names, and the list in which a matter's stand."""
        record = values.mapping(values.parsed(fetched.body.content()), "the record")
        own = (resource.address, fetched.final_url)
        listing = _attachments_of(block, resource.address)
        if listing is None:
            return values.files(WHAT[block["what"]].files(record), fetched.final_url, own)
        answer = memory.answers.get(listing)
        try:
            stated = _stated(listing, answer)
        except values.Unreadable as error:
            return Parts((listing,), (f"files not known: {listing}: {error}",))
        found = values.files(stated, listing, own)
        return replace(found, addresses=(listing, *found.addresses))


def _stated(listing: str, answer: Answer | None) -> list[Any]:
    """The addresses in a matter's list of files; raises Unreadable."""
    if not isinstance(answer, Fetched):
        reason = answer.reason if isinstance(answer, Refusal) else "it was not asked for"
        raise values.Unreadable(reason)
    attachments = values.rows(values.parsed(answer.body.content()), "the list")
    return [_file_of(listing, values.mapping(each)) for each in attachments]


def _file_of(listing: str, attachment: Json) -> str | None:
    """Where an attachment is: what it names, else where the API hands its file out."""
    named = values.text(attachment.get("MatterAttachmentHyperlink"))
    number = values.identifier(attachment.get("MatterAttachmentId"))
    return named or (f"{listing}/{number}/file" if number else None)


def _attachments_of(block: Block, address: str) -> str | None:
    """The list of files that belongs to a record; None where there is none."""
    start, _, number = address.rpartition("/")
    is_record = start == f"{_client(block)}/{block['what']}" and number.isdecimal()
    return f"{address}/attachments" if is_record and WHAT[block["what"]].has_attachments else None


def _client(block: Block) -> str:
    api = base_of(block, API)
    address = f"{api}/{block['client']}"
    return addresses.canonical(address) or address
