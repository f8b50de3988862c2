"""A sitemap document is read tolerantly, whole or said to be cut, and never invents an address."""

import gzip
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from centinel.sources import sitemap
from centinel.sources.sitemap import Entry, NotASitemap, Sitemap, parse
from tests.sites.server import sitemap as urlset
from tests.sites.server import sitemap_index
from tests.unit.support import PROPERTY

A, B, C = (f"https://town.example/{name}" for name in "abc")
OPEN = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'


def locations(document: Sitemap) -> list[str]:
    return [entry.location for entry in document.entries]


def entries(*inner: str) -> bytes:
    """A urlset of these entries, as they stand."""
    return (OPEN + "".join(f"<url>{each}</url>" for each in inner) + "</urlset>").encode()


# Forms


def test_a_urlset_names_pages_and_when_they_changed() -> None:
    document = parse(urlset([A, B], {B: "2026-02-02"}))
    assert document == Sitemap("urlset", [Entry(A), Entry(B, "2026-02-02")], False)


def test_an_index_names_sitemaps() -> None:
    document = parse(sitemap_index([A, B], {A: "2026-02-02T10:00:00Z"}))
    assert document == Sitemap("index", [Entry(A, "2026-02-02T10:00:00Z"), Entry(B)], False)


def test_an_empty_urlset_has_no_entries_and_is_whole() -> None:
    for body in (b"<urlset/>", b"<urlset></urlset>", b"<x:urlset xmlns:x='y'></x:urlset >"):
        assert parse(body) == Sitemap("urlset", [], False)


def test_text_names_an_address_a_line() -> None:
    document = parse(f"# pages\n{A}\r\n\n  HTTPS://town.example/b \nftp://x\n".encode())
    assert document == Sitemap("text", [Entry(A), Entry("HTTPS://town.example/b")], False)


def test_rss_names_pages_with_their_titles() -> None:
    body = f"""<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>
    <link>https://town.example/</link><image><url>https://town.example/logo.png</url></image>
    <item><title>Fees</title><link>{A}</link><pubDate>Mon, 02 Feb 2026 09:00:00 GMT</pubDate></item>
    <item><title>No link</title></item></channel></rss>"""
    document = parse(body.encode())
    assert document.form == "feed"
    assert document.entries == [Entry(A, "2026-02-02T09:00:00.000000Z", "Fees")]


@pytest.mark.parametrize(
    ("stated", "lastmod"),
    [
        ("<pubDate>Tue, 07 Jan 2014 18:30:00 -0800</pubDate>", "2014-01-08T02:30:00.000000Z"),
        ("<pubDate>7 Jan 14 18:30 EST</pubDate>", "2014-01-07T23:30:00.000000Z"),
        ("<pubDate>last Tuesday</pubDate>", "last Tuesday"),
        ("<dc:date>2014-01-07T18:30:00+01:00</dc:date>", "2014-01-07T18:30:00+01:00"),
        ("<pubDate/>", None),
    ],
)
def test_the_date_of_an_item_is_one_that_a_page_can_be_due_by(
    stated: str, lastmod: str | None
) -> None:
    body = f"""<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
    <item><link>{A}</link>{stated}</item></channel></rss>"""
    assert parse(body.encode()).entries == [Entry(A, lastmod)]


def test_atom_names_pages_by_the_link_that_is_for_people() -> None:
    body = f"""<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://town.example/"/>
    <entry><title>Fees</title><link rel="edit" href="https://town.example/edit/1"/>
    <link rel="enclosure" href="https://town.example/a.mp3"/><link rel="alternate" href=" {A} "/>
    <published>2026-01-01T00:00:00Z</published><updated>2026-02-02T00:00:00Z</updated></entry>
    <entry><link href="{B}"/></entry></feed>"""
    document = parse(body.encode())
    assert document.entries == [Entry(A, "2026-02-02T00:00:00Z", "Fees"), Entry(B)]
    assert (document.form, document.is_cut) == ("feed", False)


def test_rdf_is_a_feed_too() -> None:
    body = f"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    xmlns="http://purl.org/rss/1.0/"><item rdf:about="x"><link>{A}</link></item></rdf:RDF>"""
    assert parse(body.encode()) == Sitemap("feed", [Entry(A)], False)


# Tolerance


BOTH = (f"<loc>{A}</loc>", f"<loc>{B}</loc>")
PLAIN = f"<urlset><url>{BOTH[0]}</url><url>{BOTH[1]}</url></urlset>"
PREFIXED = f"""<s:urlset xmlns:s="x"><s:url><s:loc>{A}</s:loc></s:url>
<s:url><s:loc>{B}</s:loc></s:url></s:urlset>"""
COMMENTED = f"""<!DOCTYPE urlset><!-- made --><urlset><url><loc>
{A}
</loc></url><!-- <url> --><url><loc>{B}</loc></url></urlset><!-- 0.3 s -->"""
STYLED = b'<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="x.xsl"?>'


@pytest.mark.parametrize(
    "body",
    [
        gzip.compress(urlset([A, B]), mtime=0),
        b"\xef\xbb\xbf" + urlset([A, B]),
        b"\n \n" + urlset([A, B]),
        STYLED + entries(*BOTH),
        PLAIN.encode(),
        PREFIXED.encode(),
        COMMENTED.encode(),
        entries(BOTH[0], "<lastmod>2026-02-02</lastmod>", "<loc></loc>", BOTH[1]),
        entries(f"<loc><![CDATA[{A}]]></loc>", BOTH[1]),
        gzip.compress(f"{A}\n{B}\n".encode(), mtime=0),
    ],
)
def test_odd_documents_are_read(body: bytes) -> None:
    document = parse(body)
    assert locations(document) == [A, B]
    assert not document.is_cut


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("?page=1&sort=2", "?page=1&sort=2"),
        ("?page=1&amp;sort=2", "?page=1&sort=2"),
        ("?a=1&copy=2", "?a=1&copy=2"),
        ("?a=1&lt=2", "?a=1&lt=2"),
        ("?a=1&#38;b=2", "?a=1&b=2"),
        ("?a=1&#x26;b=2", "?a=1&b=2"),
        ("?a=1&", "?a=1&"),
        ("?a=1&&b", "?a=1&&b"),
        ("?n=a&nbsp;b", "?n=a&nbsp;b"),
    ],
)
def test_an_unescaped_ampersand_costs_nothing(written: str, meant: str) -> None:
    document = parse(entries(f"<loc>{A}{written}</loc>", f"<loc>{B}</loc>"))
    assert locations(document) == [A + meant, B]


def test_an_ampersand_in_cdata_stands_for_itself() -> None:
    assert locations(parse(entries(f"<loc><![CDATA[{A}?a=1&b=2]]></loc>"))) == [f"{A}?a=1&b=2"]


@pytest.mark.parametrize(
    "broken",
    ["<loc>https://town.example/broken", "<loc", "<lastmod>2026</loc>", "<loc/>", "\x01", "text"],
)
def test_one_broken_entry_costs_that_entry(broken: str) -> None:
    body = f"{OPEN}<url><loc>{A}</loc></url><url>{broken}</url><url><loc>{C}</loc></url></urlset>"
    document = parse(body.encode())
    assert set(locations(document)) >= {A, C}
    assert set(locations(document)) <= {A, C, "https://town.example/broken"}


def test_only_the_entrys_own_address_is_taken() -> None:
    body = entries(
        f"<image:image xmlns:image='i'><image:loc>{C}</image:loc></image:image><loc>{A}</loc>",
        f"<x:link xmlns:x='x' rel='alternate' hreflang='fi' href='{C}'/><loc>{B}</loc>",
        f"<x:link xmlns:x='x' rel='alternate' hreflang='fi' href='{C}'/>",
    )
    assert locations(parse(body)) == [A, B]


def test_invalid_utf_8_costs_no_entry_but_its_own() -> None:
    body = f"{OPEN}<url><loc>{A}</loc></url><url><loc>https://town.example/".encode()
    body += b"\xe4</loc></url>" + f"<url><loc>{C}</loc></url></urlset>".encode()
    found = locations(parse(body))
    assert (found[0], found[-1]) == (A, C)


# What is no sitemap


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "it is empty"),
        (b" \n\t", "it is empty"),
        (b"<!DOCTYPE html><html><body>Request blocked</body></html>", "it is a web page"),
        (b"\xef\xbb\xbf\n<HTML><head>", "it is a web page"),
        (
            b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>',
            "its root is <html>",
        ),
        (b"<minutes/>", "its root is <minutes>"),
        (b"Not found", "it is text without an address"),
        (b'{"urls": []}', "it is text without an address"),
        (b"<", "it is no XML"),
        (b"<:", "its root is <:>"),
        (b"\x1f\x8b\x08rubbish", "its gzip is damaged"),
        (gzip.compress(b"", mtime=0), "it is empty"),
    ],
)
def test_something_else_is_said_to_be_something_else(body: bytes, reason: str) -> None:
    with pytest.raises(NotASitemap, match=reason):
        parse(body)


# What is cut


def test_every_cut_of_a_document_is_said_and_invents_no_address() -> None:
    whole = urlset([A, f"{B}/long-name", C], {C: "2026-02-02"}).rstrip()
    for length in range(len(whole)):
        try:
            document = parse(whole[:length])
        except NotASitemap:
            continue
        assert document.is_cut, whole[:length]
        assert set(locations(document)) <= {A, f"{B}/long-name", C}


def test_what_stands_whole_before_a_cut_is_kept() -> None:
    whole = urlset([A, B, C])
    cut = whole[: whole.index(b"/c<") + 1]
    assert locations(parse(cut)) == [A, B]


def test_a_cut_gzip_is_said_and_gives_what_it_holds() -> None:
    pages = [f"https://town.example/{number * 7919}" for number in range(2000)]
    for body in (urlset(pages), "\n".join(pages).encode()):
        packed = gzip.compress(body, mtime=0)
        document = parse(packed[: len(packed) // 2])
        assert document.is_cut
        assert len(document.entries) > 100
        assert set(locations(document)) <= set(pages)


def test_what_is_too_long_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    body = urlset([A, B, C])
    for form in (body, gzip.compress(body, mtime=0)):
        monkeypatch.setattr(sitemap, "MOST_BYTES", body.index(b"/c<") + 1)
        document = parse(form)
        assert (locations(document), document.is_cut) == ([A, B], True)
        monkeypatch.setattr(sitemap, "MOST_BYTES", len(body))
        assert not parse(form).is_cut


# Attacks


def test_entities_are_not_expanded() -> None:
    levels = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
    bomb = f'<!DOCTYPE urlset [<!ENTITY e0 "0123456789">{levels}]>'
    started = time.monotonic()
    for body in (
        f"{bomb}<urlset><url><loc>{A}?&e9;</loc></url></urlset>",
        f'{bomb}<urlset><url><loc x="&e9;">{A}</loc></url></urlset>',
        f'{bomb}<feed><entry><link href="{A}?&e9;"/></entry></feed>',
    ):
        assert all(len(location) < 100 for location in locations(parse(body.encode())))
    assert time.monotonic() - started < 5


def test_files_are_not_read() -> None:
    secret = '<!DOCTYPE urlset [<!ENTITY s SYSTEM "file:///etc/passwd">]>'
    found = locations(parse(f"{secret}<urlset><url><loc>{A}?&s;</loc></url></urlset>".encode()))
    assert "root" not in "".join(found)


@pytest.mark.parametrize("piece", [b"<![CDATA[", b"<!--", b"</url ", b"&", b"<url>", b"<loc>&amp"])
def test_a_hostile_document_costs_no_more_time(piece: bytes) -> None:
    started = time.monotonic()
    parse(OPEN.encode() + piece * 20_000)
    assert time.monotonic() - started < 5


PIECES = st.sampled_from(
    b"""<urlset>|</urlset>|<url>|</url>|<loc>|</loc>|<rss>|<item>|<link>|<feed>|<entry>|<x:y>
    |&|&a;|<!--|-->|<![CDATA[|]]>|<!DOCTYPE a [|]>|<!ENTITY a 'b'>|http://x/|:|<|\x1f\x8b
    |\xff\xfe|\x00|\xef\xbb\xbf|<?xml version='1.0'?>|<?xml version='1.0' encoding='utf-7'?>
    """.split(b"|")
)


@PROPERTY
@given(
    st.binary()
    | st.lists(PIECES | st.binary(max_size=3)).map(b"".join)
    | st.lists(PIECES).map(lambda pieces: b"<urlset>" + b"".join(pieces))
    | st.lists(PIECES).map(lambda pieces: gzip.compress(b"".join(pieces), mtime=0)[:-3])
)
@example(b"<:")
def test_any_bytes_are_a_sitemap_or_said_to_be_none(body: bytes) -> None:
    try:
        document = parse(body)
    except NotASitemap as error:
        assert str(error)
    else:
        assert document.form in {"index", "urlset", "feed", "text"}
        assert all(entry.location for entry in document.entries)
