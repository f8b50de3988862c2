"""Feeds: RSS 2.0, RSS 1.0, Atom; their paging, and what is said where there is none."""

from pathlib import Path

import pytest
from lxml import etree

from centinel.answers import Fetched
from centinel.record import Resource
from centinel.sources.platforms.feed_document import parse
from centinel.sources.platforms.values import Unreadable
from centinel.sources.query import Query
from tests.sites.platforms import atom, atom_entry, rdf, rss, rss_item
from tests.sites.server import Answer, Site
from tests.unit.querying import HOME, addresses_of, enumerated, query
from tests.unit.support import client, robots_of

GRANICUS = "/ViewPublisherRSS.php?view_id=2&mode=agendas"


def serve(site: Site, **documents: bytes) -> None:
    """Serves feeds, each at its name."""
    robots_of(site)
    for name, content in documents.items():
        site.set(f"/{name}", Answer(content, "application/xml"))


def test_an_rss_feed_says_that_it_holds_only_the_newest(site: Site, tmp_path: Path) -> None:
    items = [rss_item(number, f"{HOME}/m?id={number}&view=2#top") for number in (2, 1)]
    serve(site, feed=rss(items))
    found = enumerated(query("feed", url=f"{site.address}/feed"), tmp_path)
    assert (found.reason, found.truncated, found.method) == (None, False, "feed")
    assert found.resources == [
        Resource(f"{HOME}/m?id=2&view=2", "2014-01-08T02:30:00.000000Z", "Meeting 2"),
        Resource(f"{HOME}/m?id=1&view=2", "2014-01-08T02:30:00.000000Z", "Meeting 1"),
    ]
    assert found.notes[-1] == "the feed has no paging: it holds only its newest 2 entries"


@pytest.mark.parametrize(
    ("path", "number", "channel", "is_cut"),
    [
        (GRANICUS, 100, "", True),
        (GRANICUS, 99, "", False),
        ("/feeds/videos.xml?channel_id=UC1", 15, "", True),
        ("/feeds/videos.xml?channel_id=UC1", 14, "", False),
        ("/feed/", 10, "<generator>https://wordpress.org/?v=6.4.2</generator>", True),
        ("/feed/", 10, "<generator>Other</generator>", False),
        ("/feed/", 100, "", False),
        (GRANICUS, 100, "<fh:complete/>", False),
    ],
)
def test_a_feed_that_is_full_at_its_product_s_cap_is_cut(
    site: Site, tmp_path: Path, path: str, number: int, channel: str, is_cut: bool
) -> None:
    robots_of(site)
    items = [rss_item(each, f"{HOME}/{each}") for each in range(number)]
    site.set(path, Answer(rss(items, channel), "text/xml"))
    found = enumerated(query("feed", url=site.address + path), tmp_path)
    assert (len(found.resources), found.truncated) == (number, is_cut)
    said = [each for each in found.warnings if "the most that one page has" in each]
    assert len(said) == int(is_cut)
    is_complete = "complete" in channel
    assert any("no paging" in each for each in found.notes) == (not is_complete)


def test_atom_is_paged_to_its_last_page(site: Site, tmp_path: Path) -> None:
    pages = {}
    for number in range(3):
        entries = [atom_entry(each, f"/n/{each}") for each in range(number * 4, number * 4 + 4)]
        links = {"self": f"/p{number}", **({"next": f"/p{number + 1}"} if number < 2 else {})}
        pages[f"p{number}"] = atom(entries, links)
    serve(site, **pages)
    found = enumerated(query("feed", url=f"{site.address}/p0"), tmp_path)
    assert (found.reason, found.truncated, found.warnings) == (None, False, [])
    assert addresses_of(found) == [f"{site.address}/n/{each}" for each in range(12)]
    assert found.resources[3].lastmod == "2014-01-04T00:00:00.000000Z"
    assert len(found.notes) == 1
    assert [site.asked(f"/p{number}") for number in range(3)] == [1, 1, 1]


def test_archives_are_read_back_to_the_first(site: Site, tmp_path: Path) -> None:
    link = '<atom:link rel="prev-archive" href="/2013"/>'
    serve(
        site,
        feed=rss([rss_item(2, f"{HOME}/2")], link),
        **{"2013": rss([rss_item(1, f"{HOME}/1")], "<fh:archive/>")},
    )
    found = enumerated(query("feed", url=f"{site.address}/feed"), tmp_path)
    assert (addresses_of(found), found.truncated) == ([f"{HOME}/2", f"{HOME}/1"], False)


def test_rdf_items_stand_beside_the_channel(site: Site, tmp_path: Path) -> None:
    serve(site, feed=rdf([f"{HOME}/1", f"{HOME}/2"]))
    found = enumerated(query("feed", url=f"{site.address}/feed"), tmp_path)
    assert addresses_of(found) == [f"{HOME}/1", f"{HOME}/2"]
    assert found.resources[0].lastmod == "2014-01-07T17:30:00.000000Z"


@pytest.mark.parametrize(
    ("second", "warning"),
    [
        (Answer(b"", status=500), "{site}/p1: http 500"),
        (Answer(b"<!doctype html>", "text/html"), "{site}/p1: a web page instead of a record"),
        (Answer(b"<urlset/>", "text/xml"), "{site}/p1: schema changed: no feed"),
        (Answer(atom([atom_entry(0, "/n/0")]), "text/xml"), "{site}/p1: the same records again"),
        (Answer(atom([atom_entry(1, "/n/1")], {"next": "/p0"}), "text/xml"),
         "{site}/p0: named as the next page, and was read already"),
        (Answer(atom([], {"next": "/p2"}), "text/xml"),
         "{site}/p1: names a next page, but has no record itself"),
        (Answer(atom([atom_entry(1, "/n/1"), atom_entry(2, "/n/2")])[:-40], "text/xml"),
         "{site}/p1: it ends in the middle"),
    ],
)  # fmt: skip
def test_a_page_that_does_not_come_cuts(
    site: Site, tmp_path: Path, second: Answer, warning: str
) -> None:
    serve(site, p0=atom([atom_entry(0, "/n/0")], {"next": "/p1"}))
    site.set("/p1", second)
    found = enumerated(query("feed", url=f"{site.address}/p0"), tmp_path)
    assert (found.reason, found.truncated) == (None, True)
    assert found.warnings[0].startswith(warning.format(site=site.address))
    assert site.asked("/p2") == 0


def test_a_declared_total_that_is_not_reached_is_cut(site: Site, tmp_path: Path) -> None:
    total = "<openSearch:totalResults>53</openSearch:totalResults>"
    serve(site, feed=rss([rss_item(1, f"{HOME}/1")], total))
    found = enumerated(query("feed", url=f"{site.address}/feed"), tmp_path)
    assert found.warnings == ["53 records are declared, 1 were found"]
    assert found.truncated


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "schema changed: no feed (no XML)"),
        (b"\x00\x01", "schema changed: no feed (no XML)"),
        (b"<urlset/>", "schema changed: no feed (its root is <urlset>)"),
        (
            rss(["<item><title>nameless</title></item>"]),
            "schema changed: no link or id in any of 1",
        ),
        (b"<rss><channel><item><link>https://town.example/ha", "it ends in the middle"),
    ],
)
def test_what_is_no_feed_fails(site: Site, tmp_path: Path, content: bytes, reason: str) -> None:
    serve(site, feed=content)
    found = enumerated(query("feed", url=f"{site.address}/feed"), tmp_path)
    assert found.resources == []
    assert (found.reason or "").removeprefix(f"{site.address}/feed: ").startswith(reason)


def test_a_feed_without_entries_is_an_empty_snapshot(site: Site, tmp_path: Path) -> None:
    serve(site, feed=rss([]))
    found = enumerated(query("feed", url=f"{site.address}/feed"), tmp_path)
    assert (found.reason, found.resources, found.truncated) == (None, [], False)


# Entries


@pytest.mark.parametrize(
    ("entry", "link", "identifier"),
    [
        ("<guid>https://t.example/1</guid>", "https://t.example/1", "https://t.example/1"),
        ('<guid isPermaLink="false">https://t.example/1</guid>', None, "https://t.example/1"),
        ("<guid>uuid-1</guid>", None, "uuid-1"),
        ("<link> /a?x=1&y=2 </link>", "https://t.example/a?x=1&y=2", None),
        (
            "<link><![CDATA[https://t.example/a?x=1&y=2]]></link>",
            "https://t.example/a?x=1&y=2",
            None,
        ),
        ('<atom:link rel="self" href="/s"/><link>/a</link>', "https://t.example/a", None),
    ],
)
def test_where_an_rss_item_is(entry: str, link: str | None, identifier: str | None) -> None:
    found = parse(rss([f"<item>{entry}</item>"]), "https://t.example/feed").entries[0]
    assert (found.link, found.identifier) == (link, identifier)


def test_addresses_follow_xml_base() -> None:
    entry = '<entry xml:base="sub/"><id>1</id><link href="a"/></entry>'
    content = atom([entry]).replace(b"<feed ", b'<feed xml:base="https://o.example/x/" ')
    assert parse(content, "https://t.example/feed").entries[0].link == "https://o.example/x/sub/a"


def test_what_extensions_call_the_same_goes_behind() -> None:
    entry = '<m:title xmlns:m="urn:m">Theirs</m:title><title>Own</title><link>/a</link>'
    found = parse(rss([f"<item>{entry}</item>"]), "https://t.example/feed").entries[0]
    assert found.title == "Own"


def test_an_entry_stands_on_its_own(site: Site, tmp_path: Path) -> None:
    extra = '<enclosure url="/v.mp4?a=1&b=2" type="video/mp4"/><gran:part>x</gran:part>'
    page = f"{site.address}/m/1"
    serve(site, feed=rss([rss_item(1, page, extra), rss_item(2, None)]), **{"m/1": b"<p>"})
    block, kind, asks = query("feed", url=f"{site.address}/feed"), Query(), client(tmp_path)
    answer = kind.fetch(block, asks, page, {})
    assert isinstance(answer, Fetched)
    found = kind.parts(block, Resource(page), answer, "html")
    assert found.addresses == (f"{page}#record", f"{site.address}/v.mp4?a=1&b=2")
    record = kind.fetch(block, asks, found.addresses[0], {})
    assert isinstance(record, Fetched)
    element = etree.fromstring(record.body.content())
    assert [child.tag for child in element][-2:] == ["enclosure", "{http://granicus.com/rss}part"]
    assert record.declared_type == "application/xml"
    nameless = kind.fetch(block, asks, f"{site.address}/feed#guid-2", {})
    assert isinstance(nameless, Fetched)
    assert b"Meeting 2" in nameless.body.content()


def test_atom_enclosures_are_files() -> None:
    extra = '<link rel="enclosure" href="/minutes.pdf"/><link rel="related" href="/other"/>'
    found = parse(atom([atom_entry(1, "/n/1", extra)]), "https://t.example/feed").entries[0]
    assert found.files == ("https://t.example/minutes.pdf",)
    assert found.link == "https://t.example/n/1"


def test_an_entity_is_not_expanded() -> None:
    bomb = b'<!DOCTYPE rss [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
    content = rss([rss_item(1, f"{HOME}/1", "<x>&b;</x>")]).replace(b"<rss", bomb + b"<rss", 1)
    found = parse(content, HOME)
    assert b"aaaa" not in found.entries[0].fragment


def test_bytes_that_are_no_feed_say_what_they_are() -> None:
    with pytest.raises(Unreadable, match="no feed"):
        parse(b"{}", HOME)
