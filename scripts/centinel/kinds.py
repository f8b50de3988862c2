"""The one table of content kinds, and `classify`.

A row answers four questions: what a thing is, what a server would call it, what a file of it should
be named, and whether it is worth fetching on its own when a page links to it.

Types: the IANA media type registry; extensions and signatures: the formats' own specifications.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from centinel.record import Claim

HEAD = 4096
"""How many bytes of a blob are evidence for its kind."""

KINDS = (
    "html",
    "pdf",
    "document",
    "spreadsheet",
    "csv",
    "text",
    "markdown",
    "json",
    "xml",
    "captions",
    "audio",
    "video",
    "image",
    "mail",
    "zip-container",
    "archive",
    "other",
)

RECORDINGS = frozenset({"audio", "video"})
"""Kinds that a transcript, not a reader, turns into text."""


@dataclass(frozen=True)
class Format:
    """One row: a format, and the kind that it belongs to."""

    name: str
    kind: str
    extensions: tuple[str, ...] = ()
    """Without the dot; the first is what a file of this format is named."""
    types: tuple[str, ...] = ()
    """Media types in lower case; the first is what a server should say."""
    enclosed: bool = False
    """Whether a page that links to one encloses it."""
    container: str | None = None
    """The format in whose bytes this one is packed, where they cannot be told apart by a few."""


def _formats() -> tuple[Format, ...]:
    office = "application/vnd.openxmlformats-officedocument."
    odf = "application/vnd.oasis.opendocument."
    row = Format
    return (
        row("html", "html", ("html", "htm", "xhtml"), ("text/html", "application/xhtml+xml")),
        row("pdf", "pdf", ("pdf",), ("application/pdf", "application/x-pdf"), True),
        row("docx", "document", ("docx",), (office + "wordprocessingml.document",), True, "zip"),
        row("docm", "document", ("docm", "dotm"), ("application/vnd.ms-word.document.macroenabled.12",), True, "zip"),
        row("dotx", "document", ("dotx",), (office + "wordprocessingml.template",), True, "zip"),
        row("doc", "document", ("doc", "dot"), ("application/msword", "application/vnd.ms-word"), True, "ole"),
        row("pptx", "document", ("pptx",), (office + "presentationml.presentation",), True, "zip"),
        row("pptm", "document", ("pptm", "ppsm"), ("application/vnd.ms-powerpoint.presentation.macroenabled.12",), True, "zip"),
        row("ppsx", "document", ("ppsx",), (office + "presentationml.slideshow",), True, "zip"),
        row("ppt", "document", ("ppt", "pps"), ("application/vnd.ms-powerpoint", "application/mspowerpoint"), True, "ole"),
        row("odt", "document", ("odt", "ott"), (odf + "text", odf + "text-template"), True, "zip"),
        row("odp", "document", ("odp", "otp"), (odf + "presentation",), True, "zip"),
        row("rtf", "document", ("rtf",), ("application/rtf", "text/rtf", "application/x-rtf"), True),
        row("epub", "document", ("epub",), ("application/epub+zip",), True, "zip"),
        row("wpd", "document", ("wpd",), ("application/vnd.wordperfect", "application/wordperfect"), True),
        row("postscript", "document", ("ps", "eps"), ("application/postscript",)),
        row("xlsx", "spreadsheet", ("xlsx",), (office + "spreadsheetml.sheet",), True, "zip"),
        row("xlsm", "spreadsheet", ("xlsm",), ("application/vnd.ms-excel.sheet.macroenabled.12",), True, "zip"),
        row("xlsb", "spreadsheet", ("xlsb",), ("application/vnd.ms-excel.sheet.binary.macroenabled.12",), True, "zip"),
        row("xltx", "spreadsheet", ("xltx",), (office + "spreadsheetml.template",), True, "zip"),
        row("xls", "spreadsheet", ("xls", "xlt"), ("application/vnd.ms-excel", "application/msexcel"), True, "ole"),
        row("ods", "spreadsheet", ("ods", "ots"), (odf + "spreadsheet",), True, "zip"),
        row("csv", "csv", ("csv",), ("text/csv", "application/csv", "text/x-csv"), True),
        row("tsv", "csv", ("tsv", "tab"), ("text/tab-separated-values",), True),
        row("text", "text", ("txt", "text", "log"), ("text/plain",)),
        row("calendar", "text", ("ics",), ("text/calendar",)),
        row("stylesheet", "text", ("css",), ("text/css",)),
        row("script", "text", ("js", "mjs"), ("text/javascript", "application/javascript", "application/x-javascript")),
        row("yaml", "text", ("yaml", "yml"), ("application/yaml", "application/x-yaml")),
        row("markdown", "markdown", ("md", "markdown"), ("text/markdown", "text/x-markdown")),
        row("json", "json", ("json",), ("application/json", "text/json")),
        row("geojson", "json", ("geojson",), ("application/geo+json", "application/vnd.geo+json")),
        row("json-lines", "json", ("jsonl", "ndjson"), ("application/x-ndjson", "application/jsonl")),
        row("xml", "xml", ("xml", "xsd", "xsl"), ("application/xml", "text/xml")),
        row("feed", "xml", ("rss", "atom"), ("application/rss+xml", "application/atom+xml")),
        row("kml", "xml", ("kml",), ("application/vnd.google-earth.kml+xml",)),
        row("vtt", "captions", ("vtt",), ("text/vtt",)),
        row("srt", "captions", ("srt",), ("application/x-subrip", "text/srt")),
        row("ttml", "captions", ("ttml", "dfxp"), ("application/ttml+xml",)),
        row("json3", "captions", ("json3",)),
        row("mp3", "audio", ("mp3",), ("audio/mpeg", "audio/mp3")),
        row("m4a", "audio", ("m4a", "m4b", "aac"), ("audio/mp4", "audio/x-m4a", "audio/aac"), False, "mp4"),
        row("wav", "audio", ("wav",), ("audio/wav", "audio/x-wav", "audio/vnd.wave")),
        row("ogg", "audio", ("ogg", "oga", "opus"), ("audio/ogg", "application/ogg")),
        row("flac", "audio", ("flac",), ("audio/flac",)),
        row("wma", "audio", ("wma",), ("audio/x-ms-wma",), False, "asf"),
        row("weba", "audio", ("weba",), ("audio/webm",), False, "matroska"),
        row("mp4", "video", ("mp4", "m4v", "mov"), ("video/mp4", "video/quicktime"), False, "mp4"),
        row("webm", "video", ("webm", "mkv"), ("video/webm", "video/x-matroska"), False, "matroska"),
        row("mpeg", "video", ("mpg", "mpeg", "ts"), ("video/mpeg", "video/mp2t")),
        row("avi", "video", ("avi",), ("video/x-msvideo",)),
        row("wmv", "video", ("wmv", "asf"), ("video/x-ms-wmv", "video/x-ms-asf"), False, "asf"),
        row("flv", "video", ("flv",), ("video/x-flv",)),
        row("png", "image", ("png",), ("image/png",)),
        row("jpeg", "image", ("jpg", "jpeg"), ("image/jpeg", "image/jpg")),
        row("gif", "image", ("gif",), ("image/gif",)),
        row("webp", "image", ("webp",), ("image/webp",)),
        row("tiff", "image", ("tif", "tiff"), ("image/tiff",)),
        row("bmp", "image", ("bmp",), ("image/bmp",)),
        row("svg", "image", ("svg",), ("image/svg+xml",)),
        row("icon", "image", ("ico",), ("image/vnd.microsoft.icon", "image/x-icon")),
        row("heic", "image", ("heic", "heif", "avif"), ("image/heic", "image/heif", "image/avif"), False, "mp4"),
        row("jpeg2000", "image", ("jp2",), ("image/jp2",)),
        row("photoshop", "image", ("psd",), ("image/vnd.adobe.photoshop",)),
        row("djvu", "image", ("djvu",), ("image/vnd.djvu",)),
        row("dwg", "image", ("dwg", "dxf"), ("image/vnd.dwg", "application/acad", "image/vnd.dxf")),
        row("mail", "mail", ("eml", "mht", "mhtml"), ("message/rfc822", "multipart/related")),
        row("mbox", "mail", ("mbox",), ("application/mbox",)),
        row("outlook", "mail", ("msg",), ("application/vnd.ms-outlook",), False, "ole"),
        row("zip", "zip-container", ("zip", "kmz"), ("application/zip", "application/x-zip-compressed", "application/x-zip", "application/vnd.google-earth.kmz")),
        row("gzip", "archive", ("gz", "tgz"), ("application/gzip", "application/x-gzip")),
        row("tar", "archive", ("tar",), ("application/x-tar",)),
        row("bzip2", "archive", ("bz2",), ("application/x-bzip2",)),
        row("xz", "archive", ("xz",), ("application/x-xz",)),
        row("7z", "archive", ("7z",), ("application/x-7z-compressed",)),
        row("rar", "archive", ("rar",), ("application/vnd.rar", "application/x-rar-compressed")),
        row("zstandard", "archive", ("zst",), ("application/zstd",)),
        row("warc", "archive", ("warc",), ("application/warc",)),
        row("binary", "other", ("bin",), ("application/octet-stream",)),
    )  # fmt: skip


FORMATS = _formats()
_BY_NAME = {each.name: each for each in FORMATS}

NO_DECLARATION = frozenset(
    {
        "application/octet-stream",
        "binary/octet-stream",
        "application/binary",
        "application/unknown",
        "application/x-download",
        "application/download",
        "application/force-download",
        "application/x-unknown",
        "content/unknown",
    }
)
"""Types that say "some bytes": no declaration."""

_TYPE_FAMILIES = (
    ("audio/", "audio"),
    ("video/", "video"),
    ("image/", "image"),
    ("text/", "text"),
)
_TYPE_SUFFIXES = (("+json", "json"), ("+xml", "xml"), ("+zip", "zip-container"))

CONTAINERS = {
    "zip": "zip-container",
    "ole": "document",
    "mp4": "video",
    "matroska": "video",
    "asf": "video",
}
"""Signatures that several formats share, and the kind where nothing says which it is."""

_CAPTION_MARKERS = (b"wireMagic", b"tStartMs")
_START = 1024
_HTML = re.compile(
    rb"(?:<!--.{0,600}?-->\s*)*(?:<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>])", re.I | re.S
)
_XHTML = re.compile(rb"<\?xml.{0,600}?<(?:!doctype\s+)?html[\s>]", re.I | re.S)
_SVG = re.compile(rb"(?:<\?xml.{0,600}?)?<(?:!doctype\s+)?svg[\s>]", re.I | re.S)
_TTML = re.compile(rb"(?:<\?xml.{0,600}?)?<(?:\w+:)?tt[\s>][^>]*ttml", re.I | re.S)
_SRT = re.compile(rb"\d+\s*\r?\n\d\d:\d\d:\d\d[,.]\d\d\d --> ")
_JSON = re.compile(rb"\{\s*(?:\"|\}\s*$)|\[\s*\{\s*\"")
_MAIL = re.compile(
    rb"(?:Return-Path|Received|Message-ID|MIME-Version|Delivered-To|X-[\w-]+): ", re.I
)
_ZIP_ENTRY = re.compile(rb"PK\x03\x04.{26}([ -~]{3,80})", re.S)
_ZIP_FOLDERS = ((b"word/", "docx"), (b"xl/", "xlsx"), (b"ppt/", "pptx"))
_ZIP_MIMETYPES = (
    (b"application/epub+zip", "epub"),
    (b"opendocument.text", "odt"),
    (b"opendocument.spreadsheet", "ods"),
    (b"opendocument.presentation", "odp"),
)
_MP4_BRANDS = (
    ((b"M4A ", b"M4B ", b"M4P "), "m4a"),
    ((b"heic", b"heix", b"hevc", b"mif1", b"msf1", b"avif", b"avis"), "heic"),
)


def _zip(head: bytes) -> str | None:
    if not head.startswith(b"PK\x03\x04"):
        return None
    if head[30:38] == b"mimetype":
        for mark, name in _ZIP_MIMETYPES:
            if mark in head[38:128]:
                return name
    for entry in _ZIP_ENTRY.findall(head):
        for folder, name in _ZIP_FOLDERS:
            if entry.startswith(folder):
                return name
    return "zip"


def _mp4(head: bytes) -> str | None:
    if head[4:8] != b"ftyp":
        return None
    return next((name for brands, name in _MP4_BRANDS if head[8:12] in brands), "mp4")


def _riff(head: bytes) -> str | None:
    forms = {b"WAVE": "wav", b"AVI ": "avi", b"WEBP": "webp"}
    return forms.get(head[8:12]) if head.startswith(b"RIFF") else None


def _mp3(head: bytes) -> str | None:
    """An ID3 tag, or a frame of layer II or III: a UTF-16 mark (FF FE) is neither."""
    if head.startswith(b"ID3"):
        return "mp3"
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return None
    version, layer = head[1] >> 3 & 3, head[1] >> 1 & 3
    bitrate, rate = head[2] >> 4, head[2] >> 2 & 3
    return "mp3" if version != 1 and layer in (1, 2) and 0 < bitrate < 15 and rate != 3 else None


def _transport_stream(head: bytes) -> str | None:
    return "mpeg" if len(head) > 376 and head[0] == head[188] == head[376] == 0x47 else None


def _marked_text(head: bytes) -> str | None:
    """Formats of text that open with a mark of their own; plain text has none."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:_START]
    if start.startswith(b"WEBVTT"):
        return "vtt"
    if start.startswith(b"{\\rtf"):
        return "rtf"
    for pattern, name in (
        (_SRT, "srt"),
        (_HTML, "html"),
        (_XHTML, "html"),
        (_SVG, "svg"),
        (_TTML, "ttml"),
    ):
        if pattern.match(start):
            return name
    if start.startswith(b"<?xml"):
        return "xml"
    if _JSON.match(start):
        return "json3" if any(mark in head for mark in _CAPTION_MARKERS) else "json"
    return "mail" if _MAIL.match(start) else None


def _starts(prefix: bytes, name: str, offset: int = 0) -> Callable[[bytes], str | None]:
    return lambda head: name if head.startswith(prefix, offset) else None


SIGNATURES: tuple[Callable[[bytes], str | None], ...] = (
    lambda head: "pdf" if b"%PDF-" in head[:_START] else None,
    _zip,
    _starts(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),
    _mp4,
    _riff,
    _starts(b"\x1a\x45\xdf\xa3", "matroska"),
    _starts(b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "asf"),
    _starts(b"OggS", "ogg"),
    _starts(b"fLaC", "flac"),
    _starts(b"\x00\x00\x01\xba", "mpeg"),
    _starts(b"FLV\x01", "flv"),
    _starts(b"\x89PNG\r\n\x1a\n", "png"),
    _starts(b"\xff\xd8\xff", "jpeg"),
    _starts(b"GIF8", "gif"),
    _starts(b"II*\x00", "tiff"),
    _starts(b"MM\x00*", "tiff"),
    _starts(b"\x00\x00\x00\x0cjP  ", "jpeg2000"),
    _starts(b"8BPS", "photoshop"),
    _starts(b"AT&TFORM", "djvu"),
    _starts(b"AC10", "dwg"),
    _starts(b"%!PS", "postscript"),
    _starts(b"\xffWPC", "wpd"),
    _starts(b"\x1f\x8b", "gzip"),
    _starts(b"BZh", "bzip2"),
    _starts(b"\xfd7zXZ\x00", "xz"),
    _starts(b"7z\xbc\xaf\x27\x1c", "7z"),
    _starts(b"Rar!\x1a\x07", "rar"),
    _starts(b"\x28\xb5\x2f\xfd", "zstandard"),
    _starts(b"WARC/1.", "warc"),
    _starts(b"ustar", "tar", 257),
    _mp3,
    _transport_stream,
    _marked_text,
)
"""Each answers with the name of a format or a container; the first that answers is believed."""


@cache
def _by_type() -> dict[str, Format]:
    return {media: each for each in reversed(FORMATS) for media in each.types}


@cache
def _by_extension() -> dict[str, Format]:
    return {extension: each for each in reversed(FORMATS) for extension in each.extensions}


def media_type(content_type: str | None) -> str:
    """Returns the media type of a Content-Type header: lower case, without parameters."""
    return (content_type or "").partition(";")[0].strip().lower()


def kind_of_type(content_type: str | None) -> str | None:
    """Returns the kind that a Content-Type header declares; None where it declares nothing."""
    media = media_type(content_type)
    if not media or media in NO_DECLARATION:
        return None
    if media in _by_type():
        return _by_type()[media].kind
    for suffix, kind in _TYPE_SUFFIXES:
        if media.endswith(suffix) and "/" in media:
            return kind
    return next((kind for family, kind in _TYPE_FAMILIES if media.startswith(family)), None)


def signature(head: bytes) -> str | None:
    """Returns the name of the format or container that the first bytes show; None for none."""
    return next((name for test in SIGNATURES if (name := test(head[:HEAD]))), None)


def kind_of_signature(name: str | None) -> str | None:
    """Returns the kind of a name that `signature` gave."""
    if name is None:
        return None
    return CONTAINERS.get(name) or _BY_NAME[name].kind


def format_of_extension(extension: str | None) -> Format | None:
    """Returns the row of a file extension (no dot, any case)."""
    return _by_extension().get((extension or "").lower())


def kind_of_extension(extension: str | None) -> str | None:
    """Returns the kind of a file extension (no dot, any case); None for one not in the table."""
    row = format_of_extension(extension)
    return row.kind if row else None


def is_enclosed(extension: str | None) -> bool:
    """Returns whether a page that links to such a file encloses it."""
    row = format_of_extension(extension)
    return row is not None and row.enclosed


def extension_of(kind: str, magic: str | None = None) -> str:
    """Returns what a file of this kind should be named (no dot), from its bytes where they show."""
    if magic in _BY_NAME and _BY_NAME[magic].kind == kind:
        return _BY_NAME[magic].extensions[0]
    return next((row.extensions[0] for row in FORMATS if row.kind == kind), "bin")


def encloses(kind: str) -> bool:
    """Returns whether artifacts of this kind can carry documents at their own address."""
    return kind == "html"


def classify(declared_type: str | None, head: bytes, extension: str | None) -> Claim:
    """Says what a blob is: declared type, then magic bytes, then the extension.

    A later one only where the earlier are empty. Where the bytes show a container that several
    formats share, the extension says which of them it is. Contradictions are notes.
    """
    declared = kind_of_type(declared_type)
    magic = signature(head)
    kind, decided_by = _decide(declared, magic, extension, head)
    return Claim(
        kind=kind,
        decided_by=decided_by,
        declared_type=declared_type,
        magic=magic,
        extension=extension,
        notes=_contradictions(kind, decided_by, magic, extension),
    )


def _decide(
    declared: str | None, magic: str | None, extension: str | None, head: bytes
) -> tuple[str, str]:
    if declared == "json" and any(mark in head[:HEAD] for mark in _CAPTION_MARKERS):
        return "captions", "magic"
    if declared:
        return declared, "declared"
    row = format_of_extension(extension)
    if magic in CONTAINERS and row is not None and row.container == magic:
        return row.kind, "extension"
    by_magic = kind_of_signature(magic)
    if by_magic:
        return by_magic, "magic"
    return (row.kind, "extension") if row else ("other", "none")


def _may_be(magic: str, kind: str) -> bool:
    """Returns whether bytes with this signature can be of this kind."""
    if kind_of_signature(magic) == kind:
        return True
    if magic in CONTAINERS:
        return any(row.kind == kind and row.container == magic for row in FORMATS)
    packed = _BY_NAME[magic].container
    return CONTAINERS.get(packed or "") == kind or (magic, kind) in _COMPATIBLE


_COMPATIBLE = frozenset(
    {
        ("xml", "html"),
        ("xml", "captions"),
        ("xml", "image"),
        ("json", "captions"),
        ("ogg", "video"),
        ("html", "xml"),
        ("ttml", "xml"),
        ("svg", "xml"),
        ("gzip", "xml"),
    }
)
"""Signatures that are no contradiction of a kind, though the table gives them another."""


def _contradictions(
    kind: str, decided_by: str, magic: str | None, extension: str | None
) -> list[str]:
    notes = []
    if magic and not _may_be(magic, kind):
        shown = kind_of_signature(magic)
        notes.append(f"{decided_by} says {kind}, but the bytes open as {magic} ({shown})")
    named = kind_of_extension(extension)
    if named and named != kind and decided_by != "extension":
        notes.append(f"{decided_by} says {kind}, but the address ends in .{extension} ({named})")
    return notes
