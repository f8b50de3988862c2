"""A page encloses the documents that it carries at their own address, and nothing else."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from centinel import addresses, enclosures, kinds
from centinel.sources.source_kind import Parts
from centinel.webpage import open_page
from tests.unit.support import PROPERTY

PAGE = "https://town.example/meetings/view.html"
HOST = "https://town.example"


def find(body: bytes, final_url: str, address: str) -> Parts:
    """What `enclosures` finds on a page that is served so."""
    page = open_page(body, "text/html", final_url)
    return enclosures.find(page, address) if page else Parts()


def enclosed(markup: str | bytes, final_url: str = PAGE) -> list[str]:
    """The documents of a page, without the host."""
    body = markup.encode() if isinstance(markup, str) else markup
    found = find(body, final_url, PAGE).addresses
    return [address.removeprefix(HOST) for address in found]


def in_script(code: str) -> list[str]:
    """The documents of a page with a script."""
    return enclosed(f"<html><head><script>\n{code}\n</script></head><body>Print</body></html>")


# Elements


@pytest.mark.parametrize(
    "markup",
    [
        '<embed src="/a.pdf">',
        '<object data="/a.pdf" type="application/pdf"></object>',
        '<iframe src="/a.pdf"></iframe>',
        '<a href="/a.pdf">Agenda</a>',
        "<a href='/a.pdf'>Agenda</a>",
        "<a href=/a.pdf>Agenda</a>",
        "<A CLASS=x\nHREF = '/a.pdf' >Agenda</A>",
        '<a href=" /a.pdf\n">Agenda</a>',
        '<a href="../a.pdf">Agenda</a>',
        '<a href="//town.example/a.pdf">Agenda</a>',
        '<a href="https://TOWN.example:443/a.pdf">Agenda</a>',
        '<a href="/a.pdf#page=2">Agenda</a><a href="/a.pdf#view=Fit">Again</a>',
        '<p><a href="/a.pdf">never closed <b>at all',
    ],
)
def test_a_document_in_an_element_is_enclosed(markup: str) -> None:
    assert enclosed(markup) == ["/a.pdf"]


@pytest.mark.parametrize(
    "markup",
    [
        '<button formdata="/a.pdf">x</button>',
        '<iframe data-src="/a.pdf"></iframe>',
        '<meta data-content="/a.pdf" content="/b.pdf">',
        '<a data-href="/a.pdf" name="/b.pdf">x</a>',
        '<a title="href=/a.pdf">x</a>',
        '<img src="/a.pdf">',
        '<link href="/a.pdf">',
        "<p>/a.pdf</p>",
        '<!-- <a href="/a.pdf">old</a> -->',
        '<!--[if IE]><embed src="/a.pdf"><![endif]-->',
        '<a href="">x</a><a>y</a><a href="#">z</a>',
        "<a href=\"javascript:open('/a.pdf')\">x</a>",
        '<a href="mailto:clerk@town.example?x=/a.pdf">x</a>',
        '<a href="data:application/pdf,a.pdf">x</a>',
    ],
)
def test_what_only_looks_like_one_is_not(markup: str) -> None:
    assert enclosed(markup) == []


@pytest.mark.parametrize(
    "address",
    [
        "https://www.town.example/a.pdf",
        "https://files.example/a.pdf",
        "https://town.example:8443/a.pdf",
        "http://town.example:81/a.pdf",
        "//cdn.example/a.pdf",
        "ftp://town.example/a.pdf",
    ],
)
def test_another_host_or_port_is_not_enclosed(address: str) -> None:
    assert enclosed(f'<a href="{address}">x</a>') == []


@pytest.mark.parametrize("extension", [e for row in kinds.FORMATS for e in row.extensions])
def test_only_what_the_table_says_is_enclosed(extension: str) -> None:
    found = enclosed(f'<a href="/a.{extension.upper()}">x</a>')
    assert found == ([f"/a.{extension.upper()}"] if kinds.is_enclosed(extension) else [])


@pytest.mark.parametrize(
    "path", ["/.pdf", "/251agendaonline/.pdf?documentType=1", "/pdf", "/a.pdf/", "/"]
)
def test_a_document_has_a_name_before_its_extension(path: str) -> None:
    assert enclosed(f'<a href="{path}">x</a>') == []
    assert in_script(f'var u = "{path}";') == []


def test_queries_are_kept_and_entities_undone() -> None:
    path = "/DownloadFile/agenda.pdf?documentType=2&amp;meetingId=2834#page=1"
    assert enclosed(f'<a href="{path}">x</a>') == [
        "/DownloadFile/agenda.pdf?documentType=2&meetingId=2834"
    ]


def test_the_page_itself_is_not_its_own_enclosure() -> None:
    page = f"{HOST}/viewer.pdf"
    assert find(b'<a href="">x</a><a href="viewer.pdf#top">y</a>', page, page).addresses == ()
    moved = find(b'<a href="/viewer.pdf">x</a>', f"{HOST}/moved.pdf", page)
    assert moved.addresses == ()


def test_documents_come_in_the_order_in_which_pages_carry_them() -> None:
    markup = """<script>var u = "/script.pdf";</script><a href="/link.pdf">x</a>
    <iframe src="/frame.pdf"></iframe><object data="/object.pdf"></object>
    <embed src="/embed.pdf"><a href="/embed.pdf">again</a>"""
    assert enclosed(markup) == [
        "/embed.pdf",
        "/object.pdf",
        "/frame.pdf",
        "/link.pdf",
        "/script.pdf",
    ]


# Bases


def test_the_base_is_where_the_page_was_served() -> None:
    assert enclosed('<a href="a.pdf">x</a>', f"{HOST}/moved/view.html") == ["/moved/a.pdf"]


@pytest.mark.parametrize(
    ("base", "found"),
    [
        ("/files/", ["/files/a.pdf"]),
        ("https://town.example/files/x", ["/files/a.pdf"]),
        ("https://cdn.example/", []),
        ("mailto:clerk@town.example", ["/meetings/a.pdf"]),
        ("", ["/meetings/a.pdf"]),
    ],
)
def test_a_page_may_set_another_base(base: str, found: list[str]) -> None:
    assert enclosed(f'<head><base href="{base}"></head><a href="a.pdf">x</a>') == found


# Encodings


@pytest.mark.parametrize(
    "body",
    [
        '<a href="/März.pdf">x</a>'.encode(),
        '<meta charset="utf-8"><a href="/März.pdf">x</a>'.encode(),
        '<meta charset="iso-8859-1"><a href="/März.pdf">x</a>'.encode("latin-1"),
        '<a href="/März.pdf">x</a>'.encode("utf-16"),
        b'<a href="/M&auml;rz.pdf">x</a>',
        b'<a href="/M%c3%a4rz.pdf">x</a>',
        '<script>var u = "/März.pdf"</script>'.encode(),
        b'<script>var u = "/M\\u00e4rz.pdf"</script>',
    ],
)
def test_a_name_with_other_letters_is_read(body: bytes) -> None:
    assert enclosed(body) == ["/M%C3%A4rz.pdf"]


# Scripts


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('var pdfURL="/agenda.pdf#view=Fit&amp;toolbar=1";', "/agenda.pdf"),
        ("var pdfURL = 'agenda.pdf';", "/meetings/agenda.pdf"),
        ("const u = `/a.pdf`;", "/a.pdf"),
        (r'{"url": "https:\/\/town.example\/files\/a.pdf"}', "/files/a.pdf"),
        (r'{"url": "\/files\/a.pdf"}', "/files/a.pdf"),
        (r'{"url": "\u002ffiles/a.pdf?x=1\u0026y=2"}', "/files/a.pdf?x=1&y=2"),
        ('show("/a.pdf", 1)', "/a.pdf"),
        ('show(1, "/a.pdf")', "/a.pdf"),
        ('// it\'s the agenda\nvar u = "/a.pdf";', "/a.pdf"),
        ('/* don\'t */ var u = "/a.pdf"; /* won\'t */', "/a.pdf"),
        ('var s = "say \\"no\\""; var u = "/a.pdf";', "/a.pdf"),
        ('var u = "/a.PDF?x=1";', "/a.PDF?x=1"),
    ],
)  # fmt: skip
def test_a_whole_literal_in_a_script_is_enclosed(code: str, found: str) -> None:
    assert in_script(code) == [found]


@pytest.mark.parametrize(
    "code",
    [
        '"/DownloadFile/" + name + ".pdf?documentType=" + kind',
        'var u = base + "/a.pdf";',
        'var u = base\n  +\n  "/a.pdf";',
        'var u = "/a.pdf" + query;',
        'var u = "/a.pdf"\n\n+ query;',
        "var u = `/files/${name}.pdf`;",
        "var u = `${base}/a.pdf`;",
        "var u = '/a.pdf.html';",
        "var u = '/a.pdfx';",
        "var u = /a.pdf/;",
        'var u = "/a\n.pdf";',
        'var u = "<b>a.pdf";',
        'var u = "/a.pdf;',
        'var u = "https://files.example/a.pdf";',
    ],
)
def test_a_piece_or_another_thing_in_a_script_is_not(code: str) -> None:
    assert in_script(code) == []


def test_data_in_a_page_is_read_like_a_script() -> None:
    markup = '<script type="application/json">{"file": "/a.docx", "also": ["/b.csv"]}</script>'
    assert enclosed(markup) == ["/a.docx", "/b.csv"]


# How many


def test_at_most_twenty_five_are_taken_and_the_rest_is_counted() -> None:
    links = "".join(f'<a href="/{number}.pdf">x</a>' for number in range(40))
    found = find((links * 2).encode(), PAGE, PAGE)
    assert found.addresses == tuple(f"{HOST}/{number}.pdf" for number in range(25))
    assert found.notes == ("15 enclosures more than 25 were not taken",)


def test_exactly_twenty_five_drop_nothing() -> None:
    links = "".join(f'<a href="/{number}.pdf">x</a>' for number in range(25))
    found = find(links.encode(), PAGE, PAGE)
    assert (len(found.addresses), found.notes) == (enclosures.MOST, ())


@pytest.mark.parametrize("body", [b"", b" \n", b"\x00", b"<!-- -->", b"<!doctype html>"])
def test_an_empty_page_has_none(body: bytes) -> None:
    assert find(body, PAGE, PAGE).addresses == ()


# Speed


@pytest.mark.parametrize(
    "code",
    [
        '"' * 1_000_000,
        "\"'`" * 330_000,
        " " * 1_000_000,
        '\\"' * 500_000,
        '"' + '\\"key\\":\\"value\\",' * 60_000,
        '"' + "a.pdf?" * 300 + "x" * 1_000_000,
        '"' + "x" * 1_000_000,
        "a.pdf" * 200_000,
    ],
    ids=["quotes", "three quotes", "blanks", "escapes", "json", "query", "one quote", "names"],
)
def test_a_long_script_costs_no_time(code: str) -> None:
    started = time.monotonic()
    assert in_script(code) == []
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("markup", ["<a href='x", "<!--", "<script>", "<div>", "&", "<a href="])
def test_unterminated_markup_does_not_hang(markup: str) -> None:
    started = time.monotonic()
    find(markup.encode() * 50_000, PAGE, PAGE)
    assert time.monotonic() - started < 10


PIECES = st.sampled_from(
    b"""<a href='|'>|<base href='|<script>|</script>|<!--|<embed src=|x.pdf|http://|//|:|[|]|'|"|\\u00
    |\\ud800|&#xd800;|&#0;|\x00|<html>|<?xml version='1.0' encoding='x'?>|<meta charset='|utf-7
    |utf-16|\xff\xfe|\xef\xbb\xbf|../|%|#|?""".split(b"|")
)


@PROPERTY
@given(st.binary() | st.lists(PIECES | st.binary(max_size=3)).map(b"".join))
@example(b'<script>"\\ud800.pdf"</script>')
@example(b"<a href='http://[x.pdf'>")
def test_any_bytes_give_documents_of_this_host_or_none(body: bytes) -> None:
    for address in find(body, PAGE, PAGE).addresses:
        assert addresses.canonical(address) == address
        assert address.startswith(f"{HOST}/")


# Viewers


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("/pdfjs/web/viewer.html?file=/media/a.pdf", ["/media/a.pdf"]),
        ("/viewer?file=%2Fmedia%2Fa%20b.pdf#page=2", ["/media/a%20b.pdf"]),
        ("/viewer?src=https://town.example/a.docx&zoom=1", ["/a.docx"]),
        ("/viewer?file=https://elsewhere.example/a.pdf", []),
        ("/list?page=1.5", []),
    ],
)
def test_a_viewer_carries_its_file_in_a_parameter(value: str, expected: list[str]) -> None:
    assert enclosed(f'<main><iframe src="{value}"></iframe></main>') == expected


# Addresses that do not say what they are


@pytest.mark.parametrize(
    "link",
    [
        '<a type="application/pdf" href="/doc/17">Budget</a>',
        '<a download href="/doc/17">Budget</a>',
        '<a href="/doc/17">Budget (PDF, 2 MB)</a>',
        '<a href="/doc/17"><b>Budget</b> [Word]</a>',
        '<a class="icon icon-pdf" href="/doc/17">Budget</a>',
    ],
)
def test_a_link_that_the_page_marks_as_a_document_is_one(link: str) -> None:
    assert enclosed(f"<main>{link}</main>") == ["/doc/17"]


@pytest.mark.parametrize(
    "address",
    ["/DocumentCenter/View/204", "/DocumentCenter/View/204/Budget-2026", "/media/204/download"],
)
def test_a_product_that_serves_documents_so_is_known(address: str) -> None:
    assert enclosed(f'<main><a href="{address}">Budget</a></main>') == [address]


@pytest.mark.parametrize(
    "link",
    [
        '<a href="/doc/17">Budget</a>',
        '<a href="/doc/17">How to read a PDF</a>',
        '<a href="/page.html" type="application/pdf">Budget</a>',
        '<a href="#top" class="pdf">Budget</a>',
        '<a href="mailto:clerk@town.example" class="pdf">Ask (PDF)</a>',
        '<a href="https://elsewhere.example/doc/17">Budget (PDF)</a>',
    ],
)
def test_an_ordinary_link_is_no_document(link: str) -> None:
    assert enclosed(f"<main>{link}</main>") == []


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"content-type": "application/pdf"}, None),
        ({"content-type": "application/octet-stream"}, "no document: application/octet-stream"),
        ({"content-disposition": 'attachment; filename="a.docx"'}, None),
        ({"content-type": "text/html; charset=utf-8"}, "no document: text/html"),
        ({}, "no document: no type"),
    ],
)
def test_headers_decide_what_an_address_does_not_say(
    headers: dict[str, str], reason: str | None
) -> None:
    assert enclosures.no_document(headers) == reason
