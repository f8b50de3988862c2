"""PrimeGov: every year and what is to come, meetings as entries, documents as their files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from centinel.configuration import Source
from centinel.record import Resource
from centinel.sources.platforms import primegov
from centinel.sources.query import Query
from centinel.store import Store
from tests.sites.platforms import as_json
from tests.sites.portals import PrimeGov, document, meeting
from tests.sites.server import Answer, Site
from tests.unit.investigating import ask, front, prepare, recognised, recogniser
from tests.unit.querying import acquired, addresses_of, bytes_of, enumerated, observations_of, query

API = "/api/v2/PublicPortal"
YEARS = f"{API}/GetArchivedMeetingYears"


@pytest.fixture
def vendor() -> Iterator[PrimeGov]:
    """The portal of one client."""
    with PrimeGov() as running:
        running.archived = {
            2025: [meeting(2, document(20, "Minutes"), day="2025-06-03")],
            2026: [meeting(3, document(30, "Agenda"), document(30, "HTML Agenda", 3))],
        }
        running.upcoming = [meeting(4, day="2026-02-01")]
        yield running


def block(vendor: PrimeGov, **keys: Any) -> Source:
    """A source of the whole portal."""
    return query("primegov", client="alder", url=vendor.address, **keys)


def test_without_an_address_the_portal_of_the_client_is_asked() -> None:
    source = query("primegov", client="lacity")
    assert Query().address(source) == f"https://lacity.primegov.com{YEARS}"


def test_what_is_to_come_and_every_year_are_listed(vendor: PrimeGov, tmp_path: Path) -> None:
    found = enumerated(block(vendor), tmp_path)
    assert (found.reason, found.truncated, found.warnings) == (None, False, [])
    assert found.method == "primegov"
    base = f"{vendor.address}{YEARS}"
    assert sorted(addresses_of(found)) == [f"{base}#2", f"{base}#3", f"{base}#4"]
    assert Resource(
        f"{base}#3", "2026-01-09T19:29:40.647000Z", "City Council Meeting, 2026-01-12"
    ) in (found.resources)
    assert vendor.asked_under(API) == [
        YEARS,
        f"{API}/ListUpcomingMeetings",
        f"{API}/ListArchivedMeetings?year=2026",
        f"{API}/ListArchivedMeetings?year=2025",
    ]


def test_a_meeting_that_stands_in_two_lists_is_one(vendor: PrimeGov, tmp_path: Path) -> None:
    vendor.upcoming = list(vendor.archived[2026])
    found = enumerated(block(vendor), tmp_path)
    assert (len(found.resources), found.truncated) == (2, False)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(status=500), "http 500"),
        (Answer(b"<!doctype html><p>Blocked", "text/html"), "a web page instead of a record"),
        (as_json({"error": "no"}), "schema changed: no list"),
    ],
)
def test_a_year_that_cannot_be_had_cuts_and_the_others_are_listed(
    vendor: PrimeGov, tmp_path: Path, answer: Answer, reason: str
) -> None:
    vendor.set(f"{API}/ListArchivedMeetings?year=2026", answer)
    found = enumerated(block(vendor), tmp_path)
    assert (found.reason, len(found.resources), found.truncated) == (None, 2, True)
    year = f"{vendor.address}{API}/ListArchivedMeetings?year=2026"
    assert found.warnings[0].startswith(f"{year}: {reason}")


def test_a_portal_whose_years_cannot_be_had_fails(vendor: PrimeGov, tmp_path: Path) -> None:
    vendor.set(YEARS, as_json({"Message": "gone"}, 404))
    found = enumerated(block(vendor), tmp_path)
    assert found.reason == f"{vendor.address}{YEARS}: http 404"


def test_a_meeting_is_acquired_with_its_documents(store: Store, vendor: PrimeGov) -> None:
    linked = document(31, "Packet", link=f"{vendor.address}/files/packet.pdf")
    vendor.archived[2026][0]["documentList"].append(linked)
    vendor.pdfs = {"20": b"%PDF-1.4 minutes", "30": b"%PDF-1.4 agenda"}
    vendor.set("/files/packet.pdf", Answer(b"%PDF-1.4 packet", "application/pdf"))
    vendor.set("/Portal/Meeting?meetingTemplateId=30", Answer(b"<p>Agenda", "text/html"))
    state = acquired(store, block(vendor))
    base, found = f"{vendor.address}{YEARS}", bytes_of(store)
    compiled = f"{vendor.address}/Public/CompiledDocument?meetingTemplateId="
    assert found[f"{compiled}30&compileOutputType=1"] == b"%PDF-1.4 agenda"
    assert found[f"{compiled}20&compileOutputType=1"] == b"%PDF-1.4 minutes"
    assert found[f"{vendor.address}/Portal/Meeting?meetingTemplateId=30"] == b"<p>Agenda"
    assert found[f"{vendor.address}/files/packet.pdf"] == b"%PDF-1.4 packet"
    assert orjson.loads(found[f"{base}#3"]) == vendor.archived[2026][0]
    assert len(found) == 7
    seen = observations_of(store)
    assert seen[f"{compiled}30&compileOutputType=1"]["title"] == "City Council Meeting, 2026-01-12"
    assert (state["remaining"], vendor.asked(YEARS)) == (0, 2)


def test_investigate_recognises_a_portal_and_a_link_to_one(
    vendor: PrimeGov, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(tmp_path, monkeypatch)
    monkeypatch.setattr(primegov, "SERVER", vendor.address)
    front(site, '<a href="https://alder.primegov.com/public/portal">Meetings</a>')
    found = ask(site)
    assert recognised(found) == ["primegov"]
    (offered,) = found["blocks"]
    assert offered["block"] == {"query": {"platform": "primegov", "client": "alder"}}
    assert (offered["found"], offered["at_least"]) == (2, True)
    assert recogniser(found, "primegov")["evidence"][0].startswith("client alder: at least 2")
    assert len(vendor.asked_under(API)) == 3
