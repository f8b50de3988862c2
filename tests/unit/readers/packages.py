"""Packages of office formats, written by hand: small ones, and those that mean harm."""

import io
import zipfile
from collections.abc import Mapping
from xml.sax.saxutils import escape

_MAIN = "application/vnd.openxmlformats-officedocument."
_LINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
SHEET_NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"

Content = str | bytes


def zip_of(parts: Mapping[str, Content], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Returns a zip of `parts`, in their order, the same bytes every time."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return packed.getvalue()


def docx(body: str, parts: Mapping[str, Content] | None = None, before: str = "") -> bytes:
    """Returns a Word document with this WordprocessingML in its body, `before` its root."""
    namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    return zip_of(
        {
            "[Content_Types].xml": _types("word/document.xml", "wordprocessingml.document.main"),
            "_rels/.rels": _relationships({"officeDocument": "word/document.xml"}),
            "word/document.xml": f'{before}<w:document xmlns:w="{namespace}">'
            f"<w:body>{body}</w:body></w:document>",
            **(parts or {}),
        }
    )


def paragraph(text: str) -> str:
    """Returns a paragraph of WordprocessingML."""
    return f"<w:p><w:r><w:t>{escape(text)}</w:t></w:r></w:p>"


def xlsx(
    sheets: Mapping[str, str],
    parts: Mapping[str, Content] | None = None,
    states: Mapping[str, str] | None = None,
) -> bytes:
    """Returns a workbook whose sheets hold this SpreadsheetML: rows, or with `<sheetData>` all."""
    names = list(sheets)
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{n}" r:id="worksheet{n}"'
        f' state="{(states or {}).get(name, "visible")}"/>'
        for n, name in enumerate(names, 1)
    )
    bodies = {
        f"xl/worksheets/sheet{n}.xml": f'<worksheet xmlns="{SHEET_NAMESPACE}">'
        + (rows if "<sheetData" in rows else f"<sheetData>{rows}</sheetData>")
        + "</worksheet>"
        for n, rows in enumerate(sheets.values(), 1)
    }
    return zip_of(
        {
            "[Content_Types].xml": _types("xl/workbook.xml", "spreadsheetml.sheet.main"),
            "_rels/.rels": _relationships({"officeDocument": "xl/workbook.xml"}),
            "xl/workbook.xml": f'<workbook xmlns="{SHEET_NAMESPACE}" xmlns:r="{_LINK}">'
            f"<sheets>{listed}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": _relationships(
                {f"worksheet{n}": f"worksheets/sheet{n}.xml" for n in range(1, len(names) + 1)}
            ),
            **bodies,
            **(parts or {}),
        }
    )


def odf(kind: str, body: str, parts: Mapping[str, Content] | None = None) -> bytes:
    """Returns an OpenDocument file of a kind (`text`, `spreadsheet`, `presentation`)."""
    spaces = " ".join(
        f'xmlns:{short}="{_ODF}{name}:1.0"'
        for short, name in (
            *(("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing")),
        )
    )
    media = f"application/vnd.oasis.opendocument.{kind}"
    return zip_of(
        {
            "mimetype": media,
            "content.xml": f"<office:document-content {spaces}><office:body>"
            f"<office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
            "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{_ODF}manifest:1.0">'
            f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{media}"/>'
            '<manifest:file-entry manifest:full-path="content.xml"'
            ' manifest:media-type="text/xml"/></manifest:manifest>',
            **(parts or {}),
        },
    )


def ole(streams: list[str], tail: bytes = b"") -> bytes:
    """Returns the directory of an OLE file with these streams, and nothing in them."""
    entries = b"".join(
        (name.encode("utf-16-le") + bytes(64))[:64]
        + (2 * len(name) + 2).to_bytes(2, "little")
        + bytes(62)
        for name in ["Root Entry", *streams]
    )
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + entries + tail


def _types(part: str, main: str) -> str:
    return (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
        'relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/{part}" ContentType="{_MAIN}{main}+xml"/></Types>'
    )


def _relationships(targets: Mapping[str, str]) -> str:
    return (
        f'<Relationships xmlns="{_PACKAGE}/relationships">'
        + "".join(
            f'<Relationship Id="{name}" Type="{_LINK}/{name.rstrip("0123456789")}"'
            f' Target="{target}"/>'
            for name, target in targets.items()
        )
        + "</Relationships>"
    )
