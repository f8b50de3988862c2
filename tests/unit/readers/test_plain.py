import json as json_library
from collections.abc import Callable

import pytest

from centinel.readers.document import Document, GaveWay, Reader
from centinel.readers.plain import json, markdown, text, xml

Make = Callable[..., Document]


def test_text_is_kept_as_it_stands(make: Make) -> None:
    reading = text.read(make(b"  Line one\r\n\tLine two\r", "text"))
    assert (reading.text, reading.title, reading.notes) == ("  Line one\n\tLine two\n", None, ())


def test_an_inferred_charset_is_noted(make: Make) -> None:
    reading = text.read(make("Café".encode("cp1252"), "text", "text/plain"))
    assert (reading.text, reading.notes) == ("Café", ("charset inferred: cp1252",))


def test_utf16_text_without_a_mark_is_read(make: Make) -> None:
    assert text.read(make("Agenda of May".encode("utf-16-le"), "text")).text == "Agenda of May"


@pytest.mark.parametrize("reader", [text, markdown, json, xml], ids=lambda reader: reader.name)
def test_binary_data_gives_way(make: Make, reader: Reader) -> None:
    with pytest.raises(GaveWay, match="binary data"):
        reader.read(make(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" * 9, "text"))


def test_the_first_heading_of_markdown_is_its_title(make: Make) -> None:
    source = "```\n# a comment\n```\n## Part\n# **Plan** for [2026](/p) #\n# Second\n"
    reading = markdown.read(make(source, "markdown"))
    assert (reading.text, reading.title) == (source, "Plan for 2026")


def test_markdown_without_a_heading_has_no_title(make: Make) -> None:
    assert markdown.read(make("#hashtag\n\ntext", "markdown")).title is None


def test_small_json_is_laid_out_and_keeps_its_numbers_and_repeated_keys(make: Make) -> None:
    source = r'{"a":[1.50,1E5,-0,[],{}],"a":"caf\u00e9 \"x\" [y],","b":{"c":null}}'
    reading = json.read(make(source, "json"))
    assert reading.text.splitlines() == [
        "```json",
        "{",
        '  "a": [',
        "    1.50,",
        "    1E5,",
        "    -0,",
        "    [],",
        "    {}",
        "  ],",
        '  "a": "café \\"x\\" [y],",',
        '  "b": {',
        '    "c": null',
        "  }",
        "}",
        "```",
    ]


def test_large_json_stays_as_it_is(make: Make) -> None:
    source = json_library.dumps({"rows": list(range(20_000))})
    assert json.read(make(source, "json")).text == f"```json\n{source}\n```"


def test_json_lines_are_accepted(make: Make) -> None:
    reading = json.read(make('{"a": 1}\n{"a": 2}\n', "json"))
    assert reading.text == '```json\n{"a": 1}\n{"a": 2}\n```'
    assert reading.notes == ("2 JSON values, one after the other",)


def test_invalid_json_is_text_with_a_note(make: Make) -> None:
    for source in ('{"a": 1', '{"a": 1}{x', "[" * 100_000, '{"a": 1}trailing'):
        reading = json.read(make(source, "json"))
        assert reading.text == source
        assert reading.notes[-1].startswith("invalid JSON: ")


@pytest.mark.parametrize("source", ["{}", "[]", "[[], {}]", "null", '""', " ", "[null]", "{}\n{}"])
def test_an_empty_container_is_no_text(make: Make, source: str) -> None:
    with pytest.raises(GaveWay, match="empty container"):
        json.read(make(source, "json"))


def test_a_number_of_five_thousand_digits_is_json(make: Make) -> None:
    assert json.read(make("[" + "9" * 5000 + "]", "json")).notes == ()


def test_xml_is_fenced(make: Make) -> None:
    source = '<?xml version="1.0" encoding="iso-8859-1"?><a>caf\xe9</a>'
    reading = xml.read(make(source.encode("latin-1"), "xml"))
    assert (reading.text, reading.notes) == (f"```xml\n{source}\n```", ())


@pytest.mark.parametrize("source", ["<a><b/></a>", "<a> <b>\n</b><!-- note --></a>"])
def test_xml_without_text_or_attributes_gives_way(make: Make, source: str) -> None:
    with pytest.raises(GaveWay, match="neither text nor attributes"):
        xml.read(make(source, "xml"))


def test_an_attribute_is_text_enough(make: Make) -> None:
    assert "```xml" in xml.read(make("<a><b name='x'/></a>", "xml")).text


def test_broken_xml_is_text_with_a_note(make: Make) -> None:
    reading = xml.read(make("<a>Fish & chips</a>", "xml"))
    assert reading.text == "<a>Fish & chips</a>"
    assert reading.notes[0].startswith("not well-formed XML: ")


def test_entities_are_not_resolved(make: Make) -> None:
    bomb = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
    secret = '<!ENTITY file SYSTEM "file:///etc/passwd">'
    source = f'<!DOCTYPE a [<!ENTITY e0 "x">{bomb}{secret}]><a>&e9;&file;</a>'
    reading = xml.read(make(source, "xml"))
    assert "root:" not in reading.text
    assert len(reading.text) < 2 * len(source)
