"""The one table of content kinds, and `classify`.

A row answers four questions: what a thing is, what a server would call it, what a file of it should
be named, and whether it is worth fetching on its own when a page links to it.

Types: the IANA media type registry; extensions and signatures: the formats' own specifications.
"""

from dataclasses import dataclass
from functools import cache

from centinel.record import Claim
from centinel.signatures import has_caption_marker, signature

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

NOT_TRANSCRIBED = "not transcribed yet"
"""Why a recording waits, where nothing is missing for it."""


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


def is_enclosed_type(content_type: str | None) -> bool:
    """Returns whether a page that links to something of this type encloses it."""
    row = _by_type().get(media_type(content_type))
    return row is not None and row.enclosed


def extension_of(kind: str, magic: str | None = None) -> str:
    """Returns what a file of this kind should be named (no dot), from its bytes where they show."""
    if magic in _BY_NAME and _BY_NAME[magic].kind == kind:
        return _BY_NAME[magic].extensions[0]
    rows = [row for row in FORMATS if row.kind == kind]
    packed = [row for row in rows if row.container is not None and row.container == magic]
    return (packed or rows)[0].extensions[0] if rows else "bin"


def encloses(kind: str) -> bool:
    """Returns whether artifacts of this kind can carry documents at their own address."""
    return kind == "html"


_HOLDERS = frozenset({"archive", "mail", "zip-container"})


def holds_members(kind: str) -> bool:
    """Returns whether artifacts of this kind can hold documents in their own bytes."""
    return kind in _HOLDERS


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
    if declared == "json" and has_caption_marker(head):
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


def may_be(magic: str, kind: str) -> bool:
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
    if magic and not may_be(magic, kind):
        shown = kind_of_signature(magic)
        notes.append(f"{decided_by} says {kind}, but the bytes open as {magic} ({shown})")
    named = kind_of_extension(extension)
    if named and named != kind and decided_by != "extension":
        notes.append(f"{decided_by} says {kind}, but the address ends in .{extension} ({named})")
    return notes
