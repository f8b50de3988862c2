"""The readers of what is text already: text, markdown, JSON, XML; CSV has a module of its own."""

import json as json_library
import re
from dataclasses import replace

from centinel.readers.characters import fenced, plain_line
from centinel.readers.charset import Charset, Decoded, decode, is_binary
from centinel.readers.delimited import read_csv, read_rows
from centinel.readers.document import Document, FunctionReader, GaveWay, Reading
from centinel.readers.records import shape_of
from centinel.readers.streaming import is_large, stream_code, stream_text, told_charset

SMALL_JSON = 64 * 1024
"""Characters up to which JSON is laid out for the eye; above, the layout would only add bulk."""

_HEAD_OF_RECORDS = 64 * 1024
"""Characters in which a text shows whether its lines are records."""

_OPENING, _CLOSING = frozenset("[{"), frozenset("]}")
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+')
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_TITLE = re.compile(r" {0,3}#[ \t]+(.*\S)")


def read_text(document: Document) -> Reading:
    """Returns the text as it stands, records with a mark between their fields as a table; that a
    text is records is noted.  Raises `GaveWay` where the bytes are no text."""
    if is_large(document):
        charset, head = told_charset(document)
        shape = shape_of(head, is_cut=True)
        reading = None
    else:
        decoded = _decoded(document)
        charset = Charset(decoded.encoding, notes=decoded.notes)
        head = decoded.text[:_HEAD_OF_RECORDS]
        shape = shape_of(head, is_cut=len(head) < len(decoded.text))
        reading = Reading(decoded.text, None, decoded.notes)
    if shape and shape.delimiter:
        reading = read_rows(document, charset, shape.delimiter)
    reading = reading or stream_text(document, charset)
    return replace(reading, notes=(*reading.notes, *([shape.note] if shape else [])))


def read_markdown(document: Document) -> Reading:
    """Returns the markdown as it stands, its first `# ` heading as title; raises as `read_text`."""
    if is_large(document):
        charset, head = told_charset(document)
        return replace(stream_text(document, charset), title=_first_heading(head))
    decoded = _decoded(document)
    return Reading(decoded.text, _first_heading(decoded.text), decoded.notes)


def read_json(document: Document) -> Reading:
    """Returns the JSON in a fence, small ones laid out; values that follow one another (JSON
    lines) too.  What does not parse is text with a note; raises `GaveWay` for empty containers."""
    if is_large(document):
        return stream_code(document, "json")
    decoded = _decoded(document)
    try:
        values = _json_values(decoded.text)
    except (ValueError, RecursionError) as error:
        return Reading(decoded.text, None, (*decoded.notes, f"invalid JSON: {error}"))
    if not any(_says_something(value) for value in values):
        raise GaveWay("the JSON is an empty container")
    many = (f"{len(values)} JSON values, one after the other",) if len(values) > 1 else ()
    small = len(decoded.text) <= SMALL_JSON and len(values) == 1
    text = _laid_out(decoded.text) if small else decoded.text
    return Reading(fenced(text, "json"), None, (*decoded.notes, *many))


def read_xml(document: Document) -> Reading:
    """Returns the XML in a fence.  What is not well-formed is text with a note; raises `GaveWay`
    where no element holds text or an attribute."""
    from lxml import etree

    if is_large(document):
        return stream_code(document, "xml", markup=True)
    decoded = _decoded(document, markup=True)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        root = etree.fromstring(document.data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        return Reading(decoded.text, None, (*decoded.notes, f"not well-formed XML: {error}"))
    elements = root.iter(etree.Element)
    if not any(e.attrib or (e.text or "").strip() or (e.tail or "").strip() for e in elements):
        raise GaveWay("the XML holds neither text nor attributes")
    return Reading(fenced(decoded.text, "xml"), None, decoded.notes)


def _decoded(document: Document, *, markup: bool = False) -> Decoded:
    if is_binary(document.data):
        raise GaveWay("binary data, no text in any character set")
    return decode(document.data, document.declared_type, markup=markup)


def _first_heading(text: str) -> str | None:
    """Returns the text of the first first-level heading outside code, without marks."""
    in_code = False
    for line in text.splitlines():
        if _FENCE.match(line):
            in_code = not in_code
        elif not in_code and (heading := _TITLE.fullmatch(line.rstrip())):
            return plain_line(heading[1]) or None
    return None


def _json_values(text: str) -> list[object]:
    """Returns the JSON values of `text`, in order; raises ValueError at the first that is none.

    Numbers stay strings: nothing here computes, and Python refuses those of 5,000 digits.
    """
    decoder = json_library.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
    values: list[object] = []
    position = len(text) - len(text.lstrip())
    while position < len(text):
        value, position = decoder.raw_decode(text, position)
        values.append(value)
        rest = text[position : position + 1]
        if rest and not rest.isspace():
            raise ValueError(f"extra data after value {len(values)}, at character {position}")
        while position < len(text) and text[position].isspace():
            position += 1
    return values


def _says_something(value: object) -> bool:
    """Says whether a JSON value holds a key or a value that is not null or blank."""
    if isinstance(value, list):
        return any(_says_something(item) for item in value)
    if isinstance(value, dict):
        return bool(value)
    return value is not None and str(value).strip() != ""


def _laid_out(text: str) -> str:
    """Returns one JSON value, indented by two; only white space and escapes change, so that
    numbers keep their digits and repeated keys stay."""
    parts: list[str] = []
    depth = 0
    pieces = _JSON_TOKEN.findall(text)
    for piece, following in zip(pieces, [*pieces[1:], ""], strict=True):
        if piece in _OPENING:
            depth += 1
            parts.append(piece if following in _CLOSING else f"{piece}\n{'  ' * depth}")
        elif piece in _CLOSING:
            depth -= 1
            parts.append(piece)
        elif piece == ",":
            parts.append(f",\n{'  ' * depth}")
        else:
            parts.append(": " if piece == ":" else _readable(piece))
        if following in _CLOSING and piece not in _OPENING:
            parts.append(f"\n{'  ' * (depth - 1)}")
    return "".join(parts)


def _readable(piece: str) -> str:
    """Returns a JSON string with its letters instead of their escapes, other tokens as they are."""
    if not piece.startswith('"'):
        return piece
    return json_library.dumps(json_library.loads(piece, strict=False), ensure_ascii=False)


text = FunctionReader("text", frozenset({"text", "csv", "json", "xml", "markdown"}), read_text)
markdown = FunctionReader("markdown", frozenset({"markdown"}), read_markdown)
json = FunctionReader("json", frozenset({"json"}), read_json)
xml = FunctionReader("xml", frozenset({"xml"}), read_xml, modules=("lxml",))
csv = FunctionReader("csv", frozenset({"csv"}), read_csv)

READERS = (text, markdown, json, xml, csv)
