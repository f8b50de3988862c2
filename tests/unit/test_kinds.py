"""The table of kinds answers its four questions, and evidence is believed in its order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel import kinds
from centinel.kinds import FORMATS, KINDS, Format, classify
from tests.unit.kinds_table import ENCLOSED, EXTENSIONS, NAMED, TYPES
from tests.unit.support import PROPERTY

PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
WEB_PAGE = b"<!doctype html><html><head><title>Fees</title></head></html>"
OCTETS = "application/octet-stream"


def zip_entry(name: bytes, content: bytes = b"") -> bytes:
    """A local file header of a zip, as it stands in the first bytes."""
    sizes = len(content).to_bytes(4, "little") * 2
    lengths = len(name).to_bytes(2, "little") + bytes(2)
    return b"PK\x03\x04\x14\x00\x00\x00\x00\x00" + bytes(8) + sizes + lengths + name + content


def ftyp(brand: bytes) -> bytes:
    """The first box of a file of the ISO base media format."""
    return b"\x00\x00\x00\x18ftyp" + brand + b"\x00\x00\x00\x00mp42isom"


def decided(claim: kinds.Claim) -> tuple[str, str]:
    return claim.kind, claim.decided_by


# One table, four questions


@pytest.mark.parametrize(("media", "kind"), TYPES.items())
def test_a_type_says_what_a_thing_is(media: str, kind: str) -> None:
    assert kinds.kind_of_type(media) == kind


@pytest.mark.parametrize(("extension", "kind"), EXTENSIONS.items())
def test_an_extension_says_what_a_thing_is(extension: str, kind: str) -> None:
    assert kinds.kind_of_extension(extension) == kind
    assert kinds.kind_of_extension(extension.upper()) == kind


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_only_documents_are_worth_fetching_on_their_own(extension: str) -> None:
    assert kinds.is_enclosed(extension) == (extension in ENCLOSED)


@pytest.mark.parametrize("row", FORMATS, ids=lambda row: str(row.name))
def test_a_format_is_named_by_its_first_extension(row: Format) -> None:
    assert kinds.extension_of(row.kind, row.name) == row.extensions[0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_without_a_signature_has_a_name_too(kind: str) -> None:
    assert kinds.extension_of(kind) == NAMED[kind]


def test_every_row_of_the_table_is_asked() -> None:
    rows_types = {media for row in FORMATS for media in row.types}
    rows_extensions = {extension for row in FORMATS for extension in row.extensions}
    assert set(TYPES) == rows_types - {OCTETS}
    assert set(EXTENSIONS) == rows_extensions
    assert {row.kind for row in FORMATS} == set(KINDS)


def test_no_type_and_no_extension_stands_in_two_rows() -> None:
    types = [media for row in FORMATS for media in row.types]
    extensions = [extension for row in FORMATS for extension in row.extensions]
    assert len(types) == len(set(types))
    assert len(extensions) == len(set(extensions))


@pytest.mark.parametrize(
    ("kind", "magic", "extension"),
    [
        ("spreadsheet", "ole", "xls"),
        ("document", "ole", "doc"),
        ("mail", "ole", "msg"),
        ("spreadsheet", "zip", "xlsx"),
        ("audio", "mp4", "m4a"),
        ("video", "mp4", "mp4"),
        ("video", "asf", "wmv"),
        ("audio", "matroska", "weba"),
        ("pdf", "zip", "pdf"),
        ("unheard-of", None, "bin"),
    ],
)
def test_a_container_in_the_bytes_decides_the_name(
    kind: str, magic: str | None, extension: str
) -> None:
    assert kinds.extension_of(kind, magic) == extension


def test_only_pages_carry_documents() -> None:
    assert [kind for kind in KINDS if kinds.encloses(kind)] == ["html"]


# The evidence, in its order


def test_the_declared_type_goes_before_the_bytes_and_the_extension() -> None:
    claim = classify("text/csv", PDF, "json")
    assert decided(claim) == ("csv", "declared")
    assert (claim.declared_type, claim.magic, claim.extension) == ("text/csv", "pdf", "json")


def test_the_bytes_go_before_the_extension() -> None:
    assert decided(classify(None, PDF, "txt")) == ("pdf", "magic")


def test_the_extension_speaks_where_nothing_else_does() -> None:
    assert decided(classify(None, b"name,fee\n", "csv")) == ("csv", "extension")


def test_nothing_said_is_another_kind_that_nothing_decided() -> None:
    assert decided(classify(None, b"\x01\x02\x03", None)) == ("other", "none")
    assert decided(classify(None, b"", "unheardof")) == ("other", "none")


@pytest.mark.parametrize(
    "declared",
    [
        None,
        "",
        " ",
        ";",
        OCTETS,
        "Application/Octet-Stream; charset=binary",
        *sorted(kinds.NO_DECLARATION),
    ],
)
def test_some_bytes_is_no_declaration(declared: str | None) -> None:
    assert decided(classify(declared, PDF, None)) == ("pdf", "magic")


@pytest.mark.parametrize(
    ("declared", "kind"),
    [
        ("TEXT/HTML; Charset=UTF-8", "html"),
        (" application/pdf ;name=x.pdf", "pdf"),
        ("text/unheard-of", "text"),
        ("image/unheard-of", "image"),
        ("audio/unheard-of", "audio"),
        ("video/unheard-of", "video"),
        ("application/problem+json", "json"),
        ("application/soap+xml", "xml"),
        ("application/unheard-of+zip", "zip-container"),
        ("image/svg+xml", "image"),
        ("application/ttml+xml", "captions"),
        ("application/xhtml+xml", "html"),
    ],
)
def test_types_are_read_without_case_and_parameters_and_by_family(declared: str, kind: str) -> None:
    assert decided(classify(declared, b"", None)) == (kind, "declared")


@pytest.mark.parametrize("declared", ["application/unheard-of", "nonsense", "+json", "/"])
def test_an_unknown_type_leaves_the_question_to_the_bytes(declared: str) -> None:
    assert decided(classify(declared, PDF, "txt")) == ("pdf", "magic")


# Bytes that were taken for something else


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
@pytest.mark.parametrize("text", ["Minutes of the council", "ÿÿÿ", "\u0fff\u0aaa", ""])
def test_utf_16_text_is_not_audio(encoding: str, text: str) -> None:
    content = f"\ufeff{text}".encode(encoding)
    assert decided(classify(OCTETS, content, "txt")) == ("text", "extension")
    assert decided(classify(OCTETS, content, None)) == ("other", "none")


@pytest.mark.parametrize("header", [b"ID3\x04\x00", b"\xff\xfb\x90\x64", b"\xff\xf3\x40\xc0"])
def test_mp3_is_audio(header: bytes) -> None:
    assert decided(classify(OCTETS, header + bytes(100), None)) == ("audio", "magic")


@pytest.mark.parametrize(
    ("brand", "kind"),
    [
        (b"M4A ", "audio"),
        (b"M4B ", "audio"),
        (b"heic", "image"),
        (b"mif1", "image"),
        (b"avif", "image"),
        (b"isom", "video"),
        (b"mp42", "video"),
        (b"qt  ", "video"),
    ],
)
def test_the_brand_tells_sound_pictures_and_films_apart(brand: bytes, kind: str) -> None:
    assert decided(classify(OCTETS, ftyp(brand), None)) == (kind, "magic")


def test_an_unbranded_recording_is_what_its_extension_says() -> None:
    assert decided(classify(OCTETS, ftyp(b"isom"), "m4a")) == ("audio", "extension")
    assert decided(classify(OCTETS, ftyp(b"isom"), "mp4")) == ("video", "extension")


# Containers


def test_an_old_workbook_as_octets_is_a_spreadsheet_by_its_extension() -> None:
    claim = classify(OCTETS, OLE, "xls")
    assert decided(claim) == ("spreadsheet", "extension")
    assert (claim.magic, claim.notes) == ("ole", [])


def test_an_old_office_file_without_a_name_is_a_document() -> None:
    assert decided(classify(OCTETS, OLE, None)) == ("document", "magic")
    assert decided(classify(OCTETS, OLE, "aspx")) == ("document", "magic")


@pytest.mark.parametrize(
    ("folder", "name", "kind"),
    [
        (b"word/document.xml", "docx", "document"),
        (b"xl/workbook.xml", "xlsx", "spreadsheet"),
        (b"ppt/presentation.xml", "pptx", "document"),
    ],
)
def test_an_office_file_is_known_by_its_entries(folder: bytes, name: str, kind: str) -> None:
    entries = zip_entry(b"[Content_Types].xml", b"\x9d" * 90) + zip_entry(b"_rels/.rels", b"\xff")
    claim = classify(OCTETS, entries + zip_entry(folder), None)
    assert decided(claim) == (kind, "magic")
    assert claim.magic == name


@pytest.mark.parametrize(
    ("mimetype", "kind"),
    [
        (b"application/epub+zip", "document"),
        (b"application/vnd.oasis.opendocument.text", "document"),
        (b"application/vnd.oasis.opendocument.spreadsheet", "spreadsheet"),
        (b"application/vnd.oasis.opendocument.presentation", "document"),
    ],
)
def test_an_open_document_is_known_by_its_first_entry(mimetype: bytes, kind: str) -> None:
    assert decided(classify(OCTETS, zip_entry(b"mimetype", mimetype), None)) == (kind, "magic")


def test_an_unknown_zip_is_a_container_unless_its_extension_knows_better() -> None:
    parcel = zip_entry(b"parcels.shp", b"\x00\x00\x27\x0a")
    assert decided(classify(OCTETS, parcel, "zip")) == ("zip-container", "magic")
    assert decided(classify(OCTETS, parcel, None)) == ("zip-container", "magic")
    assert decided(classify(OCTETS, parcel, "docx")) == ("document", "extension")
    assert decided(classify(OCTETS, parcel, "pdf")) == ("zip-container", "magic")


# Captions and other marked text


@pytest.mark.parametrize("marker", ["wireMagic", "tStartMs"])
def test_captions_in_json_are_captions_whatever_is_declared(marker: str) -> None:
    content = f'{{"{marker}": "pb3", "events": []}}'.encode()
    assert decided(classify("application/json", content, "json3")) == ("captions", "magic")
    assert decided(classify(None, content, None)) == ("captions", "magic")
    assert classify("application/json", content, None).notes == []


def test_other_json_is_json() -> None:
    assert decided(classify(None, b'{"minutes": []}', None)) == ("json", "magic")
    assert decided(classify("application/json", b"[1, 2]", None)) == ("json", "declared")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"WEBVTT\n\n00:00.000 --> 00:01.000\nGood evening", "captions"),
        (b"\xef\xbb\xbf1\r\n00:00:00,000 --> 00:00:01,000\r\nGood evening", "captions"),
        (b"\xef\xbb\xbf\n <!-- saved --> <!DOCTYPE HTML><html>", "html"),
        (b'<?xml version="1.0"?><!DOCTYPE html><html xmlns="x">', "html"),
        (b'<?xml version="1.0"?><svg xmlns="x"/>', "image"),
        (b'<?xml version="1.0"?><minutes/>', "xml"),
        (b"{\\rtf1\\ansi}", "document"),
        (b"Message-ID: <1@town.example>\r\nFrom: clerk", "mail"),
        (b"\x00" * 20 + PDF, "pdf"),
        (b"\x89PNG\r\n\x1a\n", "image"),
        (b"\xff\xd8\xff\xe0", "image"),
        (b"RIFF\x00\x00\x00\x00WEBP", "image"),
        (b"RIFF\x00\x00\x00\x00WAVE", "audio"),
        (b"RIFF\x00\x00\x00\x00AVI ", "video"),
        (b"\x1aE\xdf\xa3", "video"),
        (b"G" + bytes(187) + b"G" + bytes(187) + b"G", "video"),
        (b"\x1f\x8b\x08", "archive"),
        (bytes(257) + b"ustar", "archive"),
        (b"WARC/1.1\r\n", "archive"),
    ],
)
def test_a_signature_says_what_the_bytes_are(content: bytes, kind: str) -> None:
    assert decided(classify(None, content, None)) == (kind, "magic")


@pytest.mark.parametrize(
    "content", [b"Minutes", b"a,b\n1,2\n", b"# Fees\n", b"<p>loose</p>", b"{}x"]
)
def test_plain_text_has_no_signature(content: bytes) -> None:
    assert classify(None, content, None).magic is None


def test_only_the_first_bytes_are_evidence() -> None:
    assert classify(None, bytes(1019) + PDF, None).magic == "pdf"
    assert classify(None, bytes(1025) + PDF, None).magic is None


def test_many_comments_before_the_markup_cost_no_time() -> None:
    assert kinds.signature(b"<!---->" * 140 + b"no page") is None
    assert kinds.signature(b"<!---->" * 140 + b"<html>") == "html"


# Contradictions


def test_bytes_that_contradict_the_declared_type_are_noted() -> None:
    claim = classify("text/html", PDF, "pdf")
    assert decided(claim) == ("html", "declared")
    assert claim.notes == [
        "declared says html, but the bytes open as pdf (pdf)",
        "declared says html, but the address ends in .pdf (pdf)",
    ]


def test_an_extension_that_contradicts_the_bytes_is_noted() -> None:
    claim = classify(OCTETS, WEB_PAGE, "pdf")
    assert decided(claim) == ("html", "magic")
    assert claim.notes == ["magic says html, but the address ends in .pdf (pdf)"]


@pytest.mark.parametrize(
    ("declared", "head", "extension"),
    [
        ("text/html", WEB_PAGE, "html"),
        ("text/html", WEB_PAGE, "aspx"),
        ("application/pdf", PDF, None),
        ("application/vnd.ms-excel", OLE, "xls"),
        ("application/zip", zip_entry(b"word/document.xml"), "zip"),
        ("application/xml", WEB_PAGE, "xml"),
        ("text/plain", b"Minutes", "txt"),
        ("audio/mp4", ftyp(b"isom"), "m4a"),
        ("video/webm", b"\x1aE\xdf\xa3", "webm"),
        (None, OLE, "msg"),
    ],
)
def test_evidence_that_agrees_is_not_noted(
    declared: str | None, head: bytes, extension: str | None
) -> None:
    assert classify(declared, head, extension).notes == []


@pytest.mark.parametrize(
    ("declared", "head"),
    [
        ("application/pdf", WEB_PAGE),
        ("application/vnd.ms-excel", zip_entry(b"word/document.xml")),
        ("image/png", WEB_PAGE),
        ("text/plain", PDF),
        ("application/pdf", OLE),
    ],
)
def test_each_contradiction_is_one_note(declared: str, head: bytes) -> None:
    claim = classify(declared, head, None)
    assert claim.decided_by == "declared"
    assert len(claim.notes) == 1
    assert str(claim.magic) in claim.notes[0]


words = st.sampled_from([*TYPES, *EXTENSIONS, OCTETS, "", "/", ";", "text/", "+xml"])
heads = st.sampled_from(
    [PDF, OLE, WEB_PAGE, b"\xff\xfe", b"<?xml", b"{", ftyp(b"heic"), b"PK\x03\x04"]
)


@PROPERTY
@given(
    st.none() | st.text() | words,
    st.binary(max_size=5000) | st.builds(bytes.__add__, heads, st.binary(max_size=200)),
    st.none() | st.text(max_size=10) | words,
)
def test_whatever_is_served_has_a_kind_of_the_table(
    declared: str | None, head: bytes, extension: str | None
) -> None:
    claim = classify(declared, head, extension)
    assert claim.kind in KINDS
    assert claim.decided_by in {"declared", "magic", "extension", "none"}
    assert (claim.kind == "other") or claim.decided_by != "none"
