"""Addresses have one form, only some may be asked, and none shows a password."""

import socket
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from centinel import addresses
from centinel.addresses import canonical, extension, refusal
from centinel.masking import masked
from tests.unit.support import PROPERTY

BASE = "https://town.example/council/minutes.html?year=2026"


@pytest.fixture(autouse=True)
def forget_hosts() -> None:
    addresses.is_private.cache_clear()


@pytest.mark.parametrize(
    ("given_form", "form"),
    [
        ("HTTPS://Town.Example", "https://town.example/"),
        ("http://town.example:80/", "http://town.example/"),
        ("https://town.example:443/a", "https://town.example/a"),
        ("http://town.example:8080/", "http://town.example:8080/"),
        ("https://town.example:80/", "https://town.example:80/"),
        ("https://town.example/a#section-2", "https://town.example/a"),
        ("https://clerk:secret@town.example/a", "https://town.example/a"),
        ("https://clerk@town.example:8443/a", "https://town.example:8443/a"),
        ("  https://town.example/a\n", "https://town.example/a"),
        ("https://town.example/a/./b/../c", "https://town.example/a/c"),
        ("https://town.example/../../a", "https://town.example/a"),
        ("https://town.example/a/..", "https://town.example/"),
        ("https://town.example//a.pdf", "https://town.example//a.pdf"),
        ("https://town.example/a//b///c", "https://town.example/a//b///c"),
        ("https://town.example/a:b/c", "https://town.example/a:b/c"),
        ("https://town.example/a;v=1/b", "https://town.example/a;v=1/b"),
    ],
)
def test_an_address_has_one_form(given_form: str, form: str) -> None:
    assert canonical(given_form) == form


@pytest.mark.parametrize(
    ("given_form", "form"),
    [
        ("http://münchen.example/", "http://xn--mnchen-3ya.example/"),
        ("http://MÜNCHEN.example/", "http://xn--mnchen-3ya.example/"),
        ("http://xn--mnchen-3ya.example/", "http://xn--mnchen-3ya.example/"),
        ("http://[2001:DB8::1]:80/a", "http://[2001:db8::1]/a"),
        ("http://[2001:db8::1]:8080/", "http://[2001:db8::1]:8080/"),
        ("http://192.0.2.1/", "http://192.0.2.1/"),
    ],
)
def test_a_host_has_one_form(given_form: str, form: str) -> None:
    assert canonical(given_form) == form


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/%7euser/%41", "/~user/A"),
        ("/caf%c3%a9", "/caf%C3%A9"),
        ("/café", "/caf%C3%A9"),
        ("/a%2fb", "/a%2Fb"),
        ("/a b", "/a%20b"),
        ("/100%", "/100%"),
        ("/a%zz", "/a%zz"),
        ("/a%253Fb", "/a%253Fb"),
        ("/(a)[b]", "/(a)%5Bb%5D"),
    ],
)
def test_percent_encoding_has_one_form(path: str, form: str) -> None:
    assert canonical(f"https://town.example{path}") == f"https://town.example{form}"


@pytest.mark.parametrize(
    "query",
    [
        "page=1",
        "b=2&a=1",
        "a=1&a=1&b=",
        "sort=C;O=D",
        "q=a+b",
        "url=https://other.example/x?y=1",
        "documentType=2&meetingId=2834",
        "=&&",
    ],
)
def test_queries_are_kept_in_their_order(query: str) -> None:
    assert canonical(f"https://town.example/s?{query}") == f"https://town.example/s?{query}"


@pytest.mark.parametrize(
    ("relative", "form"),
    [
        ("/sitemap.xml", "https://town.example/sitemap.xml"),
        ("agenda.pdf", "https://town.example/council/agenda.pdf"),
        ("../agenda.pdf#page=2", "https://town.example/agenda.pdf"),
        ("?year=2025", "https://town.example/council/minutes.html?year=2025"),
        ("//files.example/a//b", "https://files.example/a//b"),
        ("http://other.example:80/x", "http://other.example/x"),
        (r"docs\agenda.pdf", "https://town.example/council/docs/agenda.pdf"),
    ],
)
def test_a_relative_address_is_resolved(relative: str, form: str) -> None:
    assert canonical(relative, BASE) == form


@pytest.mark.parametrize(
    "address",
    [
        "",
        "/a",
        "//town.example/a",
        "town.example",
        "mailto:clerk@town.example",
        "javascript:void(0)",
        "ftp://town.example/a",
        "file:///etc/passwd",
        "data:text/plain,x",
        "http://",
        "http:///a",
        "https://exa mple.gov/sitemap.xml",
        "http://town.example:99999/",
        "http://town.example:port/",
        "http://[::1/",
        "http://\u2100.example/",
        f"http://{'a' * 64}ü.example/",
    ],
)
def test_what_is_no_web_address_has_no_form(address: str) -> None:
    assert canonical(address) is None


HOSTS = st.sampled_from(
    [
        "town.example",
        "münchen.example",
        "[::1]",
        "TOWN.example:80",
        "u:p@town.example",
        "10.0.0.1",
        "ß.example",
    ]
)
TAILS = st.text(
    st.sampled_from("/.%?#&=;:@ +\\2eEfF~ä\t\n[]|^'\"<>") | st.characters(), max_size=30
)
WRITTEN = st.builds("{}://{}/{}".format, st.sampled_from(["http", "https", "HTTP"]), HOSTS, TAILS)


@PROPERTY
@given(WRITTEN | st.builds("{}://{}".format, st.just("http"), st.text()) | st.text())
@example("http://town.example//a/..//b")
@example("http://town.example/%25%37e")
def test_the_one_form_stays_as_it_is(address: str) -> None:
    form = canonical(address)
    assume(form is not None)
    assert form is not None
    assert canonical(form) == form
    parts = urlsplit(form)
    assert parts.scheme in {"http", "https"}
    assert (parts.fragment, parts.username, parts.password) == ("", None, None)
    assert form.isascii()
    assert not {".", ".."} & set(parts.path.split("/"))


@PROPERTY
@given(WRITTEN, TAILS)
def test_a_form_that_was_resolved_stays_as_it_is(base: str, relative: str) -> None:
    found = canonical(base)
    assume(found is not None)
    form = canonical(relative, found)
    assert form is None or canonical(form, "http://elsewhere.example/") == form


def test_a_site_is_host_and_port() -> None:
    assert addresses.origin("https://town.example:8443/a?b") == "https://town.example:8443"
    assert addresses.host("https://town.example:8443/a?b") == "town.example:8443"
    assert addresses.host("https://town.example/") != addresses.host("https://www.town.example/")


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/agenda.PDF", "pdf"),
        ("/agenda.pdf?v=1.docx", "pdf"),
        ("/archive.tar.gz", "gz"),
        ("/a.b/c", None),
        ("/.pdf", None),
        ("/..pdf", None),
        ("/", None),
        ("/View/123", None),
        ("/name.", None),
        ("/name.averylongending", None),
        ("/a%2Epdf", "pdf"),
        ("/M%C3%A4rz.csv", "csv"),
    ],
)
def test_the_extension_is_that_of_the_last_segment(path: str, found: str | None) -> None:
    assert extension(f"https://town.example{path}") == found


def test_a_served_name_speaks_only_where_the_address_has_no_extension() -> None:
    assert addresses.served_extension("https://town.example/View/1", "Agenda.PDF") == "pdf"
    assert addresses.served_extension("https://town.example/a.aspx", "Agenda.pdf") == "aspx"
    assert addresses.served_extension("https://town.example/View/1", None) is None


def test_a_file_name_is_decoded_and_never_fails() -> None:
    assert addresses.file_name("https://town.example/a/M%C3%A4rz.csv?x") == "März.csv"
    assert addresses.file_name("https://town.example/%FF%FE.csv") == "\ufffd\ufffd.csv"


# What may be asked


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1/",
        "http://127.1.2.3:8080/",
        "http://localhost/",
        "http://10.1.2.3/",
        "http://172.16.0.1/",
        "http://192.168.1.1/",
        "http://100.64.0.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://0.0.0.0/",
        "http://[::1]/",
        "http://[::]/",
        "http://[fe80::1]/",
        "http://[fd00::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://127.1/",
    ],
)
def test_a_private_address_of_a_public_source_is_refused(address: str) -> None:
    reason = refusal(address, private_is_allowed=False)
    assert reason is not None
    assert "private" in reason
    assert refusal(address, private_is_allowed=True) is None


@pytest.mark.parametrize("address", ["http://8.8.8.8/", "https://[2606:4700::1111]/"])
def test_a_public_address_may_be_asked(address: str) -> None:
    assert refusal(address, private_is_allowed=False) is None


@pytest.mark.parametrize(
    "address",
    ["ftp://8.8.8.8/", "mailto:clerk@town.example", "file:///etc/passwd", "", "http:///a"],
)
def test_only_http_is_asked_even_of_a_private_source(address: str) -> None:
    reason = refusal(address, private_is_allowed=True)
    assert reason is not None
    assert "only http and https" in reason


def resolving(*answers: str) -> Any:
    """A resolver that gives these addresses for every name."""

    def getaddrinfo(*_arguments: object, **_options: object) -> list[Any]:
        if not answers:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (answer, 0)) for answer in answers]

    return getaddrinfo


@pytest.mark.parametrize(
    ("answers", "is_refused"),
    [
        (("10.0.0.1",), True),
        (("8.8.8.8", "127.0.0.1"), True),
        (("fe80::1%eth0",), True),
        (("8.8.8.8",), False),
        ((), False),
    ],
)
def test_a_name_is_as_private_as_what_it_resolves_to(
    monkeypatch: pytest.MonkeyPatch, answers: tuple[str, ...], is_refused: bool
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", resolving(*answers))
    assert (refusal("http://intranet.example/", False) is not None) == is_refused


# What may be shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://clerk:secret@town.example/a", "https://clerk:***@town.example/a"),
        ("https://:secret@town.example/", "https://:***@town.example/"),
        ("https://clerk:@town.example/", "https://clerk:***@town.example/"),
        ("https://clerk:1234@town.example/", "https://clerk:***@town.example/"),
        ("https://clerk:se@cret@town.example/", "https://clerk:***@town.example/"),
        ("https://clerk:se/cret@town.example/", "https://clerk:***@town.example/"),
        ("https://clerk:se cret@town.example/", "https://clerk:***@town.example/"),
        ("at ftp://u:p@h/x and http://v:q@i/y", "at ftp://u:***@h/x and http://v:***@i/y"),
    ],
)
def test_a_password_is_never_shown(text: str, shown: str) -> None:
    assert masked(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "https://town.example/a@b",
        "https://town.example:8080/a@b",
        "https://town.example:8080?mail=clerk@town.example",
        "http://[::1]:8080/a@b",
        "http://clerk@town.example/",
        "'http://town.example:80' for clerk@town.example",
        "clerk@town.example",
        "10:30 @ town hall",
    ],
)
def test_what_is_no_password_is_shown(text: str) -> None:
    assert masked(text) == text


PASSWORDS = st.text(st.characters(codec="utf-8", exclude_characters="\n\r@"), min_size=1).filter(
    lambda text: not text[:1].isdigit() and "://" not in text
)


@PROPERTY
@given(PASSWORDS)
@example("pa/ss")
@example("?")
def test_no_password_survives(password: str) -> None:
    assert masked(f"https://clerk:{password}@town.example/") == "https://clerk:***@town.example/"


@pytest.mark.parametrize("address", ["http://x.y/a/%2e%2e/b", "http://x.y/%2E/b", "http://x.y//b"])
def test_an_address_is_its_own_canonical_form(address: str) -> None:
    once = canonical(address)
    assert once is not None
    assert canonical(once) == once


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("http://x.y/a;jsessionid=0A1B2C3D4E5F?p=1", "http://x.y/a?p=1"),
        ("http://x.y/a?PHPSESSID=9f86d081884c7d65&p=1", "http://x.y/a?p=1"),
        ("http://x.y/a?p=1&sid=9f86d081884c7d65", "http://x.y/a?p=1"),
        ("http://x.y/a.cfm?CFID=12&CFTOKEN=98&p=1", "http://x.y/a.cfm?p=1"),
        ("http://x.y/a?ASPSESSIONIDQQABCD=9F86D081884C7D659A2F", "http://x.y/a"),
        ("http://x.y/(S(lit3py55t21z5v55vlm25s55))/a.aspx", "http://x.y/a.aspx"),
        ("http://x.y/a?sid=7", "http://x.y/a?sid=7"),
        ("http://x.y/a?b=2&a=1&b=3&c", "http://x.y/a?b=2&a=1&b=3&c"),
        ("http://x.y/a?session=morning", "http://x.y/a?session=morning"),
    ],
)
def test_a_session_is_no_part_of_an_address(address: str, expected: str) -> None:
    assert canonical(address) == expected
