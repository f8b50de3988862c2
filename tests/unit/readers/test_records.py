from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel.readers import streaming
from centinel.readers.document import Document, GaveWay, Reader
from centinel.readers.plain import json, markdown, text, xml
from centinel.readers.records import Shape, shape_of
from centinel.readers.spool import Spool

Make = Callable[..., Document]


def index(rows: int, delimiter: str = "|", columns: int = 32) -> str:
    """Returns a register like that of a circuit court: 31 pipes in every line."""
    return "".join(
        delimiter.join([f"NAME {n}", *[f"{n}{c}" for c in range(columns - 1)]]) + "\r\n"
        for n in range(rows)
    )


def test_a_register_with_pipes_is_a_table_and_says_so(make: Make) -> None:
    reading = text.read(make(index(300), "text", "text/plain"))
    lines = reading.text.splitlines()
    assert lines[0] == lines[-1] == "```"
    assert lines[1] == index(1).strip().replace("|", "\t")
    assert len(lines) == 302
    assert reading.notes == ("looks like records: 32 columns separated by |",)


@pytest.mark.parametrize(
    ("delimiter", "named"), [("|", "|"), ("\t", "tabs"), (";", ";"), (",", ",")]
)
def test_each_mark_is_found(make: Make, delimiter: str, named: str) -> None:
    reading = text.read(make(index(9, delimiter, 5), "text"))
    assert "| NAME 8 | 80 | 81 | 82 | 83 |" in reading.text
    assert reading.notes == (f"looks like records: 5 columns separated by {named}",)


def test_fields_in_quotes_may_hold_the_mark(make: Make) -> None:
    rows = "".join(f'"Doe, Jane {n}",{n},"x","y"\n' for n in range(20))
    assert "| Doe, Jane 19 | 19 | x | y |" in text.read(make(rows, "text")).text


def test_records_of_one_length_stay_text_and_say_so(make: Make) -> None:
    rows = "".join(f"{f'NAME {n}':<60}{n:>10} {'X' * 103}\n" for n in range(60))
    reading = text.read(make(rows, "text"))
    assert reading.text == rows
    assert reading.notes == ("fixed-width records of 174 characters",)


PROSE = "The council, which met in May, heard from staff; it then rose.\n"


@pytest.mark.parametrize(
    "content",
    [
        index(7),
        PROSE * 3,
        "".join(f"{PROSE[: 20 + n % 37]}\n" for n in range(60)),
        "| a | b | c |\n|---|---|---|\n" + "| 1 | 2 | 3 |\n" * 20,
        "name\tvalue\n" * 20,
        "QmFzZTY0IGlzIG5vIHJlY29yZCBidXQgbGluZXMgb2Ygb25lIGxlbmd0aCB0aGF0IGhvbGQ\n" * 40,
        "short code\n" * 40,
        "a|b|c|d\n\n\n" * 40,
        "",
    ],
)
def test_ordinary_text_is_no_record(make: Make, content: str) -> None:
    reading = text.read(make(content or " ", "text"))
    assert (reading.text, reading.notes) == (content.replace("\r\n", "\n") or " ", ())


def test_the_line_that_a_sample_cuts_does_not_count() -> None:
    assert shape_of(index(20)[:-30], is_cut=True) == Shape("|", 32)


@given(st.text(max_size=400), st.booleans())
def test_any_text_has_a_shape_or_none(head: str, is_cut: bool) -> None:
    shape = shape_of(head, is_cut=is_cut)
    assert shape is None or shape.note


@pytest.mark.parametrize("codec", ["utf-8", "cp1252", "utf-16"])
def test_text_too_large_for_memory_goes_to_a_file(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, codec: str
) -> None:
    monkeypatch.setattr(streaming, "IN_MEMORY", 10_000)
    monkeypatch.setattr(streaming, "Spool", partial(Spool, in_memory=5000))
    monkeypatch.setattr(streaming, "PIECE", 100)
    lines = "".join(f"Zeile {n} über Köln\r\n{'x' * (n % 50)}\f" for n in range(3000))
    path = make(lines.encode(codec), "text").path
    reading = text.read(Document(path, "text", scratch=tmp_path))
    assert reading.file is not None
    expected = lines.replace("\r\n", "\n").replace("\f", "\n")
    assert reading.file.read_text() == expected


def test_large_records_are_a_table_too(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "IN_MEMORY", 10_000)
    reading = text.read(make(index(3000), "text"))
    assert reading.notes == ("looks like records: 32 columns separated by |",)
    assert reading.text.count("\n") == 3001


@pytest.mark.parametrize(
    ("reader", "content", "opens", "ends"),
    [
        (
            json,
            '[{"a": "`````"}' + ',\n{"a": 1}' * 3000 + "]",
            '``````json\n[{"a": "',
            "]\n``````\n",
        ),
        (xml, "<a>" + "<b>x</b>\n" * 3000 + "</a>", "```xml\n<a><b>x", "</a>\n```\n"),
        (markdown, "# Plan\n\n" + "Text.\n" * 3000, "# Plan\n\nText.", "Text.\n"),
    ],
    ids=["json", "xml", "markdown"],
)
def test_other_large_text_is_streamed_as_it_stands(
    make: Make,
    monkeypatch: pytest.MonkeyPatch,
    reader: Reader,
    content: str,
    opens: str,
    ends: str,
) -> None:
    monkeypatch.setattr(streaming, "IN_MEMORY", 10_000)
    monkeypatch.setattr(streaming, "PIECE", 100)
    reading = reader.read(make(content, reader.name))
    assert reading.text.startswith(opens)
    assert reading.text.endswith(ends)
    assert content in reading.text
    is_code = reader is not markdown
    assert reading.title == (None if is_code else "Plan")
    assert reading.notes == (
        ("0 MiB: whether it is well-formed was not looked at",) if is_code else ()
    )


@pytest.mark.parametrize("reader", [text, json, xml, markdown], ids=lambda reader: reader.name)
def test_large_binary_data_is_no_text(
    make: Make, monkeypatch: pytest.MonkeyPatch, reader: Reader
) -> None:
    monkeypatch.setattr(streaming, "IN_MEMORY", 100)
    with pytest.raises(GaveWay, match="binary data"):
        reader.read(make(bytes(200), "text"))
