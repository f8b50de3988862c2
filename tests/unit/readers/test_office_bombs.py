"""Office documents that mean harm end fast, in text or in a reason, whichever reader has them."""

import io
import time
import zipfile
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from centinel.readers.document import Document
from centinel.readers.reading import read
from tests.unit.readers.packages import docx, odf, paragraph, xlsx, zip_of

Make = Callable[..., Document]

ORDERS = {
    "document": ["anydoc", "xberg", "odfpy", "zip_salvage"],
    "spreadsheet": ["calamine", "openpyxl", "anydoc", "odfpy", "zip_salvage"],
}
LAUGHS = (
    '<!DOCTYPE a [<!ENTITY e0 "ha">'
    + "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
    + "]>"
)
SECRET = '<!DOCTYPE a [<!ENTITY e9 SYSTEM "file:///etc/passwd">]>'
ENTITY = "<w:p><w:r><w:t>said &e9;</w:t></w:r></w:p>"
DEEP = 20_000
CELL = (
    '<table:table-cell office:value-type="float" office:value="1"'
    ' table:number-columns-repeated="16384"><text:p>1</text:p></table:table-cell>'
)


def many() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(20_000):
            archive.writestr(zipfile.ZipInfo(f"word/{number}.xml"), "")
    return packed.getvalue()


BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "laughs": ("document", lambda: docx(ENTITY, before=LAUGHS)),
    "secret": ("document", lambda: docx(ENTITY, before=SECRET)),
    "zip": ("document", lambda: docx("", {"word/a.xml": bytes(100 << 20)})),
    "entries": ("document", many),
    "deep docx": (
        "document",
        lambda: docx("<w:tbl><w:tr><w:tc>" * DEEP + "</w:tc></w:tr></w:tbl>" * DEEP),
    ),
    "deep odt": (
        "document",
        lambda: odf("text", "<text:section>" * DEEP + "</text:section>" * DEEP),
    ),
    "deep rtf": ("document", lambda: rb"{\rtf1 " + b"{" * DEEP + b"x" + b"}" * DEEP + b"}"),
    "nested zips": ("document", lambda: zip_of({"word/document.xml": docx(paragraph("x") * 999)})),
    "laughing sheet": (
        "spreadsheet",
        lambda: xlsx(
            {"A": ""}, {"xl/worksheets/sheet1.xml": LAUGHS + "<worksheet>&e9;</worksheet>"}
        ),
    ),
    "repeated cells": (
        "spreadsheet",
        lambda: odf(
            "spreadsheet",
            '<table:table table:name="A"><table:table-row table:number-rows-repeated="1048576">'
            f"{CELL}</table:table-row></table:table>",
        ),
    ),
    "strings": (
        "spreadsheet",
        lambda: xlsx({"A": ""}, {"xl/sharedStrings.xml": "<sst>" + "<si/>" * 15_000_000}),
    ),
}
SECONDS = 10
"""For all readers together, on a machine that has other things to do."""


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_ends_fast_and_says_so(make: Make, name: str) -> None:
    kind, build = BOMBS[name]
    document = make(build(), kind)
    began = time.monotonic()
    outcome = read(document, ORDERS[kind])
    assert time.monotonic() - began < SECONDS
    assert "root:" not in (outcome.text or "")
    assert outcome.chars < 1000
    assert outcome.text or outcome.reason


SMALL = {
    "document": [
        docx(paragraph("The council meets.") * 9),
        odf("text", "<text:p>Der Rat tagt.</text:p>"),
        rb"{\rtf1\ansi{\info{\title Agenda}}\pard The council meets.\par}",
    ],
    "spreadsheet": [
        xlsx({"A": '<row r="1"><c r="A1"><v>42</v></c><c r="B1" t="e"><v>#N/A</v></c></row>'}),
        odf(
            "spreadsheet",
            f'<table:table table:name="A"><table:table-row>{CELL}'.replace("16384", "9")
            + "</table:table-row></table:table>",
        ),
    ],
}


@pytest.mark.parametrize("kind", SMALL)
@given(data=st.data())
@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_damaged_documents_end_in_text_or_a_reason(
    make: Make, kind: str, data: st.DataObject
) -> None:
    whole = data.draw(st.sampled_from(SMALL[kind]))
    start = data.draw(st.integers(4, len(whole)))
    noise = data.draw(st.binary(max_size=20))
    end = data.draw(st.integers(start, len(whole)))
    outcome = read(make(whole[:start] + noise + whole[end:], kind), ORDERS[kind])
    assert outcome.text or outcome.reason
    assert outcome.outcome in ("text", "underivable")
