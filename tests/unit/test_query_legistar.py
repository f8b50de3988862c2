"""Legistar's Web API: matters with their attachments, meetings with their items, tokens."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from centinel.answers import Fetched
from centinel.configuration import Source
from centinel.liveness import Refusal
from centinel.record import Liveness, Resource
from centinel.sources.platforms import legistar, walking
from centinel.sources.query import Query
from tests.sites.platforms import Legistar, as_json, attachment, event, matter
from tests.sites.server import Answer
from tests.unit.querying import addresses_of, enumerated, parts_of, query
from tests.unit.support import client

FIRST = "/v1/seattle/matters?$orderby=MatterId&$top=1000&$skip=0"


@pytest.fixture
def vendor() -> Iterator[Legistar]:
    """The API of one client."""
    with Legistar() as running:
        yield running


def block(vendor: Legistar, what: str = "matters", **keys: Any) -> Source:
    """A source of one list of the client."""
    return query("legistar", client="seattle", what=what, url=f"{vendor.address}/v1", **keys)


def test_without_an_address_the_vendor_s_own_host_is_asked() -> None:
    source = query("legistar", client="seattle", what="events")
    assert Query().address(source) == "https://webapi.legistar.com/v1/seattle/events"
    assert not Query().private_is_allowed(
        query("legistar", client="a", what="b", url="http://8.8.8.8")
    )


def test_a_filter_is_part_of_the_address_and_of_every_page(
    vendor: Legistar, tmp_path: Path
) -> None:
    vendor.lists["events"] = [event(1, None)]
    source = block(vendor, "events", filter="EventDate ge datetime'2014-01-01'")
    base = f"{vendor.address}/v1/seattle/events?$filter=EventDate%20ge%20datetime%272014-01-01%27"
    assert Query().address(source) == base
    enumerated(source, tmp_path)
    pages = vendor.asked_under("/v1/seattle/events?")
    assert pages[0] == base.removeprefix(vendor.address) + "&$orderby=EventId&$top=1000&$skip=0"
    assert len(pages) == 2


def test_every_page_is_asked_to_the_empty_one(vendor: Legistar, tmp_path: Path) -> None:
    vendor.lists["matters"] = [matter(number) for number in range(2500, 0, -1)]
    found = enumerated(block(vendor), tmp_path)
    assert (found.reason, found.truncated, found.method) == (None, False, "legistar")
    assert addresses_of(found) == [
        f"{vendor.address}/v1/seattle/matters/{number}" for number in range(1, 2501)
    ]
    assert found.resources[0] == Resource(
        f"{vendor.address}/v1/seattle/matters/1", "2017-07-31T23:46:47.397000Z", "Ordinance 1"
    )
    skips = [page.rpartition("=")[2] for page in vendor.asked_under("/v1/seattle/matters?")]
    assert skips == ["0", "1000", "2000", "2500"]
    assert found.figures == {"requests": 4, "declared": None}


def test_a_cap_below_the_documented_one_is_met(vendor: Legistar, tmp_path: Path) -> None:
    vendor.cap, vendor.lists["matters"] = 40, [matter(number) for number in range(1, 102)]
    found = enumerated(block(vendor), tmp_path)
    assert (len(found.resources), found.truncated) == (101, False)


def test_exactly_the_cap_is_whole_where_nothing_is_behind_the_last_id(
    vendor: Legistar, tmp_path: Path
) -> None:
    vendor.lists["matters"] = [matter(number) for number in range(1, 1001)]
    found = enumerated(block(vendor), tmp_path)
    assert (found.reason, len(found.resources), found.truncated) == (None, 1000, False)
    behind = "/v1/seattle/matters?$filter=MatterId%20gt%201000&$orderby=MatterId&$top=1000&$skip=0"
    assert vendor.asked_under("/v1/seattle/matters?")[2:] == [behind]


def test_a_list_that_is_paged_to_its_cap_is_had_whole_behind_each_last_id(
    vendor: Legistar, tmp_path: Path
) -> None:
    vendor.window, vendor.lists["matters"] = 1000, [matter(n) for n in range(2500, 0, -1)]
    found = enumerated(block(vendor, filter="MatterBodyId eq 138"), tmp_path)
    assert (found.reason, found.truncated, found.warnings) == (None, False, [])
    assert len(found.resources) == 2500
    filters = [page.partition("&")[0] for page in vendor.asked_under("/v1/seattle/matters?")]
    own = "/v1/seattle/matters?$filter=MatterBodyId%20eq%20138"
    narrowed = "/v1/seattle/matters?$filter=(MatterBodyId%20eq%20138)%20and%20MatterId%20gt%20"
    assert filters == [own, own, *[f"{narrowed}1000"] * 2, *[f"{narrowed}2000"] * 2]
    assert "its pages end early: gone on with 2 times, behind the last record" in found.notes


def test_going_on_behind_ids_is_bounded_and_says_so(
    vendor: Legistar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walking, "MOST_REQUESTS", 5)
    vendor.window, vendor.lists["matters"] = 1000, [matter(n) for n in range(1, 9001)]
    found = enumerated(block(vendor), tmp_path)
    assert (len(found.resources), found.truncated) == (3000, True)
    assert found.warnings == ["stopped at 5 requests, with a next page left"]
    assert len(vendor.asked_under("/v1/seattle/matters?")) == 5


def test_exactly_the_cap_is_suspect_where_the_filter_has_no_effect(
    vendor: Legistar, tmp_path: Path
) -> None:
    vendor.window = 1000
    vendor.ignores_filter, vendor.lists["matters"] = True, [matter(n) for n in range(1, 2001)]
    found = enumerated(block(vendor), tmp_path)
    assert (found.reason, len(found.resources), found.truncated) == (None, 1000, True)
    assert found.warnings == [
        "exactly 1000 records, the most that one page has, and no total: there may be more"
    ]


def test_a_server_that_ignores_skip_is_walked_by_ids(vendor: Legistar, tmp_path: Path) -> None:
    vendor.ignores_skip, vendor.lists["matters"] = True, [matter(n) for n in range(1, 2001)]
    found = enumerated(block(vendor), tmp_path)
    assert (found.reason, len(found.resources), found.truncated) == (None, 2000, False)
    assert len(vendor.asked_under("/v1/seattle/matters?")) == 5
    assert found.notes[-1] == "2000 rows repeat records that were there before"


def test_a_server_that_ignores_skip_and_filter_ends_the_walk(
    vendor: Legistar, tmp_path: Path
) -> None:
    vendor.ignores_skip, vendor.ignores_filter = True, True
    vendor.lists["matters"] = [matter(number) for number in range(1, 2001)]
    found = enumerated(block(vendor), tmp_path)
    assert (found.reason, len(found.resources), found.truncated) == (None, 1000, True)
    assert len(vendor.asked_under("/v1/seattle/matters?")) == 3
    assert "the same records again: its paging has no effect" in found.warnings[0]


def test_a_list_that_is_not_in_the_order_asked_for_proves_nothing(
    vendor: Legistar, tmp_path: Path
) -> None:
    rows = [matter(number) for number in range(1000, 0, -1)]
    vendor.set(FIRST, as_json(rows))
    vendor.set(FIRST.replace("skip=0", "skip=1000"), as_json([]))
    found = enumerated(block(vendor), tmp_path)
    assert (len(found.resources), found.truncated) == (1000, True)
    assert len(vendor.asked_under("/v1/seattle/matters?")) == 2


@pytest.mark.parametrize(
    ("what", "record", "address", "title"),
    [
        ("matters", matter(7, "  A\n title "), "/7", "A title"),
        (
            "events",
            event(896, None),
            "/896?EventItems=1&AgendaNote=1&MinutesNote=1&EventItemAttachments=1",
            "City Council, 2014-01-07",
        ),
        ("bodies", {"BodyId": 138, "BodyName": "City Council"}, "/138", "City Council"),
        ("persons", {"PersonId": 3, "PersonFullName": "Hess Yntema"}, "/3", "Hess Yntema"),
        ("officerecords", {"OfficeRecordId": 4, "OfficeRecordTitle": "Mayor"}, "/4", "Mayor"),
    ],
)
def test_each_list_has_its_addresses_and_titles(
    vendor: Legistar, tmp_path: Path, what: str, record: dict[str, Any], address: str, title: str
) -> None:
    vendor.lists[what] = [record]
    found = enumerated(block(vendor, what), tmp_path)
    assert addresses_of(found) == [f"{vendor.address}/v1/seattle/{what}{address}"]
    assert found.resources[0].title == title


# Files


def test_the_files_of_a_meeting_are_those_that_it_names() -> None:
    source = query("legistar", client="seattle", what="events")
    host = "https://legistar1.granicus.com/seattle"
    record = {
        **event(896, f"{host}/A.pdf", f"{host}/M.pdf"),
        "EventItems": [
            {"EventItemMatterAttachments": [attachment(1, f"{host}/1.pdf")]},
            {"EventItemMatterAttachments": None},
            {"EventItemMatterAttachments": [attachment(1, f"{host}/1.pdf"), attachment(2, None)]},
        ],
    }
    found = parts_of(source, record, "https://webapi.legistar.com/v1/seattle/events/896")
    assert found.addresses == (f"{host}/A.pdf", f"{host}/M.pdf", f"{host}/1.pdf")
    assert found.notes == ()


def test_a_matter_is_fetched_with_its_list_of_files(vendor: Legistar, tmp_path: Path) -> None:
    vendor.lists["matters"] = [matter(7)]
    vendor.attachments["7"] = [attachment(1, "https://files.example/1.pdf"), attachment(2, None)]
    source, kind, asks = block(vendor), Query(), client(tmp_path)
    address = f"{vendor.address}/v1/seattle/matters/7"
    answer = kind.fetch(source, asks, address, {"etag": '"known"'})
    assert isinstance(answer, Fetched)
    found = kind.parts(source, Resource(address), answer, "json")
    assert found.addresses == (
        f"{address}/attachments",
        "https://files.example/1.pdf",
        f"{address}/attachments/2/file",
    )
    listing = kind.fetch(source, asks, f"{address}/attachments", {})
    assert isinstance(listing, Fetched)
    assert listing.body.path.read_bytes() == listing.body.content()
    assert vendor.asked("/v1/seattle/matters/7/attachments") == 1
    # What was handed over is asked for when it is due again.
    assert isinstance(kind.fetch(source, asks, f"{address}/attachments", {}), Fetched)
    assert vendor.asked("/v1/seattle/matters/7/attachments") == 2
    assert all("if-none-match" not in each.headers for each in vendor.requests)


@pytest.mark.parametrize(
    ("answer", "note", "liveness"),
    [
        (as_json([], 500), "http 500", Liveness.ERROR),
        (as_json([], 404), "http 404", Liveness.GONE),
        (Answer(b"<!DOCTYPE html><p>", "text/html"), "a web page instead", Liveness.ERROR),
        (as_json({"Message": "new"}), "schema changed: the list is no list", None),
    ],
)
def test_a_list_of_files_that_does_not_come_keeps_the_matter(
    vendor: Legistar, tmp_path: Path, answer: Answer, note: str, liveness: Liveness | None
) -> None:
    vendor.lists["matters"] = [matter(7)]
    vendor.set("/v1/seattle/matters/7/attachments", answer)
    source, kind, asks = block(vendor), Query(), client(tmp_path)
    address = f"{vendor.address}/v1/seattle/matters/7"
    record = kind.fetch(source, asks, address, {})
    assert isinstance(record, Fetched)
    found = kind.parts(source, Resource(address), record, "json")
    assert found.addresses == (f"{address}/attachments",)
    assert found.notes[0].startswith(f"files not known: {address}/attachments: {note}")
    listing = kind.fetch(source, asks, f"{address}/attachments", {})
    assert (listing.liveness if isinstance(listing, Refusal) else None) == liveness
    assert vendor.asked("/v1/seattle/matters/7/attachments") == 1


def test_bodies_that_nobody_asked_for_leave_no_file(vendor: Legistar, tmp_path: Path) -> None:
    vendor.lists["matters"] = [matter(number) for number in (7, 8)]
    source, kind, asks = block(vendor), Query(), client(tmp_path)
    for number in (7, 8):
        answer = kind.fetch(source, asks, f"{vendor.address}/v1/seattle/matters/{number}", {})
        assert isinstance(answer, Fetched)
        answer.body.discard()
    assert len(list(tmp_path.iterdir())) <= 1  # at most the list of the last one


# Tokens


TOKEN = "long/base64+token=="


def test_a_token_is_sent_and_never_recorded(
    vendor: Legistar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CENTINEL_LEGISTAR_TOKEN_SEATTLE", TOKEN)
    vendor.token, vendor.lists["matters"] = TOKEN, [matter(7)]
    vendor.attachments["7"] = [attachment(1, f"{vendor.address}/files/1.pdf")]
    vendor.set("/files/1.pdf", Answer(b"%PDF-1.4", "application/pdf"))
    source, kind, asks = block(vendor), Query(), client(tmp_path)
    found = kind.enumerate(source, asks)
    assert (found.reason, len(found.resources)) == (None, 1)
    address = found.resources[0].address
    record = kind.fetch(source, asks, address, {})
    assert isinstance(record, Fetched)
    named = kind.parts(source, found.resources[0], record, "json")
    file = kind.fetch(source, asks, named.addresses[1], {})
    assert isinstance(file, Fetched)
    everything = f"{found}{record}{named}{file}{kind.address(source)}"
    assert "token=" not in everything
    assert "base64" not in everything
    sent = [each for each in vendor.paths() if "token=" in each]
    assert sent == vendor.asked_under("/v1/")
    assert vendor.asked("/files/1.pdf") == 1


def test_a_token_is_not_in_a_redirect_or_a_reason(
    vendor: Legistar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CENTINEL_LEGISTAR_TOKEN_SEATTLE", TOKEN)
    away = f"{vendor.address}/v1/seattle/matters/8?token=long%2Fbase64%2Btoken%3D%3D"
    asked = "/v1/seattle/matters/7?token=long%2Fbase64%2Btoken%3D%3D"
    vendor.set(asked, Answer(status=302, headers=(("Location", away),)))
    vendor.set(away.removeprefix(vendor.address), as_json(matter(8)))
    source, kind, asks = block(vendor, "bodies"), Query(), client(tmp_path)
    answer = kind.fetch(source, asks, f"{vendor.address}/v1/seattle/matters/7", {})
    assert isinstance(answer, Fetched)
    assert answer.final_url == f"{vendor.address}/v1/seattle/matters/8?token=***"
    vendor.set(away.removeprefix(vendor.address), Answer(reset=True))
    refused = kind.fetch(source, asks, f"{vendor.address}/v1/seattle/matters/7", {})
    assert isinstance(refused, Refusal)
    assert TOKEN not in f"{refused}"
    assert "base64" not in f"{refused}"


def test_a_refusal_without_a_token_says_where_it_belongs(
    vendor: Legistar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CENTINEL_LEGISTAR_TOKEN_SEATTLE", raising=False)
    vendor.token = TOKEN
    found = enumerated(block(vendor), tmp_path)
    assert found.reason == f"{vendor.address}{FIRST}: http 403"
    hint = "some clients want a token: set CENTINEL_LEGISTAR_TOKEN_SEATTLE"
    assert found.notes[-1] == hint
    assert legistar.variable_of("st-louis.mo") == "CENTINEL_LEGISTAR_TOKEN_ST_LOUIS_MO"
    assert "CENTINEL_LEGISTAR_TOKEN_ST_LOUIS_MO" not in os.environ
