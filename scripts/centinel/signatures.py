"""What the first bytes show: the name of a format in the table of kinds, or of a container.

Sources: the formats' own specifications. Plain text has no signature, so that the name can speak.
"""

import re
from collections.abc import Callable

HEAD = 4096
"""How many bytes of a blob are evidence for its kind."""

_CAPTION_MARKERS = (b"wireMagic", b"tStartMs")
_START = 1024
_HTML = re.compile(
    rb"(?:(?><!--.{0,600}?-->)\s*+)*+(?:<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>])",
    re.I | re.S,
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
        return "json3" if has_caption_marker(head) else "json"
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


def signature(head: bytes) -> str | None:
    """Returns the name of the format or container that the first bytes show; None for none."""
    return next((name for test in SIGNATURES if (name := test(head[:HEAD]))), None)


def has_caption_marker(head: bytes) -> bool:
    """Returns whether JSON is a caption track: either marker, since key order is no contract."""
    return any(mark in head[:HEAD] for mark in _CAPTION_MARKERS)
