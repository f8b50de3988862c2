"""What a landing page says, where its host is, and who claims it."""

import pytest

from centinel.ingest.hosts import Hosts
from centinel.ingest.landing import Link, Page
from centinel.ingest.model import Stopped
from centinel.ingest.platforms.registry import recognise
from tests.unit.ingest.driving import request, status_of, stop_of, web_page

PAGE = "https://x.example/a/b"


def page(body: bytes = b"<html></html>", **headers: str) -> Page:
    """A page."""
    return web_page(PAGE, body, **headers)


@pytest.mark.parametrize(
    ("header", "links"),
    [
        ('<c>; rel="item"', [("https://x.example/a/c", ("item",), None)]),
        (
            '<c>; rel="item"; type="text/csv", </d>;type=a/b;rel="license describedby"',
            [
                ("https://x.example/a/c", ("item",), "text/csv"),
                ("https://x.example/d", ("license", "describedby"), "a/b"),
            ],
        ),
        (
            '<https://y.example/c,d;e>; REL=ITEM; title="a, b; c"',
            [("https://y.example/c,d;e", ("item",), None)],
        ),
        ("<c>", []),
        ('<c>; type="item"', []),
        ('<>; rel="item"', []),
        ('<ftp://x/>; rel="item"', []),
        ("", []),
        ('<<c>; rel="item"', [("https://x.example/a/c", ("item",), None)]),
    ],
)
def test_link_headers_are_read(
    header: str, links: list[tuple[str, tuple[str, ...], str | None]]
) -> None:
    assert page(link=header).links == tuple(Link(*each) for each in links)


def test_links_of_elements_follow_the_base_of_the_page() -> None:
    body = b'<html><head><base href="/z/"><link rel="Item" href="c"><link href="d"></head></html>'
    assert page(body).related("item") == [Link("https://x.example/z/c", ("item",), None)]


def test_what_is_no_page_says_nothing() -> None:
    served = Page(PAGE, 200, {"content-type": "text/csv"}, b'<meta name="dc.title" content="x">')
    assert (served.is_web_page, served.metas("dc.title"), served.linked_data) == (False, [], ())


def test_metadata_is_found_by_name_in_any_case() -> None:
    body = (
        b'<html><head><meta name="DC.Title" content=" A  title ">'
        b'<meta property="og:title" content="Another"><meta name="dc.title" content=""></html>'
    )
    assert page(body).metas("dc.title", "og:title") == ["A title", "Another"]


def test_json_that_cannot_be_read_costs_nothing_but_itself() -> None:
    body = (
        b'<html><script type="application/ld+json">{"@type": </script>'
        b'<script type="application/ld+json"><!-- {"@type": "schema:Dataset"}; --></script>'
    )
    assert page(body).of_type("Dataset") == [{"@type": "schema:Dataset"}]


def test_json_is_read_to_a_depth_and_no_further() -> None:
    deep = b'{"a":' * 5000 + b'{"@type": "Dataset"}' + b"}" * 5000
    body = b'<html><script type="application/ld+json">' + deep + b"</script>"
    assert page(body).of_type("Dataset") == []


def test_a_public_host_may_be_elsewhere() -> None:
    hosts = Hosts({"zenodo.org": "http://127.0.0.1:8080/zenodo.org"})
    placed = "http://127.0.0.1:8080/zenodo.org/records/1?a=b"
    assert hosts.placed("https://zenodo.org/records/1?a=b") == placed
    assert hosts.public(placed) == "https://zenodo.org/records/1?a=b"
    for other in ("https://notzenodo.org/records/1", "https://zenodo.org:8443/records/1"):
        assert hosts.placed(other) == other
    beside = "http://127.0.0.1:8080/zenodo.orgs/records/1"
    assert hosts.public(beside) == beside
    assert Hosts().placed(placed) == placed


def test_nobody_claims_an_ordinary_page_and_the_message_says_who_was_asked() -> None:
    stop = stop_of(PAGE)
    assert stop.status is Stopped.NO_PLATFORM_MATCH
    assert stop.message == (
        f"{PAGE}: neither its host nor its page is of a known platform (figshare, zenodo,"
        " archiveorg, dryad, osf, github, dataverse, ckan, page-evidence, direct)"
    )


def test_a_page_to_log_in_is_no_page_without_a_platform() -> None:
    form = b'<form><input name="u"><input type="Password" name="p"></form>'
    login = b"<html><head><title>Sign in - Repository</title></head><body>" + form
    assert status_of(PAGE, page=page(login)) is Stopped.LOGIN
    beside = b"<html><head><title>Gauge data</title></head><body>" + form
    assert status_of(PAGE, page=page(beside)) is Stopped.NO_PLATFORM_MATCH


def test_without_a_page_the_address_alone_counts() -> None:
    address = "https://zenodo.org/records/5"
    platform, match = recognise(request(address), address, None)
    assert (platform.name, match.platform_id) == ("zenodo", "5")
    platform, _ = recognise(request(address), "https://wall.example/", None)
    assert platform.name == "zenodo"
