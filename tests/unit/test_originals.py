"""An address that had a session is one address, and how it was written is kept in the record."""

import pytest

from centinel import addresses
from centinel.files import as_lines
from centinel.journal import read_snapshot
from centinel.snapshot import take
from centinel.sources.website import Website
from centinel.store import Store
from tests.sites.server import Answer, Site, robots, sitemap
from tests.unit.acquiring import DOCUMENT, page, run
from tests.unit.support import (
    DAY,
    PAGE,
    Clock,
    assert_valid,
    client,
    lines_of,
    observed_in,
    record_of,
    source,
)


@pytest.mark.parametrize(
    ("written", "original"),
    [
        ("https://a.gov/x;jsessionid=AB12CD34EF", "https://a.gov/x;jsessionid=AB12CD34EF"),
        ("HTTPS://A.gov/x?PHPSESSID=ab12cd34ef&b=1", "https://a.gov/x?PHPSESSID=ab12cd34ef&b=1"),
        ("/x?b=1&sid=a1b2c3d4e5#top", "https://a.gov/x?b=1&sid=a1b2c3d4e5"),
        (
            "/(S(abcdefghij0123456789abcd))/x.aspx",
            "https://a.gov/(S(abcdefghij0123456789abcd))/x.aspx",
        ),
        ("https://user:secret@a.gov/x?CFID=1&CFTOKEN=2", "https://a.gov/x?CFID=1&CFTOKEN=2"),
    ],
)
def test_what_was_dropped_from_an_address_is_known(written: str, original: str) -> None:
    assert addresses.original(written, "https://a.gov/") == original
    assert addresses.canonical(written, "https://a.gov/") == addresses.canonical(original)
    assert "secret" not in original


@pytest.mark.parametrize(
    "written", ["https://a.gov/x?sid=7", "https://a.gov/x (1).pdf", "/x?b=1#sid=1", "mailto:a@b.c"]
)
def test_an_address_without_a_session_has_no_other_form(written: str) -> None:
    assert addresses.original(written, "https://a.gov/") is None


def published(site: Site, session: str, enclosed: str) -> None:
    """A page and its document, both named with a session."""
    site.set("/robots.txt", Answer(robots(f"Sitemap: {site.address}/sitemap.xml"), "text/plain"))
    named = sitemap([f"{site.address}/page;jsessionid={session}"])
    site.set("/sitemap.xml", Answer(named, "application/xml"))
    site.set("/page", page(f"/fees.pdf?sid={enclosed}"))
    site.set("/fees.pdf", DOCUMENT)


def test_a_session_that_rotated_makes_no_other_snapshot(store: Store, site: Site) -> None:
    given, clock = source(site.address + "/"), Clock()
    snapshots = []
    for session in ("AB12CD34EF", "99ZZ88YY77"):
        published(site, session, "a1b2c3d4e5")
        report = take(store, given, Website(), client(store.incoming), clock)
        snapshots.append(store.snapshot.read_bytes())
        assert report.figures["sessions_dropped"] == 1
        clock.move(DAY)
    assert report.new == report.vanished == 0
    assert snapshots[0] == snapshots[1]
    assert b"jsessionid" not in snapshots[0]
    kept = [read_snapshot(store, line["snapshot"]) for line in record_of(store)]
    assert [each.original for (each,) in kept] == [
        f"{site.address}/page;jsessionid=AB12CD34EF",
        f"{site.address}/page;jsessionid=99ZZ88YY77",
    ]
    assert_valid([line.to_json() for line in kept[0]], "resource")
    assert as_lines(kept[0]) != snapshots[0]


def test_an_observation_has_the_original_of_its_address_and_of_its_parts(
    store: Store, site: Site
) -> None:
    published(site, "AB12CD34EF", "a1b2c3d4e5")
    given = source(site.address + "/")
    take(store, given, Website(), client(store.incoming), Clock())
    run(store, site)
    assert observed_in(store) == [f"{site.address}/page", f"{site.address}/fees.pdf"]
    seen, document = (line for line in record_of(store) if line["type"] == "observation")
    assert seen["originals"] == {
        f"{site.address}/page": f"{site.address}/page;jsessionid=AB12CD34EF",
        f"{site.address}/fees.pdf": f"{site.address}/fees.pdf?sid=a1b2c3d4e5",
    }
    assert "originals" not in document
    assert_valid([seen, document], "record_line")
    assert all("original" not in line for line in lines_of(store.artifacts))


def test_a_server_that_wants_its_session_in_the_address_gets_it(store: Store, site: Site) -> None:
    """ASP.NET without cookies: each address leads to itself with a session, which it serves."""
    session = "/(S(abcdefghij0123456789abcd))"
    site.set("/a.aspx", Answer(status=302, headers=(("Location", f"{session}/a.aspx"),)))
    site.set(f"{session}/a.aspx", Answer(b"<p>Minutes</p>", PAGE))
    asking = client(store.incoming)
    answer = asking.get(f"{site.address}/a.aspx")
    assert (answer.final_url, answer.http_status) == (f"{site.address}/a.aspx", 200)
    assert site.paths()[1:] == ["/a.aspx", f"{session}/a.aspx"]
