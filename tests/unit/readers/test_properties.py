import io
from collections.abc import Callable

import docx as python_docx
import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from centinel.readers.document import Document
from centinel.readers.properties import title_of
from tests.unit.readers.packages import odf, ole, zip_of

Make = Callable[..., Document]

SUMMARY = bytes.fromhex("e0859ff2f94f6810ab9108002b27b3d9")


def word(title: str) -> bytes:
    document = python_docx.Document()
    document.core_properties.title = title
    document.add_paragraph("text")
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def summary(kind: int, raw: bytes, page: int | None = None) -> bytes:
    """Returns a set of summary properties with a title, and the code page that it is in."""
    page_value = b"" if page is None else b"\x02\0\0\0" + page.to_bytes(2, "little") + b"\0\0"
    offsets = b"" if page is None else (1).to_bytes(4, "little") + (24).to_bytes(4, "little")
    at = 8 + len(offsets) + 8 + len(page_value)
    count = 1 if page is None else 2
    title = kind.to_bytes(4, "little") + len(raw).to_bytes(4, "little") + raw
    section = (
        (at + len(title)).to_bytes(4, "little")
        + count.to_bytes(4, "little")
        + offsets
        + (2).to_bytes(4, "little")
        + at.to_bytes(4, "little")
        + page_value
        + title
    )
    header = b"\xfe\xff\0\0" + bytes(4) + bytes(16) + (1).to_bytes(4, "little")
    return header + SUMMARY + (48).to_bytes(4, "little") + section


def test_a_word_document_names_itself(make: Make) -> None:
    assert title_of(make(word("Budget & Plan 2026"), "document")) == "Budget & Plan 2026"


def test_a_workbook_names_itself(make: Make) -> None:
    book = openpyxl.Workbook()
    book.properties.title = "Permits"
    stream = io.BytesIO()
    book.save(stream)
    assert title_of(make(stream.getvalue(), "spreadsheet")) == "Permits"


def test_an_opendocument_file_names_itself(make: Make) -> None:
    meta = "<office:meta><dc:title>Haushalt &amp; Plan</dc:title></office:meta>"
    assert title_of(make(odf("text", "", {"meta.xml": meta}), "document")) == "Haushalt & Plan"


def test_a_book_names_itself_in_the_package_that_it_opens_with(make: Make) -> None:
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<rootfile full-path="b/own.opf" media-type="x"/>',
        "a/other.opf": "<dc:title>Another</dc:title>",
        "b/own.opf": '<dc:title id="t">City Code</dc:title>',
    }
    assert title_of(make(zip_of(parts), "document")) == "City Code"


@pytest.mark.parametrize(
    ("kind", "raw", "page", "title"),
    [
        (0x1E, "Bericht für Köln\0\0".encode("cp1252"), 1252, "Bericht für Köln"),
        (0x1E, "Отчёт\0".encode("cp1251"), 1251, "Отчёт"),
        (0x1E, "Отчёт\0".encode(), 65001, "Отчёт"),
        (0x1E, b"Plain\0", None, "Plain"),
        (0x1E, b"Plain\0", 9999, "Plain"),
        (0x03, b"\1\0\0\0", 1252, None),
        (0x1E, b"Microsoft Word - x.doc\0", 1252, None),
    ],
)
def test_an_old_document_names_itself(
    make: Make, kind: int, raw: bytes, page: int | None, title: str | None
) -> None:
    data = ole(["WordDocument"], summary(kind, raw, page))
    assert title_of(make(data, "document")) == title


@pytest.mark.parametrize(
    ("rtf", "title"),
    [
        (rb"{\rtf1\ansi\ansicpg1252{\info{\title Plan f\'fcr 2026}}x}", "Plan für 2026"),
        (rb"{\rtf1\ansi{\info{\title \u1054?\u1090?\'f7\{a\}}}x}", "От÷{a}"),
        (rb"{\rtf1 {\*\titlepg x} text}", None),
        (rb"{\rtf1{\info{\title Untitled}}x}", None),
    ],
)
def test_rich_text_names_itself(make: Make, rtf: bytes, title: str | None) -> None:
    assert title_of(make(rtf, "document")) == title


@pytest.mark.parametrize(
    "title", ["Word Document.docx", "PowerPoint Presentation", "Untitled 1", ""]
)
def test_what_a_program_wrote_is_no_title(make: Make, title: str) -> None:
    assert title_of(make(word(title), "document")) is None


@given(cut=st.integers(0, 40_000), noise=st.binary(max_size=30), place=st.integers(0, 40_000))
@settings(
    deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_damaged_properties_never_raise(make: Make, cut: int, noise: bytes, place: int) -> None:
    for data in (word("x"), ole(["WordDocument"], summary(0x1E, b"Plan\0", 1252))):
        title_of(make(data[:place] + noise + data[place : max(4, cut)], "document"))
