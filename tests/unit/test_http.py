"""A request gives whole bytes, or says what its failure shows; it leaves nothing behind."""

import gzip
import hashlib
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel import liveness
from centinel.answers import Fetched, NotModified, disposition_name
from centinel.http import Client
from centinel.liveness import of_redirect, of_status
from centinel.record import Liveness
from tests.sites.server import Answer, Site, entity_tag
from tests.unit.answers import encoded, fetched, refused
from tests.unit.support import PROPERTY, client

PLAIN = "text/plain; charset=utf-8"
TEXT = b"Minutes of the council. " * 4000


@pytest.fixture
def asking(tmp_path: Path) -> Client:
    return client(tmp_path / "incoming")


# Bytes


def test_an_answer_gives_its_bytes_and_what_was_said_of_them(asking: Client, site: Site) -> None:
    found = fetched(asking, site, Answer(TEXT, PLAIN, headers=(("X-Twice", "1"), ("X-Twice", "2"))))
    assert found.body.path.read_bytes() == found.body.content() == TEXT
    assert found.body.sha256 == hashlib.sha256(TEXT).hexdigest()
    assert (found.body.size, found.body.head) == (len(TEXT), TEXT[:4096])
    assert (found.http_status, found.final_url) == (200, site.address + "/a")
    assert (found.declared_type, found.filename) == (PLAIN, None)
    assert found.headers["etag"] == entity_tag(TEXT)
    assert found.headers["x-twice"] == "1, 2"


def test_a_body_that_is_not_kept_in_memory_is_whole_too(asking: Client, site: Site) -> None:
    large = bytes(range(256)) * 8192
    found = fetched(asking, site, Answer(large))
    assert len(found.body.start) < len(large)
    assert found.body.content() == large
    assert found.body.head == large[:4096]
    found.body.discard()
    found.body.discard()
    assert list(asking.folder.iterdir()) == []


@pytest.mark.parametrize("status", [200, 203])
def test_an_answer_without_a_type_declares_none(asking: Client, site: Site, status: int) -> None:
    found = fetched(asking, site, Answer(b"x", status=status))
    assert (found.declared_type, found.http_status) == (None, status)


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("GZIP", gzip.compress),
        ("x-gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda body: zlib.compress(body)[2:-4]),
        ("gzip", lambda body: gzip.compress(body[:100]) + gzip.compress(body[100:])),
        ("gzip", lambda body: gzip.compress(body) + b"\x00\x00rubbish"),
        ("identity", bytes),
        ("", bytes),
    ],
)
def test_a_content_encoding_is_undone(
    asking: Client, site: Site, encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    assert fetched(asking, site, encoded(pack(TEXT), encoding)).body.content() == TEXT


def test_an_empty_body_under_an_encoding_is_empty(asking: Client, site: Site) -> None:
    assert fetched(asking, site, encoded(b"", "gzip")).body.content() == b""


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, br", "unheard-of"])
def test_an_encoding_that_was_not_asked_for_is_an_error(
    asking: Client, site: Site, encoding: str
) -> None:
    found = refused(asking, site, encoded(TEXT, encoding))
    assert (found.liveness, found.http_status) == (Liveness.ERROR, 200)
    assert encoding in found.reason


# Statuses


@pytest.mark.parametrize(
    ("status", "shows"),
    [
        (404, "gone"),
        (410, "gone"),
        (401, "blocked"),
        (403, "blocked"),
        (429, "blocked"),
        (451, "blocked"),
        (400, "error"),
        (405, "error"),
        (500, "error"),
        (502, "error"),
        (503, "error"),
        (520, "error"),
    ],
)
def test_a_refused_page_is_not_an_absent_one(
    asking: Client, site: Site, status: int, shows: str
) -> None:
    found = refused(asking, site, Answer(b"no", PLAIN, status=status))
    assert (found.liveness, found.reason) == (Liveness(shows), f"http {status}")
    assert (found.http_status, found.answered) == (status, True)
    assert found.final_url == site.address + "/a"


def test_a_redirect_without_a_target_is_an_error(asking: Client, site: Site) -> None:
    found = refused(asking, site, Answer(status=302))
    assert (found.liveness, found.reason) == (Liveness.ERROR, "http 302")


def test_an_unchanged_page_is_not_fetched_again(asking: Client, site: Site) -> None:
    first = fetched(asking, site, Answer(TEXT, PLAIN))
    again = asking.get(site.address + "/a", first.headers)
    assert again == NotModified(site.address + "/a")
    headers = site.requests[-1].headers
    assert headers["if-none-match"] == entity_tag(TEXT)
    assert headers["if-modified-since"] == first.headers["last-modified"]


def test_a_changed_page_is_fetched_though_it_is_known(asking: Client, site: Site) -> None:
    first = fetched(asking, site, Answer(TEXT, PLAIN))
    site.set("/a", Answer(b"other", PLAIN))
    again = asking.get(site.address + "/a", first.headers)
    assert isinstance(again, Fetched)
    assert again.body.content() == b"other"


# Names


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ('attachment; filename="Agenda 2026.pdf"', "Agenda 2026.pdf"),
        ("attachment; filename=agenda.pdf", "agenda.pdf"),
        ("ATTACHMENT; FILENAME=agenda.pdf", "agenda.pdf"),
        ("attachment; filename*=UTF-8''M%C3%A4rz.pdf", "März.pdf"),
        ("attachment; filename*=iso-8859-1''M%E4rz.pdf", "März.pdf"),
        ("attachment; filename=\"Maerz.pdf\"; filename*=UTF-8''M%C3%A4rz.pdf", "März.pdf"),
        ("attachment; filename*=UTF-8''M%C3%A4rz.pdf; filename=\"Maerz.pdf\"", "März.pdf"),
        ('attachment; filename="Sitzung März.pdf"', "Sitzung März.pdf"),
        ('attachment; filename="中文.pdf"', "中文.pdf"),
        ('attachment; filename="../../etc/passwd"', "passwd"),
        ('attachment; filename="C:\\\\temp\\\\fees.xls"', "fees.xls"),
        ('attachment; filename="folder/"', None),
        ('inline; filename=""', None),
        ("attachment; filename*=idna''%FF", None),
        ("attachment", None),
        ("", None),
        (None, None),
    ],
)
def test_the_served_name_is_the_last_segment_of_what_is_said(
    header: str | None, name: str | None
) -> None:
    assert disposition_name(header) == name


def test_a_name_in_raw_utf_8_is_read(asking: Client, site: Site) -> None:
    raw = 'attachment; filename="März.pdf"'.encode().decode("latin-1")
    found = fetched(asking, site, Answer(b"x", headers=(("Content-Disposition", raw),)))
    assert found.filename == "März.pdf"


VALUES = st.text() | st.text("%aF0e9\"'.;=*\\/", max_size=20)
HEADERS = st.builds(
    "attachment; filename{}={}".format, st.sampled_from(["", "*", "*0*", "*0", "*1"]), VALUES
)


@PROPERTY
@given(
    st.text()
    | HEADERS
    | st.builds(
        "a; filename*={}''{}".format, st.sampled_from(["utf-8", "x", "idna", "utf-16", ""]), VALUES
    )
)
def test_whatever_is_said_of_a_name_it_has_no_folder(header: str) -> None:
    name = disposition_name(header)
    assert name is None or (name != "" and "/" not in name and "\\" not in name)


# Soft errors


@pytest.mark.parametrize(
    ("target", "shows", "reason"),
    [
        ("/Error/NotFound?aspxerrorpath=/a", "gone", "redirect to /notfound"),
        ("/page-not-found", "gone", "redirect to /page-not-found"),
        ("/404", "gone", "redirect to /404"),
        ("/Error/InternalServer?aspxerrorpath=/a", "error", "redirect to /error"),
        ("/errors/500", "error", "redirect to /500"),
        ("/oops?aspxerrorpath=/a", "error", "redirect with aspxerrorpath"),
    ],
)
def test_a_redirect_to_an_error_page_is_what_the_page_says(
    asking: Client, site: Site, target: str, shows: str, reason: str
) -> None:
    site.set(target, Answer(b"<title>Error</title>", "text/html"))
    found = refused(asking, site, Answer(status=302, headers=(("Location", target),)))
    assert (found.liveness, found.reason) == (Liveness(shows), reason)
    assert (found.http_status, found.final_url) == (200, site.address + target)


@pytest.mark.parametrize(
    ("asked", "final"),
    [
        ("https://town.example/services/error", "https://town.example/services/error"),
        ("http://town.example/404", "https://town.example/404"),
        ("https://town.example/a", "https://town.example/services/error-reporting"),
        ("https://town.example/a", "https://town.example/notfound-pets"),
        ("https://town.example/error", "https://town.example/error?aspxerrorpath=/error"),
        ("https://town.example/a", "https://town.example/b?q=404"),
    ],
)
def test_a_word_of_an_error_is_no_evidence_by_itself(asked: str, final: str) -> None:
    assert of_redirect(asked, final, 200) is None


@PROPERTY
@given(st.integers(100, 999))
def test_every_status_has_one_meaning(status: int) -> None:
    found = of_status(status, None)
    assert found.reason == f"http {status}"
    assert found.liveness != Liveness.LIVE
    assert liveness.MISSING_SEGMENTS.isdisjoint(liveness.FAULT_SEGMENTS)
