"""The readers of office documents that are libraries: anydoc first, then xberg.

Neither asks the network: anydoc is never given its hosted OCR, xberg is given bytes alone, without
OCR, models or its cache.
"""

import re

from centinel.kinds import FORMATS
from centinel.readers.containers import check_zip, format_of
from centinel.readers.document import (
    Document,
    FunctionReader,
    GaveWay,
    HoldsNothing,
    Reading,
    has_text,
)
from centinel.readers.encryption import is_encrypted
from centinel.readers.properties import title_of
from centinel.signatures import signature

_READABLE = frozenset(
    {
        *("docx", "docm", "dotx", "doc", "pptx", "pptm", "ppsx", "ppt", "odt", "odp", "rtf"),
        *("epub", "xlsx", "xlsm", "xlsb", "xltx", "xls", "ods"),
    }
)
_NOT_READ = {"wpd": "WordPerfect", "postscript": "PostScript"}
"""Documents for which there is no reader under a free licence that is kept up."""

_TYPES = {row.name: row.types[0] for row in FORMATS if row.types}
_MOST_NOTES = 5
_AS_SHOWN = "values as they are shown, rounded; hidden sheets and rows are left out"
_IMAGE = re.compile(r"!\[([^\[\]]*)\]\((?:<[^>]*>|[^()\s]*)(?:\s+\"[^\"]*\")?\)")
_ANCHOR = re.compile(r"<a id=\"[^\"]*\">\s*</a>")
_HEADING = re.compile(r"^ {0,3}#{1,6} .*$|^[\s|:\-]+$", re.MULTILINE)
_WORD = re.compile(r"\w")


def office_format(document: Document) -> str:
    """Returns the format of an office document; raises `GaveWay` where it is none that is read.

    An encrypted one says so here, before any library looks for text in its bytes.
    """
    name = format_of(document) or signature(document.head)
    if name in _NOT_READ:
        raise HoldsNothing(f"{_NOT_READ[name]}: no reader takes this format")
    if name and is_encrypted(document, name):
        raise HoldsNothing("the document is encrypted")
    if name not in _READABLE:
        raise GaveWay(f"the bytes are {name or 'of no known format'}, no office document")
    return name


def read_with_anydoc(document: Document) -> Reading:
    """Returns the document as markdown; raises `GaveWay` with the library's words, and where
    nothing but images or the names of sheets came out."""
    import anydoc

    office_format(document)
    check_zip(document)
    try:
        markdown = anydoc.to_markdown_bytes(document.data)
    except anydoc.EncryptedError as error:
        raise GaveWay("the document is encrypted") from error
    except anydoc.ConvertError as error:
        raise GaveWay(str(error)) from error
    notes = (_AS_SHOWN,) if document.kind == "spreadsheet" else ()
    return Reading(_spoken(markdown, document.kind), title_of(document), notes)


def read_with_xberg(document: Document) -> Reading:
    """Returns the document as markdown; raises `GaveWay` as `read_with_anydoc` does."""
    import asyncio

    import xberg

    name = office_format(document)
    check_zip(document)
    given = xberg.ExtractInput(kind="bytes", bytes=document.data, mime_type=_TYPES[name])
    settings = xberg.ExtractionConfig(
        use_cache=False,
        disable_ocr=True,
        ocr_embedded_images=False,
        enable_quality_processing=False,
        output_format="markdown",
        max_archive_depth=0,
        concurrency=xberg.ConcurrencyConfig(max_threads=1),
    )
    try:
        answer = asyncio.run(xberg.extract(given, settings))
    except (xberg.XbergError, RuntimeError) as error:  # most of its errors come as the latter
        raise GaveWay(_first_words(str(error))) from error
    if not answer.results:
        raise GaveWay(_first_words("; ".join(each.message for each in answer.errors)))
    result = answer.results[0]
    notes = tuple(str(warning.message) for warning in result.processing_warnings[:_MOST_NOTES])
    return Reading(_spoken(result.content, document.kind), title_of(document), notes)


def _first_words(message: str) -> str:
    return "the document is encrypted" if "encrypted" in message.lower() else message


def _spoken(markdown: str, kind: str) -> str:
    """Returns markdown with each image as its description, and without anchors; raises `GaveWay`
    where nothing else is in it: an image is no text, and neither is the name of an empty sheet."""
    images = len(_IMAGE.findall(markdown))
    said = _ANCHOR.sub("", _IMAGE.sub("", markdown))
    if kind == "spreadsheet":
        said = _HEADING.sub("", said)
    if not _WORD.search(said):
        if images:
            raise GaveWay(f"nothing but {images} images came out")
        raise GaveWay("only the names of sheets came out" if has_text(markdown) else "no text")
    return _ANCHOR.sub("", _IMAGE.sub(r"\1", markdown))


_KINDS = frozenset({"document", "spreadsheet"})

anydoc = FunctionReader("anydoc", _KINDS, read_with_anydoc, "firecrawl-anydoc", ("anydoc",))
xberg = FunctionReader("xberg", _KINDS, read_with_xberg, "xberg", ("xberg",))

READERS = (anydoc, xberg)
