"""Bytes that are plainly of another kind than their server said go to the readers of that kind."""

import gzip
import io
import zipfile
from collections.abc import Callable

import pytest

from centinel.readers import reading
from centinel.readers.document import Document, FunctionReader, Reading
from centinel.readers.reading import read
from centinel.readers.routing import Shown, shown_by

Make = Callable[..., Document]

PDF = b"%PDF-1.7\n1 0 obj\n"
HTML = b"<!DOCTYPE html><html><body><p>Not found</p></body></html>"
JSON = b'{"error": "no such page"}'
XML = b'<?xml version="1.0"?><rows><row/></rows>'
VTT = b"WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n"
MAIL = b"MIME-Version: 1.0\nSubject: Fees\n\nHello\n"
TEXT = b"File not found.\n"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
RTF = b"{\\rtf1 Fees}"


def packed(*names: str) -> bytes:
    """A zip with these entries."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), "x")
    return buffer.getvalue()


DOCX = packed("[Content_Types].xml", "word/document.xml")
XLSX = packed("[Content_Types].xml", "xl/workbook.xml")
ZIP = packed("minutes.pdf", "budget.csv")


@pytest.mark.parametrize(
    ("kind", "content", "shown"),
    [
        ("html", PDF, Shown("pdf", "pdf")),
        ("text", PDF, Shown("pdf", "pdf")),
        ("document", PDF, Shown("pdf", "pdf")),
        ("csv", XLSX, Shown("xlsx", "spreadsheet")),
        ("csv", HTML, Shown("html", "html")),
        ("json", HTML, Shown("html", "html")),
        ("pdf", HTML, Shown("html", "html")),
        ("document", HTML, Shown("html", "html")),
        ("html", JSON, Shown("json", "json")),
        ("csv", XML, Shown("xml", "xml")),
        ("html", VTT, Shown("vtt", "captions")),
        ("html", MAIL, Shown("mail", "mail")),
        ("html", RTF, Shown("rtf", "document")),
        ("html", PNG, Shown("png", "image")),
        ("pdf", gzip.compress(PDF, mtime=0), Shown("gzip", "archive")),
        ("zip-container", DOCX, Shown("docx", "document")),
        ("zip-container", XLSX, Shown("xlsx", "spreadsheet")),
        ("document", XLSX, Shown("xlsx", "spreadsheet")),
        ("spreadsheet", DOCX, Shown("docx", "document")),
        ("document", ZIP, Shown("zip", "zip-container")),
        ("spreadsheet", TEXT, Shown("csv", "csv")),
        ("document", TEXT, Shown("text", "text")),
        ("pdf", TEXT, Shown("text", "text")),
        ("other", TEXT, Shown("text", "text")),
    ],
)
def test_bytes_of_another_kind_are_known(
    make: Make, kind: str, content: bytes, shown: Shown
) -> None:
    assert shown_by(make(content, kind)) == shown


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("pdf", PDF),
        ("html", HTML),
        ("html", TEXT),
        ("html", XML),
        ("text", HTML),
        ("text", JSON),
        ("text", MAIL),
        ("markdown", HTML),
        ("xml", HTML),
        ("captions", JSON),
        ("document", DOCX),
        ("document", RTF),
        ("spreadsheet", XLSX),
        ("zip-container", ZIP),
        ("image", TEXT),
        ("other", b"\x00\x01\x02\x03" * 8),
        ("document", b"\x00\x01\x02\x03" * 8),
        ("text", "Übersicht".encode("utf-16")),
    ],
)
def test_bytes_that_may_be_what_they_are_called_stay_it(
    make: Make, kind: str, content: bytes
) -> None:
    assert shown_by(make(content, kind)) is None


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    def says_its_name(name: str) -> FunctionReader:
        return FunctionReader(name, frozenset(), lambda _: Reading(f"Read by {name}"))

    monkeypatch.setattr(reading, "by_name", says_its_name)


ORDERS = {"html": ("a", "b"), "pdf": ("c",)}


@pytest.mark.usefixtures("named")
def test_the_text_says_by_whose_readers_it_was_read(make: Make) -> None:
    outcome = read(make(PDF, "html"), ORDERS["html"], "Fees", ORDERS)
    assert (outcome.outcome, outcome.kind, outcome.reader) == ("text", "html", "c")
    assert outcome.text == "# Fees\n\nRead by c\n"
    assert outcome.recovered_by_fallback
    why = "the bytes are pdf (of kind pdf), not html"
    assert outcome.notes == (why,)
    assert [(one.reader, one.reason) for one in outcome.tried] == [("a", why), ("b", why)]


@pytest.mark.usefixtures("named")
def test_bytes_of_a_kind_that_nobody_reads_are_underivable_with_both_reasons(
    make: Make,
) -> None:
    outcome = read(make(PNG, "html"), ORDERS["html"], None, ORDERS)
    assert outcome.outcome == "underivable"
    assert outcome.reason == (
        "the bytes are png (of kind image), not html; no reader for kind image"
    )
    assert [one.reader for one in outcome.tried] == ["a", "b"]
