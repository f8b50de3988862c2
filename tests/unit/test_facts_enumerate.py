"""What earlier systems got wrong while they listed addresses (rows 20.6, 20.7 and 20.29)."""

from datetime import timedelta

from centinel import snapshot
from centinel.record import SnapshotReport
from centinel.sources.website import Website
from centinel.store import Store
from tests.sites.server import Answer, Site, sitemap
from tests.unit.acquiring import DOCUMENT, page, run, states
from tests.unit.support import PAGE, client, lines_of, observed_in, robots_of, source

XML = "application/xml"
VIEW = "/Documents/DownloadFileBytes/agenda.pdf?documentType=2&meetingId="
DECOY = "/Documents/DownloadFile/agenda.pdf?documentType=2&meetingId="


def enumerate_and_acquire(store: Store, site: Site) -> SnapshotReport:
    """One snapshot of a site, and one acquire job over it."""
    asking = client(store.incoming)
    report = snapshot.take(store, source(site.address + "/"), Website(), asking)
    run(store, site)
    return report


def test_nothing_is_asked_that_nobody_named(store: Store, site: Site) -> None:
    robots_of(site, {"Sitemap": "/map.xml"})
    site.set("/map.xml", Answer(sitemap([f"{site.address}/meeting?id=131"]), XML))
    for number in range(130, 134):
        site.set(f"/meeting?id={number}", page(f"{VIEW}{number}"))
        site.set(f"{VIEW}{number}", DOCUMENT)
        site.set(f"{DECOY}{number}", Answer(b"<p>See the other address</p>", PAGE))

    report = enumerate_and_acquire(store, site)

    assert report.found == 1
    assert set(site.paths()) == {"/robots.txt", "/map.xml", "/meeting?id=131", f"{VIEW}131"}
    assert observed_in(store) == [f"{site.address}/meeting?id=131", f"{site.address}{VIEW}131"]


def test_a_refused_front_page_ends_no_enumeration(store: Store, site: Site) -> None:
    robots_of(site, {"Sitemap": "/map.xml"})
    site.set("/map.xml", Answer(sitemap([f"{site.address}/", f"{site.address}/a"]), XML))
    site.set("/", Answer(b"no", PAGE, status=403))
    site.set("/a", Answer(b"a", PAGE))

    report = enumerate_and_acquire(store, site)

    assert (report.outcome, report.found, report.truncated) == ("ok", 2, False)
    found = states(store, site)
    assert (found["/"]["liveness"], found["/"]["reason"]) == ("blocked", "http 403")
    assert [line["artifact"] for line in lines_of(store.artifacts)] == [f"{site.address}/a"]
    assert source().retry["blocked"] > timedelta(days=1), "a wall is not knocked at every day"
