"""Documents made to take a reader's time, its memory or its stack. Each is small on disk."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from functools import cache

from tests.mutants.mutation import Mutant

_ZEROS = 256 << 20
"""Bytes into which the bombs unfold: far beyond what any reader here may hold."""

_LAUGHS = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">{entities}]>'.format(
    entities="".join(f'<!ENTITY a{level} "{f"&a{level - 1};" * 10}">' for level in range(1, 12))
)
_SECRET = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a11 SYSTEM "file:///etc/passwd">]>'
_WORD = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
_SHEET = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
_BOOK = (
    '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>'
    '<sheet name="Fees" sheetId="1" r:id="rId1"/></sheets></workbook>'
)
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_ODF = "urn:oasis:names:tc:opendocument:xmlns:"


@cache
def _zeros() -> bytes:
    return bytes(_ZEROS)


def _zip(files: Mapping[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return buffer.getvalue()


def _docx(document: str | bytes) -> bytes:
    relation = f'<Relationship Id="r1" Type="{_OFFICE}officeDocument" Target="word/document.xml"/>'
    return _zip(
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
            'content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}">{relation}</Relationships>',
            "word/document.xml": document,
        }
    )


def _xlsx(sheet: str, strings: str = "<sst/>") -> bytes:
    book = f'<Relationship Id="r1" Type="{_OFFICE}officeDocument" Target="xl/workbook.xml"/>'
    parts = (
        f'<Relationship Id="rId1" Type="{_OFFICE}worksheet" Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="rId2" Type="{_OFFICE}sharedStrings" Target="sharedStrings.xml"/>'
    )
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml."
    types = (
        f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kinds}worksheet+xml"/>'
    )
    return _zip(
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
            'content-types"><Default Extension="xml" ContentType="application/xml"/>'
            f"{types}</Types>",
            "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}">{book}</Relationships>',
            "xl/workbook.xml": _BOOK,
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_RELATIONS}">{parts}'
            "</Relationships>",
            "xl/worksheets/sheet1.xml": sheet,
            "xl/sharedStrings.xml": strings,
        }
    )


def _open_document(kind: str, body: str) -> bytes:
    content = (
        f'<office:document-content xmlns:office="{_ODF}office:1.0" xmlns:text="{_ODF}text:1.0" '
        f'xmlns:table="{_ODF}table:1.0"><office:body>{body}</office:body>'
        "</office:document-content>"
    )
    mimetype = f"application/vnd.oasis.opendocument.{kind}"
    return _zip({"mimetype": mimetype, "content.xml": content})


def _pdf(*objects: bytes) -> bytes:
    """A PDF of these objects, numbered from 1; the first is the catalogue."""
    out = io.BytesIO(b"")
    out.write(b"%PDF-1.7\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, content))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % place for place in places))
    out.write(b"trailer <</Size %d /Root 1 0 R>>\n" % (len(objects) + 1))
    out.write(b"startxref\n%d\n%%%%EOF\n" % start)
    return out.getvalue()


_CATALOGUE = b"<</Type /Catalog /Pages 2 0 R>>"
_ONE_PAGE = b"<</Type /Pages /Kids [3 0 R] /Count 1>>"
_PAGE = b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R>>"


def _stream(data: bytes, entries: bytes = b"/Filter /FlateDecode") -> bytes:
    return b"<<%s /Length %d>>\nstream\n%s\nendstream" % (entries, len(data), data)


def _pdfs() -> Iterator[tuple[str, bytes]]:
    yield "flate-bomb.pdf", _pdf(_CATALOGUE, _ONE_PAGE, _PAGE, _stream(zlib.compress(_zeros())))
    deep = b"[" * 100_000 + b"]" * 100_000
    yield "nested-arrays.pdf", _pdf(_CATALOGUE, _ONE_PAGE, _PAGE, _stream(deep, b""))
    yield "tree-of-itself.pdf", _pdf(_CATALOGUE, b"<</Type /Pages /Kids [2 0 R 2 0 R] /Count 9>>")
    yield "count-that-lies.pdf", _pdf(_CATALOGUE, b"<</Type /Pages /Kids [] /Count 2000000000>>")
    huge = _PAGE.replace(b"600 800", b"600000 800000")
    yield "page-of-a-field.pdf", _pdf(_CATALOGUE, _ONE_PAGE, huge, _stream(b"", b""))
    endless = b"%PDF-1.7\nxref\n0 0\ntrailer <</Size 1 /Root 1 0 R /Prev 9>>\nstartxref\n9\n%%EOF\n"
    yield "reference-in-a-circle.pdf", endless


def _office() -> Iterator[tuple[str, bytes]]:
    yield "bomb.docx", _docx(_zeros())
    yield "laughs.docx", _docx(f"{_LAUGHS}{_WORD}<w:body><w:p><w:r><w:t>&a11;</w:t></w:r></w:p>")
    yield "secret.docx", _docx(f"{_SECRET}{_WORD}<w:body><w:p><w:r><w:t>&a11;</w:t></w:r></w:p>")
    deep = "<w:tbl><w:tr><w:tc>" * 20_000
    yield "nested-tables.docx", _docx(f"{_WORD}<w:body>{deep}")
    spaces = '<office:text><text:p>a<text:s text:c="2000000000"/>b</text:p></office:text>'
    yield "spaces.odt", _open_document("text", spaces)
    lists = "<text:list><text:list-item>" * 20_000
    yield "nested-lists.odt", _open_document("text", f"<office:text>{lists}</office:text>")
    repeated = (
        '<office:spreadsheet><table:table table:name="Fees"><table:table-row '
        'table:number-rows-repeated="1048576"><table:table-cell '
        'table:number-columns-repeated="16384" office:value-type="string"><text:p>x</text:p>'
        "</table:table-cell></table:table-row></table:table></office:spreadsheet>"
    )
    yield "repeated.ods", _open_document("spreadsheet", repeated)
    far = '<row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
    yield (
        "sparse.xlsx",
        _xlsx(f'{_SHEET}<row r="1"><c r="A1"><v>1</v></c></row>{far}</sheetData></worksheet>'),
    )
    cell = '<row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData></worksheet>'
    yield "laughs.xlsx", _xlsx(_SHEET + cell, f"{_LAUGHS}<sst><si><t>&a11;</t></si></sst>")
    yield "braces.rtf", b"{\\rtf1 " + b"{" * 200_000 + b"x" + b"}" * 200_001


def _archives() -> Iterator[tuple[str, bytes]]:
    yield "bomb.zip", _zip({"minutes.txt": _zeros()})
    yield "bomb.txt.gz", gzip.compress(_zeros(), 6, mtime=0)
    inner = _zip({"minutes.txt": b"Fees"})
    for _ in range(12):
        inner = _zip({f"{number}.zip": inner for number in range(4)})
    yield "nested.zip", inner
    yield "many.zip", _zip({f"{number}.txt": b"" for number in range(20_000)})
    lying = bytearray(_zip({"minutes.txt": b"Fees of the town"}))
    place = lying.rfind(b"PK\x01\x02")
    lying[place + 24 : place + 28] = struct.pack("<I", 0xFFFFFFF0)
    yield "size-that-lies.zip", bytes(lying)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, target in (("up", "../../etc/passwd"), ("self", "self"), ("dev", "/dev/zero")):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, target
            archive.addfile(member)
        absolute = tarfile.TarInfo("/etc/minutes.txt")
        absolute.size = 4
        archive.addfile(absolute, io.BytesIO(b"Fees"))
    yield "links.tar", buffer.getvalue()


def _texts() -> Iterator[tuple[str, bytes]]:
    yield (
        "attributes.html",
        b"<html><body><p " + b"".join(b"a%d=1 " % n for n in range(300_000)) + b">x",
    )
    yield "nested.html", b"<html><body>" + b"<div>" * 200_000 + b"Fees"
    yield "one-line.html", b"<html><body><p>" + b"Fees of the town. " * 600_000
    yield "comments.html", b"<!--" * 200_000
    yield "tables.html", b"<html><body>" + b"<table><tr><td>" * 3_000 + b"Fees"
    yield "laughs.xml", f"{_LAUGHS}<x>&a11;</x>".encode()
    yield "secret.xml", f"{_SECRET}<x>&a11;</x>".encode()
    yield "nested.xml", b"<a>" * 300_000
    yield "nested.json", b"[" * 500_000
    yield "digits.json", b'{"fee": ' + b"9" * 1_000_000 + b"}"
    yield "unclosed.csv", b'Fee,"' + b"20,30\n" * 500_000
    yield "columns.csv", b",".join(b"%d" % number for number in range(500_000))
    yield "nulls.csv", b"\0" * 1_000_000
    yield "times.vtt", b"WEBVTT\n\n" + b"99999999:59:59.999 --> 00:00:00.000\nFees\n\n" * 20_000
    yield "events.json3", b'{"wireMagic":"pb3","events":[' + b"[" * 100_000
    yield "parts.eml", _nested_mail(400)


def _nested_mail(depth: int) -> bytes:
    opening = [
        f'Content-Type: multipart/mixed; boundary="b{level}"\n\n--b{level}\n'
        for level in range(depth)
    ]
    return ("MIME-Version: 1.0\nSubject: Fees\n" + "".join(opening)).encode()


def _images() -> Iterator[tuple[str, bytes]]:
    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(_zeros()))
    yield "field.png", b"\x89PNG\r\n\x1a\n" + header + pixels + chunk(b"IEND", b"")


def hostile() -> Iterator[Mutant]:
    """Yields the documents made by hand."""
    for make in (_pdfs, _office, _archives, _texts, _images):
        for name, content in make():
            yield Mutant(f"hostile-{name}", content)
