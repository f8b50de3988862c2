"""A website is enumerated by its sitemaps: completely, or said to be truncated, or failed."""

import gzip
from datetime import datetime
from email.utils import format_datetime
from pathlib import Path

import pytest

from centinel.answers import Fetched
from centinel.record import Resource
from centinel.snapshot import take
from centinel.sources import website
from centinel.sources.source_kind import Enumeration, Parts
from centinel.sources.website import Website
from centinel.store import Store
from tests.sites.server import Answer, Site, robots, sitemap, sitemap_index
from tests.unit.support import DAY, NOON, PAGE, Clock, acquire, client, source

XML = "application/xml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "incoming"


def enumerate_site(site: Site, folder: Path, seed: str = "/") -> Enumeration:
    """One enumeration; it leaves no file behind."""
    found = Website().enumerate(source(site.address + seed), client(folder))
    assert list(folder.iterdir()) == []
    return found


def declare(site: Site, *sitemaps: str, rules: tuple[str, ...] = ()) -> None:
    """Serves a robots.txt that names sitemaps."""
    lines = [f"Sitemap: {line}" for line in sitemaps]
    site.set("/robots.txt", Answer(robots("User-agent: *", *rules, *lines), "text/plain"))


def serve(site: Site, path: str, *pages: str, **lastmod: str) -> None:
    """Serves a sitemap of pages of this site."""
    when = {site.address + "/" + name: day for name, day in lastmod.items()}
    site.set(path, Answer(sitemap([site.address + page for page in pages], when), XML))


def serve_index(site: Site, path: str, *children: str) -> None:
    """Serves an index of sitemaps of this site."""
    whole = [child if "://" in child else site.address + child for child in children]
    site.set(path, Answer(sitemap_index(whole), XML))


def paths(found: Enumeration, site: Site) -> list[str]:
    """The addresses that were found, without the site's own part."""
    return [each.address.removeprefix(site.address) for each in found.resources]


def asked(site: Site) -> list[str]:
    """What was asked besides robots.txt."""
    return [path for path in site.paths() if path != "/robots.txt"]


# Where sitemaps are


@pytest.mark.parametrize("seed", ["/", "/council/minutes.html?year=2026", ""])
@pytest.mark.parametrize("line", ["/map.xml", "map.xml", " map.xml "])
def test_a_relative_line_is_meant_from_the_root(
    site: Site, folder: Path, seed: str, line: str
) -> None:
    declare(site, line)
    serve(site, "/map.xml", "/a", "/b")
    found = enumerate_site(site, folder, seed)
    assert paths(found, site) == ["/a", "/b"]
    assert (found.warnings, found.truncated, found.reason) == ([], False, None)
    assert asked(site) == ["/map.xml"]


def test_a_line_that_is_no_address_is_a_warning(site: Site, folder: Path) -> None:
    declare(site, "https://exa mple.gov/sitemap.xml", "/map.xml")
    serve(site, "/map.xml", "/a")
    found = enumerate_site(site, folder)
    assert paths(found, site) == ["/a"]
    assert found.warnings == [
        "robots.txt names a sitemap that is no address: https://exa mple.gov/sitemap.xml"
    ]
    assert not found.truncated


def test_without_a_usable_line_the_conventional_place_is_tried(site: Site, folder: Path) -> None:
    declare(site, "https://exa mple.gov/sitemap.xml")
    serve(site, "/sitemap.xml", "/a")
    found = enumerate_site(site, folder)
    assert paths(found, site) == ["/a"]
    assert len(found.warnings) == 2
    assert found.warnings[1] == "robots.txt declares no sitemap: /sitemap.xml was tried"


def test_without_robots_the_conventional_place_is_tried_and_that_is_said(
    site: Site, folder: Path
) -> None:
    serve(site, "/sitemap.xml", "/a")
    found = enumerate_site(site, folder)
    assert paths(found, site) == ["/a"]
    assert found.figures["robots_declared"] is False
    assert "assumed to be allowed" in found.notes[0]
    assert found.warnings == ["robots.txt declares no sitemap: /sitemap.xml was tried"]


def test_every_declared_sitemap_is_read_in_order(site: Site, folder: Path) -> None:
    declare(site, "/one.xml", "/two.xml", "/one.xml")
    serve(site, "/one.xml", "/b")
    serve(site, "/two.xml", "/a")
    found = enumerate_site(site, folder)
    assert paths(found, site) == ["/b", "/a"]
    assert asked(site) == ["/one.xml", "/two.xml"]
    assert found.notes == [
        "robots.txt was read",
        f"{site.address}/one.xml: urlset of 1",
        f"{site.address}/two.xml: urlset of 1",
    ]


# Indexes


def test_an_index_that_names_itself_is_one_request(site: Site, folder: Path) -> None:
    declare(site, "/index.xml")
    serve_index(site, "/index.xml", "/index.xml", "/index.xml#again")
    found = enumerate_site(site, folder)
    assert asked(site) == ["/index.xml"]
    assert (found.resources, found.truncated, found.reason) == ([], False, None)


def test_nested_indexes_and_children_with_queries_are_followed(site: Site, folder: Path) -> None:
    declare(site, "/index.xml")
    serve_index(site, "/index.xml", "/inner.xml", "/map.xml?page=1&amp;x=2", "/map.xml?page=2")
    serve_index(site, "/inner.xml", "/map.xml.gz")
    serve(site, "/map.xml?page=1&amp;x=2", "/a")
    serve(site, "/map.xml?page=2", "/b")
    packed = gzip.compress(sitemap([site.address + "/c"]))
    site.set("/map.xml.gz", Answer(packed, "text/xml"))
    found = enumerate_site(site, folder)
    assert set(paths(found, site)) == {"/a", "/b", "/c"}
    assert found.figures["sitemaps_fetched"] == 5


def test_an_index_is_followed_five_deep_and_no_deeper(site: Site, folder: Path) -> None:
    declare(site, "/0.xml")
    for depth in range(6):
        serve_index(site, f"/{depth}.xml", f"/{depth + 1}.xml", f"/pages-{depth}.xml")
        serve(site, f"/pages-{depth}.xml", f"/page-{depth}")
    found = enumerate_site(site, folder)
    assert paths(found, site) == [f"/page-{depth}" for depth in range(5)]
    assert found.truncated
    assert found.warnings == [f"{site.address}/5.xml: an index deeper than 5 is not followed"]


def test_addresses_of_another_host_are_kept(site: Site, folder: Path) -> None:
    with Site() as county:
        declare(site, f"{county.address}/sitemap")
        body = sitemap([f"{county.address}/a", "https://elsewhere.example/b"])
        county.set("/sitemap", Answer(body, XML))
        found = enumerate_site(site, folder)
    assert [each.address for each in found.resources] == [
        f"{county.address}/a",
        "https://elsewhere.example/b",
    ]
    assert found.warnings == []


# What fails


def test_a_child_that_fails_truncates_and_the_others_are_kept(site: Site, folder: Path) -> None:
    declare(site, "/index.xml")
    serve_index(site, "/index.xml", "/gone.xml", "/blocked.xml", "/page.xml", "/map.xml")
    serve(site, "/map.xml", "/a")
    site.set("/blocked.xml", Answer(b"no", status=403))
    site.set("/page.xml", Answer(b"<!doctype html><title>Blocked</title>", PAGE))
    found = enumerate_site(site, folder)
    assert paths(found, site) == ["/a"]
    assert (found.truncated, found.reason) == (True, None)
    gone, blocked, page = found.warnings
    assert gone == f"{site.address}/gone.xml: http 404"
    assert blocked == f"{site.address}/blocked.xml: http 403"
    assert page.startswith(f"{site.address}/page.xml: no sitemap: it is a web page")


def test_when_everything_fails_the_enumeration_failed_with_its_reasons(
    site: Site, folder: Path
) -> None:
    declare(site, "/one.xml", "/two.xml")
    site.set("/one.xml", Answer(b"no", status=403))
    site.set("/two.xml", Answer(b"<minutes/>", XML))
    found = enumerate_site(site, folder)
    assert found.resources == []
    assert found.reason == (
        f"{site.address}/one.xml: http 403; "
        f"{site.address}/two.xml: no sitemap: its root is <minutes>"
    )


def test_an_index_of_nothing_but_failures_failed_too(site: Site, folder: Path) -> None:
    declare(site, "/index.xml")
    serve_index(site, "/index.xml", "/one.xml", "/two.xml")
    found = enumerate_site(site, folder)
    assert found.reason == f"{site.address}/one.xml: http 404; {site.address}/two.xml: http 404"


def test_an_empty_sitemap_is_an_empty_snapshot(site: Site, folder: Path) -> None:
    declare(site, "/map.xml")
    serve(site, "/map.xml")
    found = enumerate_site(site, folder)
    assert (found.resources, found.truncated, found.reason) == ([], False, None)


def test_rules_that_cannot_be_had_fail_the_enumeration(site: Site, folder: Path) -> None:
    site.set("/robots.txt", Answer(status=500))
    serve(site, "/sitemap.xml", "/a")
    found = enumerate_site(site, folder)
    assert found.reason == "robots.txt could not be had: http 500"
    assert asked(site) == []


def test_a_sitemap_that_robots_denies_is_not_asked(site: Site, folder: Path) -> None:
    declare(site, "/closed/map.xml", "/map.xml", rules=("Disallow: /closed",))
    serve(site, "/closed/map.xml", "/a")
    serve(site, "/map.xml", "/b", "/closed/c")
    found = enumerate_site(site, folder)
    assert asked(site) == ["/map.xml"]
    assert paths(found, site) == ["/b", "/closed/c"]
    assert found.warnings == [f"{site.address}/closed/map.xml: robots"]
    assert (found.truncated, found.figures["disallowed"]) == (True, 1)


def test_a_sitemap_that_was_cut_truncates(site: Site, folder: Path) -> None:
    declare(site, "/map.xml")
    whole = sitemap([site.address + "/a", site.address + "/b"])
    site.set("/map.xml", Answer(whole[: whole.index(b"/b<") + 1], XML))
    found = enumerate_site(site, folder)
    assert (paths(found, site), found.truncated) == (["/a"], True)
    assert "ends in the middle" in found.warnings[0]


# Limits


def test_more_sitemaps_than_allowed_truncate(
    site: Site, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(website, "MOST_SITEMAPS", 3)
    declare(site, "/index.xml")
    children = [f"/{name}.xml" for name in "abcde"]
    serve_index(site, "/index.xml", *children)
    for name in "abcde":
        serve(site, f"/{name}.xml", f"/{name}")
    found = enumerate_site(site, folder)
    assert (paths(found, site), found.truncated) == (["/a", "/b"], True)
    assert found.warnings == ["3 sitemaps behind the first 3 not read"]


def test_exactly_as_many_sitemaps_as_allowed_are_whole(
    site: Site, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(website, "MOST_SITEMAPS", 2)
    declare(site, "/a.xml", "/b.xml")
    serve(site, "/a.xml", "/a")
    serve(site, "/b.xml", "/b")
    assert not enumerate_site(site, folder).truncated


def test_more_addresses_than_allowed_truncate_though_no_sitemap_follows(
    site: Site, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(website, "MOST_ADDRESSES", 3)
    declare(site, "/map.xml")
    serve(site, "/map.xml", "/a", "/b", "/c", "/d", "/e")
    found = enumerate_site(site, folder)
    assert (paths(found, site), found.truncated) == (["/a", "/b", "/c"], True)
    assert found.warnings == ["stopped at 3 addresses"]


def test_exactly_as_many_addresses_as_allowed_are_whole(
    site: Site, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(website, "MOST_ADDRESSES", 3)
    declare(site, "/map.xml")
    serve(site, "/map.xml", "/a", "/b", "/c", "/a")
    found = enumerate_site(site, folder)
    assert (paths(found, site), found.truncated) == (["/a", "/b", "/c"], False)


# Resources


def test_lastmod_and_title_are_carried(site: Site, folder: Path) -> None:
    declare(site, "/map.xml", "/feed.xml")
    serve(site, "/map.xml", "/a", "/b", a="2026-02-02")
    item = f"<item><title>Fees</title><link>{site.address}/c</link></item>"
    site.set("/feed.xml", Answer(f"<rss><channel>{item}</channel></rss>".encode(), XML))
    assert enumerate_site(site, folder).resources == [
        Resource(f"{site.address}/a", "2026-02-02"),
        Resource(f"{site.address}/b"),
        Resource(f"{site.address}/c", None, "Fees"),
    ]


def test_a_page_is_due_when_a_feed_says_that_it_changed(site: Site, store: Store) -> None:
    declare(site, "/feed.xml")
    site.set("/a", Answer(b"<p>Fees</p>", PAGE))
    clock, given = Clock(), source(f"{site.address}/")

    def publish(stated: datetime) -> None:
        item = f"<item><link>{site.address}/a</link><pubDate>{format_datetime(stated)}</pubDate>"
        body = f"<rss><channel>{item}</item></channel></rss>"
        site.set("/feed.xml", Answer(body.encode(), XML))
        take(store, given, Website(), client(store.incoming), clock)
        acquire(store, given, clock)

    publish(NOON - DAY)
    clock.move(DAY)
    publish(NOON - DAY)
    assert site.asked("/a") == 1
    publish(NOON + DAY / 2)
    assert site.asked("/a") == 2


def test_an_address_in_two_forms_is_one_resource(site: Site, folder: Path) -> None:
    declare(site, "/map.xml", "/more.xml")
    serve(site, "/map.xml", "/a", "/a#part", "/x/../a", "/%61", "/a?b=1", a="2026-02-02")
    serve(site, "/more.xml", "/a")
    found = enumerate_site(site, folder)
    assert paths(found, site) == ["/a", "/a?b=1"]
    assert found.resources[0].lastmod == "2026-02-02"


def test_entries_that_are_no_addresses_are_counted(site: Site, folder: Path) -> None:
    declare(site, "/map.xml")
    odd = ["mailto:clerk@town.example", "https://exa mple.gov/", site.address + "/a", "relative"]
    body = sitemap(odd)
    site.set("/map.xml", Answer(body, XML))
    found = enumerate_site(site, folder)
    assert paths(found, site) == ["/a", "/relative"]
    assert found.warnings == ["2 entries are no http address: left out"]
    assert not found.truncated


# The other answers of a kind


def test_a_site_answers_for_itself() -> None:
    kind = Website()
    assert kind.address(source("HTTPS://Town.Example:443")) == "https://town.example/"
    assert kind.marker("https://town.example/a") == "https://town.example/a"
    assert kind.private_is_allowed(source("http://127.0.0.1:8707/"))
    assert not kind.private_is_allowed(source("http://8.8.8.8/"))


def test_only_pages_have_parts(site: Site, folder: Path) -> None:
    site.set("/a", Answer(b'<a href="fees.pdf">Fees</a>', PAGE))
    asking = client(folder)
    fetched = Website().fetch(source(), asking, site.address + "/a", {})
    assert isinstance(fetched, Fetched)
    page, document = Resource(site.address + "/a"), Resource(site.address + "/a", hint="document")
    parts = Website().parts(source(), page, fetched, "html")
    assert parts.addresses == (site.address + "/fees.pdf",)
    assert Website().parts(source(), document, fetched, "html") == Parts()
    assert Website().parts(source(), page, fetched, "pdf") == Parts()
