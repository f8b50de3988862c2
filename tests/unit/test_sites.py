"""The loopback server does what it promises, and the town of the demo is complete."""

from __future__ import annotations

import gzip
import io
import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPConnection, HTTPResponse, IncompleteRead, RemoteDisconnected
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pdftotext
import pytest
from lxml import etree, html

from tests.sites import server
from tests.sites.server import Answer, Request, Site, entity_tag
from tests.sites.town import EXPECTED, build, serve, sitemap_paths
from tests.sites.town.documents import PASSWORD
from tests.sites.town.expected import PAGES

ROOT = Path(__file__).parents[2]
KINDS = """html pdf document spreadsheet csv text markdown json xml captions audio video image mail
zip-container archive other"""
DIGESTS = """
import hashlib, json
from tests.sites.town import build
answers = build("http://town.example")
print(json.dumps({path: hashlib.sha256(one.body).hexdigest() for path, one in answers.items()}))
"""


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as running:
        yield running


@pytest.fixture(scope="module")
def town() -> Iterator[Site]:
    with Site() as running:
        serve(running)
        yield running


@pytest.fixture(scope="module")
def answers() -> dict[str, Answer]:
    return build("http://town.example")


def connect(site: Site) -> HTTPConnection:
    return HTTPConnection("127.0.0.1", site.port, timeout=10)


def ask(site: Site, path: str, method: str = "GET", **headers: str) -> tuple[HTTPResponse, bytes]:
    connection = connect(site)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, headers=named)
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def refuses_connections(site: Site) -> bool:
    with socket.socket() as probe:
        probe.settimeout(5)
        return probe.connect_ex(("127.0.0.1", site.port)) != 0


def said_in(xml: bytes, name: str) -> list[str]:
    """What the elements of this name say, in a sitemap."""
    return [one.text or "" for one in etree.fromstring(xml).iter(f"{{*}}{name}")]


def test_an_answer_comes_whole_with_its_headers(site: Site) -> None:
    site.set("/a?b=1", Answer(b"tide", "text/plain", headers=(("X-Tide", "low"),)))
    response, body = ask(site, "/a?b=1")
    assert (response.status, body, response.version) == (200, b"tide", 11)
    assert response.headers["Content-Length"] == "4"
    assert response.headers["Content-Type"] == "text/plain"
    assert response.headers["X-Tide"] == "low"
    assert response.headers["ETag"] == entity_tag(b"tide")
    assert response.headers["Last-Modified"] == "Mon, 02 Feb 2026 09:00:00 GMT"
    assert response.headers["Date"]
    assert ask(site, "/a")[0].status == 404
    response, body = ask(site, "/a?b=1", method="HEAD")
    assert (response.status, response.headers["Content-Length"], body) == (200, "4", b"")


def test_a_header_that_is_given_replaces_the_servers_own(site: Site) -> None:
    site.set("/a", Answer(b"tide", "text/plain", headers=(("etag", '"mine"'),)))
    assert ask(site, "/a")[0].headers.get_all("ETag") == ['"mine"']
    assert ask(site, "/a", If_None_Match='"mine"')[0].status == 304


def test_only_good_answers_with_validators_carry_them(site: Site) -> None:
    site.set("/plain", Answer(b"tide", validators=False))
    site.set("/wrong", Answer(b"tide", status=500))
    for path in ("/plain", "/wrong"):
        response, _ = ask(site, path, If_None_Match=entity_tag(b"tide"))
        assert response.status != 304
        assert not {"ETag", "Last-Modified", "Content-Type"} & set(response.headers)


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', "*"])
def test_a_known_tag_is_answered_with_304(site: Site, form: str) -> None:
    site.set("/a", Answer(b"tide", "text/plain"))
    response, body = ask(site, "/a", If_None_Match=form.format(entity_tag(b"tide")))
    assert (response.status, body) == (304, b"")
    assert response.headers["ETag"] == entity_tag(b"tide")
    site.set("/a", Answer(b"high tide", "text/plain"))
    assert ask(site, "/a", If_None_Match=entity_tag(b"tide"))[1] == b"high tide"


def test_a_connection_is_kept_alive(site: Site) -> None:
    site.set("/a", Answer(b"tide"))
    connection = connect(site)
    connection.request("GET", "/a")
    connection.getresponse().read()
    first = connection.sock
    connection.request("GET", "/nothing")
    connection.getresponse().read()
    assert connection.sock is first is not None
    connection.close()


def test_an_answer_can_be_cut_short(site: Site) -> None:
    site.set("/a", Answer(b"tide and turn", cut_after=4))
    with pytest.raises(IncompleteRead) as caught:
        ask(site, "/a")
    assert caught.value.partial == b"tide"
    assert caught.value.expected == len(" and turn")


def test_a_connection_can_be_closed_without_an_answer(site: Site) -> None:
    site.set("/a", Answer(reset=True))
    with pytest.raises(RemoteDisconnected):
        ask(site, "/a")


def test_a_function_can_answer(site: Site) -> None:
    seen: list[Request] = []

    def answer(request: Request) -> Answer:
        seen.append(request)
        return Answer(f"{len(seen)} {request.headers['x-boat']}".encode(), status=202)

    site.set("/a", answer)
    before = time.monotonic()
    assert ask(site, "/a", X_Boat="Heron")[1] == b"1 Heron"
    assert ask(site, "/a", X_Boat="Otter")[1] == b"2 Otter"
    assert before <= seen[0].at <= seen[1].at <= time.monotonic()


def test_a_function_that_fails_shows_in_the_answer(site: Site) -> None:
    site.set("/a", lambda request: Answer(request.headers["absent"].encode()))
    response, body = ask(site, "/a")
    assert (response.status, body) == (500, b"KeyError('absent')")


def held_back(site: Site, gate: threading.Event) -> tuple[threading.Thread, list[bytes]]:
    """A thread that has asked for `/held`, which is answered once the gate is open."""
    arrived = threading.Event()
    got: list[bytes] = []

    def answer(_request: Request) -> Answer:
        arrived.set()
        return Answer(b"late", wait_for=gate)

    def fetch() -> None:
        with suppress(RemoteDisconnected):
            got.append(ask(site, "/held")[1])

    site.set("/held", answer)
    thread = threading.Thread(target=fetch, daemon=True)
    thread.start()
    assert arrived.wait(10)
    return thread, got


def test_an_answer_can_be_held_back_while_others_go_out(site: Site) -> None:
    gate = threading.Event()
    thread, got = held_back(site, gate)
    assert (ask(site, "/other")[0].status, got) == (404, [])
    gate.set()
    thread.join(10)
    assert got == [b"late"]


def test_leaving_ends_at_once_although_an_answer_is_held_back() -> None:
    gate = threading.Event()
    with Site() as site:
        thread, got = held_back(site, gate)
        before = time.monotonic()
    assert time.monotonic() - before < 5
    assert refuses_connections(site)
    thread.join(10)
    assert (thread.is_alive(), got) == (False, [])
    gate.set()


def test_a_site_can_be_away_and_come_back_on_the_same_port(site: Site) -> None:
    site.set("/a", Answer(b"tide"))
    kept = connect(site)
    kept.request("GET", "/a")
    kept.getresponse().read()
    address = site.address
    for _ in range(3):
        site.stop()
        assert refuses_connections(site)
        site.start()
        assert site.address == address
        assert ask(site, "/a")[1] == b"tide"
    # No connection of before outlives the stop: only a new one is answered.
    with suppress(ConnectionError):
        kept.sock.sendall(b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        assert kept.sock.recv(1) == b""
    kept.close()
    site.stop()
    site.stop()
    with Site(site.port) as other:
        assert other.address == address


def test_requests_are_logged_in_order(site: Site) -> None:
    site.set("/a", Answer(b"tide"))
    for path in ("/a", "/b", "/a"):
        ask(site, path)
    ask(site, "/a?x", method="HEAD")
    assert site.paths() == ["/a", "/b", "/a", "/a?x"]
    assert [request.method for request in site.requests] == ["GET", "GET", "GET", "HEAD"]
    assert (site.asked("/a"), site.asked("/c")) == (2, 0)
    site.remove("/a")
    site.remove("/never-set")
    assert ask(site, "/a")[0].status == 404
    site.forget_requests()
    assert site.requests == []


def test_many_can_ask_at_once(site: Site) -> None:
    site.set("/a", Answer(b"tide" * 1000))
    with ThreadPoolExecutor(50) as pool:
        got = list(pool.map(lambda path: ask(site, path)[1], ["/a"] * 200))
    assert got == [b"tide" * 1000] * 200
    assert site.asked("/a") == 200


def test_a_client_that_hangs_up_is_no_news(site: Site, capfd: pytest.CaptureFixture[str]) -> None:
    site.set("/a", Answer(b"tide" * 5_000_000))
    with socket.create_connection(("127.0.0.1", site.port)) as client:
        client.sendall(b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        client.recv(10)
    assert ask(site, "/")[0].status == 404
    site.stop()
    assert capfd.readouterr() == ("", "")


def test_pages_and_signposts_are_well_formed() -> None:
    tree = html.document_fromstring(server.page("Tide & <turn>", "<h1>Low</h1>"))
    assert tree.findtext(".//title") == "Tide & <turn>"
    assert tree.findtext(".//main/h1") == "Low"
    assert len(tree.findall(".//nav//a")) > 10
    assert server.robots("User-agent: *", "Disallow: /a") == b"User-agent: *\nDisallow: /a\n"
    listed = server.sitemap(["http://a/?b&c", "http://d"], {"http://d": "2026-01-02"})
    assert said_in(listed, "loc") == ["http://a/?b&c", "http://d"]
    assert said_in(listed, "lastmod") == ["2026-01-02"]


def test_the_town_has_every_kind_and_every_outcome(answers: dict[str, Answer]) -> None:
    listed = [EXPECTED[path] for path in sitemap_paths()]
    assert len(listed) >= 66
    kinds = Counter(one.kind for one in listed if one.kind)
    assert set(kinds) == set(KINDS.split())
    assert kinds["html"] >= 36
    assert kinds["pdf"] >= 8
    outcomes = {"text", "waiting", "underivable", "refused", "gone", "denied", "error"}
    assert {one.outcome for one in EXPECTED.values()} == outcomes
    signposts = {"/robots.txt", "/sitemap.xml", "/sitemap-pages.xml", "/sitemap-media.xml.gz"}
    assert set(answers) == set(EXPECTED) | signposts


def test_the_towns_sitemaps_name_its_addresses(town: Site) -> None:
    _, rules = ask(town, "/robots.txt")
    assert f"Sitemap: {town.address}/sitemap.xml" in rules.decode()
    found: list[str] = []
    lastmod: list[str] = []
    for address in said_in(ask(town, "/sitemap.xml")[1], "loc"):
        _, body = ask(town, urlsplit(address).path)
        body = gzip.decompress(body) if address.endswith(".gz") else body
        found += said_in(body, "loc")
        lastmod += said_in(body, "lastmod")
    assert sorted(found) == sorted(f"{town.address}{path}" for path in sitemap_paths())
    assert 0 < len(lastmod) < len(found)


def test_every_address_of_the_town_can_be_reached(town: Site) -> None:
    statuses = {"refused": {403}, "gone": {404, 410}, "error": {500}}
    for path, expected in EXPECTED.items():
        response, body = ask(town, path)
        assert response.status in statuses.get(expected.outcome, {200}), path
        assert body
        if response.status == 200:
            assert response.headers["ETag"] == entity_tag(body)
            assert ask(town, path, If_None_Match=response.headers["ETag"])[0].status == 304


def test_the_town_is_the_same_in_every_process() -> None:
    """Two of their own: a library that writes some of it remembers what this one has read."""
    first, second = (
        subprocess.run(
            [sys.executable, "-c", DIGESTS],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "TZ": zone},
            capture_output=True,
            check=True,
        )
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    )
    found = json.loads(first.stdout)
    assert len(found) > 80
    assert found == json.loads(second.stdout)


def text_of(body: bytes, content_type: str) -> str:
    tree = html.document_fromstring(body.decode(content_type.partition("charset=")[2]))
    etree.strip_elements(tree, "script", "style", "header", "footer", with_tail=False)
    return tree.find("body").text_content()


def test_the_towns_pages_say_what_they_should_and_differ(answers: dict[str, Answer]) -> None:
    assert len({answers[path].body for path in PAGES}) == len(PAGES)
    lengths = []
    for path, expected in PAGES.items():
        text = text_of(answers[path].body, answers[path].content_type or "")
        assert [word for word in expected.words if word not in text] == [], path
        lengths.append(len(text.split()))
    assert sum(150 <= length <= 600 for length in lengths) >= 36


def test_the_towns_other_texts_say_what_they_should(answers: dict[str, Answer]) -> None:
    for path, expected in EXPECTED.items():
        answer = answers[path]
        if expected.kind in {"csv", "text", "markdown", "json", "xml", "captions"}:
            charset = (answer.content_type or "").partition("charset=")[2] or "utf-8"
            said = answer.body.decode(charset)
        elif expected.kind == "pdf" and expected.outcome == "text" and not expected.is_scanned:
            sheets = list(pdftotext.PDF(io.BytesIO(answer.body)))
            assert len(sheets) > 1
            said = "\n".join(sheets)
        else:
            continue
        assert expected.words, path
        assert [word for word in expected.words if word not in said] == [], path


def test_the_towns_unreadable_pdfs_are_unreadable(answers: dict[str, Answer]) -> None:
    scan = pdftotext.PDF(io.BytesIO(answers["/media/archive/deed-of-gift.pdf"].body))
    assert len(scan) == 2
    assert "".join(scan).strip() == ""
    locked = answers["/media/legal/settlements.pdf"].body
    with pytest.raises(pdftotext.Error, match="unlock"):
        pdftotext.PDF(io.BytesIO(locked))
    assert "Withheld" in pdftotext.PDF(io.BytesIO(locked), PASSWORD)[0]


def test_what_pages_enclose_is_in_no_sitemap(answers: dict[str, Answer]) -> None:
    enclosed = {path: one.enclosed_by for path, one in EXPECTED.items() if one.enclosed_by}
    assert len(enclosed) == 3
    assert not set(enclosed) & set(sitemap_paths())
    for path, carriers in enclosed.items():
        for carrier in carriers:
            tree = html.document_fromstring(answers[carrier].body)
            links = {urljoin(carrier, href).partition("#")[0] for href in tree.xpath("//a/@href")}
            script = f'var pdfURL="{path}#view=Fit&amp;toolbar=1";'.encode()
            assert (path in links) != (script in answers[carrier].body)


def test_the_town_can_be_served_by_its_module(tmp_path: Path) -> None:
    ready = tmp_path / "address"
    command = [sys.executable, "-m", "tests.sites.town", "--port", "0", "--ready", str(ready)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert ready.read_text() == f"{address}\n"
        assert [entry.name for entry in tmp_path.iterdir()] == ["address"]
        connection = HTTPConnection(urlsplit(address).netloc, timeout=10)
        connection.request("GET", "/council")
        assert b"Mayor and council" in connection.getresponse().read()
        connection.close()
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
