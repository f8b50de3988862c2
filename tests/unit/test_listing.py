"""A directory listing is told from other pages, and says what its folder holds."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel.sources import listing, listing_dates
from centinel.sources.listing import recognise, root_of
from centinel.sources.website import Website
from tests.sites.server import page
from tests.unit.listings import APACHE_TABLE, IIS, NGINX, NGINX_JSON, SAMPLES, nginx
from tests.unit.support import PROPERTY, client, source

SEED = "https://town.example/data/"


def entries(body: str | bytes, final_url: str = SEED) -> dict[str, str | None]:
    """What a listing names, with the times that it shows."""
    content = body.encode() if isinstance(body, str) else body
    found = recognise(content, final_url)
    assert found is not None
    return {each.address: each.lastmod for each in found.entries}


# Recognition


@pytest.mark.parametrize("sample", SAMPLES)
def test_each_server_is_known_by_its_listing(sample: str) -> None:
    body, server, (pdf, csv) = SAMPLES[sample]
    found = recognise(body.encode(), SEED)
    assert found is not None
    assert (found.server, found.root, found.elsewhere) == (
        server,
        SEED,
        1 if server == "Caddy" else 0,
    )
    assert found.evidence
    files = {each.address: each.lastmod for each in found.entries if not each.is_folder}
    assert files == {f"{SEED}a%20b.pdf": pdf, f"{SEED}c.csv": csv}
    assert [each.address for each in found.entries if each.is_folder] == [f"{SEED}sub/"]


def test_what_pythons_own_server_writes_is_known(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("a b&c;d?.pdf", "x:y.txt", "naïve.txt"):
        (tmp_path / name).write_bytes(b"x")
    handler = partial(_Quiet, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            asking = client(tmp_path / "incoming")
            seed = f"http://127.0.0.1:{server.server_port}/"
            found = Website().enumerate(source(seed), asking)
        finally:
            server.shutdown()
            thread.join()
    names = ["a%20b%26c%3Bd%3F.pdf", "na%C3%AFve.txt", "x%3Ay.txt"]
    assert sorted(each.address for each in found.resources) == [seed + name for name in names]
    assert (found.method, found.figures["listing_server"]) == ("listing", "Python's http.server")


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


NO_LISTINGS = {
    "prose": "<h1>Open data</h1><p>Index of / is in <a href='/a'>a</a> <a href='/b'>b</a>",
    "prose about IIS": "<p>[To Parent Directory]</p><a href='/a'>a</a><a href='/b'>b</a>",
    "a heading about it": "<h1>What is Index of /?</h1><a href='a'>a</a><a href='b'>b</a>",
    "one link": "<h1>Index of /data</h1><a href='a.pdf'>a</a>",
    "no link": "<h1>Index of /data</h1><a name='x'>x</a><a name='y'>y</a>",
    "a page": page("Council", "<p>Welcome</p>").decode(),
    "a word of it": "<title>Index of services</title><a href='a'>a</a><a href='b'>b</a>",
    "a page that thanks Caddy": "<a href='https://caddyserver.com'>Caddy</a> <a href='/a'>a</a>",
    "nothing": "",
    "blank": " \n",
    "JSON of something else": '[{"name": "a", "type": "file"}]',
    "JSON of nothing": "[]",
    "a JSON object": '{"name": "a"}',
    "broken JSON": '[{"name": "a", "type"',
    "JSON of numbers": "[1, 2]",
    "text": "Index of /\na.pdf\nb.pdf",
}


@pytest.mark.parametrize("name", NO_LISTINGS)
def test_what_only_looks_like_a_listing_is_none(name: str) -> None:
    assert recognise(NO_LISTINGS[name].encode(), SEED) is None


@pytest.mark.parametrize(
    ("body", "declared", "is_one"),
    [
        (NGINX, "text/html; charset=utf-8", True),
        (NGINX, "application/octet-stream", True),
        (NGINX, "application/pdf", False),
        (NGINX, "text/plain", False),
        (NGINX_JSON, "application/json", True),
        (NGINX_JSON, "text/html", False),
        (NGINX_JSON, None, True),
    ],
)
def test_what_is_declared_as_something_else_is_no_listing(
    body: str, declared: str | None, is_one: bool
) -> None:
    assert (recognise(body.encode(), SEED, declared) is not None) is is_one


def test_a_json_listing_of_one_name_is_one() -> None:
    body = '[{"name":"2024","type":"directory","mtime":"Mon, 15 Jan 2024 10:20:00 GMT"}]'
    found = recognise(body.encode(), SEED)
    assert found is not None
    assert [(each.address, each.is_folder) for each in found.entries] == [(f"{SEED}2024/", True)]


def test_a_page_too_large_to_be_walked_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MOST_BYTES", len(NGINX) - 1)
    assert recognise(NGINX.encode(), SEED) is None


@given(st.binary(max_size=300), st.sampled_from(["", NGINX, IIS, APACHE_TABLE, NGINX_JSON]))
@PROPERTY
def test_any_bytes_are_a_listing_or_none(junk: bytes, sample: str) -> None:
    body = sample.encode()
    recognise(body[: len(junk) * 7] + junk + body[len(junk) * 7 :], SEED)


# The root, and what is inside


@pytest.mark.parametrize(
    ("final_url", "root"),
    [
        ("https://h/", "https://h/"),
        ("https://h/Civil", "https://h/Civil/"),
        ("https://h/Civil/", "https://h/Civil/"),
        ("https://h/Civil/index.html", "https://h/Civil/"),
        ("https://h/Civil/default.aspx?x=1#y", "https://h/Civil/"),
        ("https://h/Civil/bulkdata/?C=N;O=D", "https://h/Civil/bulkdata/"),
        ("https://h/Civil/bulkdata?C=N", "https://h/Civil/bulkdata/"),
        ("https://h/Civil/#top", "https://h/Civil/"),
        ("https://h/.well-known", "https://h/.well-known/"),
        ("https://h/.abc", "https://h/.abc/"),
        ("https://h/data.folder-with-a-long-end", "https://h/data.folder-with-a-long-end/"),
        ("https://h:8080/x/a.b", "https://h:8080/x/"),
    ],
)
def test_the_root_is_decided_by_the_last_segment(final_url: str, root: str) -> None:
    assert root_of(final_url) == root


@pytest.mark.parametrize("final_url", [SEED, SEED[:-1], SEED + "index.html", SEED + "?C=N;O=D"])
@pytest.mark.parametrize("sample", ["Apache, table", "nginx", "IIS"])
def test_names_are_the_same_however_the_folder_was_asked_for(sample: str, final_url: str) -> None:
    found = entries(SAMPLES[sample][0], final_url)
    assert set(found) == {f"{SEED}sub/", f"{SEED}a%20b.pdf", f"{SEED}c.csv"}


LINKS = {
    "a.pdf": f"{SEED}a.pdf",
    "./a.pdf": f"{SEED}a.pdf",
    "/data/a.pdf": f"{SEED}a.pdf",
    "https://town.example/data/a.pdf": f"{SEED}a.pdf",
    "//town.example/data/a.pdf": f"{SEED}a.pdf",
    "a.pdf#page=2": f"{SEED}a.pdf",
    "a.aspx?id=1&amp;x=2": f"{SEED}a.aspx?id=1&x=2",
    "sub/": f"{SEED}sub/",
    "sub/?C=N;O=D": f"{SEED}sub/",
    "deep/er/a.pdf": f"{SEED}deep/er/a.pdf",
    "na\u00efve.pdf": f"{SEED}na%C3%AFve.pdf",
    "a%2fb.pdf": f"{SEED}a%2Fb.pdf",
    "?C=M;O=A": None,
    "#top": None,
    "": None,
    ".": None,
    "./": None,
    "..": None,
    "../": None,
    "/": None,
    "/database/a.pdf": None,
    "/data": None,
    "../other/a.pdf": None,
    "../../../../etc/passwd": None,
    "x/%2e%2e/%2e%2e/secret.pdf": None,
    "https://town.example:8443/data/a.pdf": None,
    "https://www.town.example/data/a.pdf": None,
    "https://elsewhere.example/data/a.pdf": None,
    "mailto:clerk@town.example": None,
    "javascript:void(0)": None,
    "ftp://town.example/data/a.pdf": None,
    "http://[broken/a.pdf": None,
}


@pytest.mark.parametrize("link", LINKS)
def test_a_link_is_an_entry_only_below_the_root(link: str) -> None:
    body = f'<h1>Index of /data/</h1><a href="{link}">x</a><a href="../">up</a>'
    assert list(entries(body)) == ([LINKS[link]] if LINKS[link] else [])


def test_links_that_lead_elsewhere_are_counted_but_not_those_that_go_up() -> None:
    links = ["../", "/", "?C=N;O=D", "/other/a.pdf", "https://elsewhere.example/", "a.pdf"]
    body = "<h1>Index of /data/</h1>" + "".join(f'<a href="{each}">x</a>' for each in links)
    found = recognise(body.encode(), SEED)
    assert found is not None
    assert (found.elsewhere, found.links) == (2, 6)


# Times


@pytest.mark.parametrize(
    ("text", "lastmod"),
    [
        ("2024-02-29 23:59", "2024-02-29T23:59:00"),
        ("  2024-02-29 23:59:58  22K", "2024-02-29T23:59:58"),
        ("2024-02-29T23:59:58Z", "2024-02-29T23:59:58Z"),
        ("2024-02-29T23:59:58-05:00", "2024-03-01T04:59:58Z"),
        ("29-Feb-2024 23:59", "2024-02-29T23:59:00"),
        ("29-Feb-2024 23:59:58", "2024-02-29T23:59:58"),
        ("2024-Feb-29 23:59:58", "2024-02-29T23:59:58"),
        ("Thu, 29 Feb 2024 23:59:58 GMT", "2024-02-29T23:59:58Z"),
        ("Thursday, February 29, 2024 11:59 PM", "2024-02-29T23:59:00"),
        ("Thursday, February 1, 2024  1:05 AM", "2024-02-01T01:05:00"),
        ("30-Feb-2024 23:59", None),
        ("2024-13-01 00:00", None),
        ("0001-01-01T00:00:00+05:00", None),
        ("12024-02-29 23:59", None),
        ("-", None),
        ("", None),
        ("22K", None),
    ],
)
def test_times_are_read_in_the_forms_in_which_they_are_written(
    text: str, lastmod: str | None
) -> None:
    assert listing_dates.found_in(text) == lastmod


@pytest.mark.parametrize(
    ("texts", "first"),
    [
        (["1/2/2024 10:20 AM", "12/31/2023 1:00 PM"], "2024-01-02T10:20:00"),
        (["1/2/2024 10:20 AM"], "2024-01-02T10:20:00"),
        (["1/2/2024 12:20 AM"], "2024-01-02T00:20:00"),
        (["1/2/2024 12:20 PM"], "2024-01-02T12:20:00"),
        (["01/02/2024 13:20:59", "31/12/2023 13:00"], "2024-02-01T13:20:59"),
        (["1/2/2024 1:20 PM", "31/12/2023 1:00 PM"], "2024-02-01T13:20:00"),
        (["01/02/2024 13:20", "12/31/2023 13:00"], "2024-01-02T13:20:00"),
        (["01/02/2024 13:20", "03/04/2023 13:00"], None),
        (["01/02/2024 13:20", "31/12/2023 13:00", "12/31/2023 13:00"], None),
        (["31/31/2024 13:20"], None),
        (["1/2/2024 25:20", "12/31/2023 1:00 PM"], None),
    ],
)
def test_the_order_of_day_and_month_is_seen_in_the_whole_listing(
    texts: list[str], first: str | None
) -> None:
    day_first = listing_dates.is_day_first(texts)
    assert listing_dates.found_in(texts[0], day_first) == first


@given(st.text(max_size=60) | st.from_regex(r"\d{1,4}[-/]\d{1,2}[-/]\d{1,5} \d\d:\d\d( [AP]M)?"))
@PROPERTY
def test_any_text_has_a_time_or_none(text: str) -> None:
    for day_first in (None, True, False):
        listing_dates.found_in(text, day_first)
    listing_dates.is_day_first([text])


def test_a_date_in_a_name_is_no_time_of_change() -> None:
    body = nginx("/data/", "x").replace(b"   15-Jan-2024 10:20   -", b"      -")
    body = body.replace(b">x<", b">minutes 2024-02-29 23:59<")
    assert entries(body) == {f"{SEED}x": None}


def test_a_listing_inside_the_table_of_a_page_keeps_its_times() -> None:
    framed = NGINX.replace("<pre>", "<table><tr><td>Menu</td><td><pre>").replace(
        "</pre>", "</pre></td></tr></table>"
    )
    assert entries(framed) == entries(NGINX)
