"""What holds for any bytes whatever: `read` never raises, and says something or why not."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from centinel.readers.document import Document, has_text
from centinel.readers.outcome import Outcome
from centinel.readers.reading import read

ORDERS = {
    "html": ["marked", "readability", "whole_page"],
    "text": ["text"],
    "csv": ["csv"],
    "json": ["json"],
    "xml": ["xml"],
    "markdown": ["markdown"],
    "pdf": ["pdf_inspector", "pdfium", "pdftotext"],
    "captions": ["captions"],
    "mail": ["mail"],
    "archive": ["archive"],
    "zip-container": ["archive"],
}
PIECES = {
    "html": [b"<main>", b"<table><tr><td>", b"</td>", b"<a href='x y'>", b"<p>", b"</p>", b"<h1>"],
    "text": [b"\r\n", b"\x00", b"data:image/png;base64,AA=="],
    "csv": [b",", b'"', b"\n", b";", b"\t", b"sep=;\n", b"\r"],
    "json": [b"{", b"}", b"[", b"]", b'"a":', b"1", b"\\ud800", b'"', b","],
    "xml": [b"<a>", b"</a>", b"<a b='c'/>", b"&x;", b"<!DOCTYPE a [", b"]>"],
    "markdown": [b"# ", b"```", b"\n", b"**", b"[a](b)"],
    "pdf": [b"%PDF-1.4\n", b"1 0 obj", b"stream", b"endobj", b"/Title(", b"/Info 1 0 R"],
    "captions": [
        b"WEBVTT\n\n",
        b"00:01.000 --> 00:02.000\n",
        b"1\n",
        b"<v A>",
        b"word\n",
        b"\n\n",
        b"<tt xmlns='http://www.w3.org/ns/ttml'>",
        b"<p begin='1s' end='2s'>",
        b'{"events":[',
        b"]}",
    ],
    "mail": [
        b"Subject: ",
        b"From: a@b\n",
        b"\n\n",
        b"Content-Type: multipart/mixed;boundary=b\n",
        b"--b\n",
        b"Content-Transfer-Encoding: base64\n",
        b"Content-Type: text/html\n",
        b"<p>",
    ],
    "archive": [b"\x1f\x8b\x08\x00", b"BZh9", b"\xfd7zXZ\x00", b"ustar", b"\x00" * 100, b"0000644"],
    "zip-container": [b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"\x00" * 20, b"a.txt"],
}


def outcome_of(kind: str, data: bytes, declared_type: str | None, title: str | None) -> Outcome:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "blob"
        path.write_bytes(data)
        return read(Document(path, kind, declared_type), ORDERS[kind], title)


@pytest.mark.parametrize("kind", ORDERS)
@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_bytes_give_text_or_a_reason(kind: str, data: st.DataObject) -> None:
    pieces = st.lists(st.sampled_from(PIECES[kind]) | st.binary(max_size=12), max_size=25)
    content = data.draw(st.binary(max_size=200) | pieces.map(b"".join))
    declared_type = data.draw(
        st.sampled_from([None, "text/html; charset=utf-16", "x; charset=hex"])
    )
    title = data.draw(st.none() | st.text(max_size=9))
    outcome = outcome_of(kind, content, declared_type, title)
    if outcome.outcome == "text":
        text = outcome.text or ""
        assert has_text(text)
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        assert outcome.chars == len(text)
        assert outcome.reason is None
        text.encode()
        assert "\x00" not in text
        assert "\r" not in text
    else:
        assert outcome.outcome == "underivable"
        assert outcome.text is None
        assert has_text(outcome.reason)
