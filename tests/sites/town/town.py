"""The town as a table of addresses and answers."""

from __future__ import annotations

import argparse
import signal
import threading
import zlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path, PurePosixPath

from tests.sites.server import PUBLISHED, Answer, Site, page, robots, sitemap, sitemap_index
from tests.sites.town.expected import ENCLOSED, FILES, PAGES, REFUSALS, Expectation

EXPECTED: Mapping[str, Expectation] = PAGES | REFUSALS | FILES | ENCLOSED

OFFICE = "application/vnd.openxmlformats-officedocument"
OPEN = "application/vnd.oasis.opendocument"
# What the town's server says of a file with this extension; of one without, it knows nothing.
TYPES = {
    "": "application/octet-stream",
    ".pdf": "application/pdf",
    ".docx": f"{OFFICE}.wordprocessingml.document",
    ".pptx": f"{OFFICE}.presentationml.presentation",
    ".xlsx": f"{OFFICE}.spreadsheetml.sheet",
    ".odt": f"{OPEN}.text",
    ".odp": f"{OPEN}.presentation",
    ".ods": f"{OPEN}.spreadsheet",
    ".rtf": "application/rtf",
    ".csv": "text/csv; charset=utf-8",
    ".tsv": "text/tab-separated-values; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".json": "application/json",
    ".geojson": "application/geo+json",
    ".xml": "application/xml",
    ".vtt": "text/vtt; charset=utf-8",
    ".srt": "application/x-subrip",
    ".wav": "audio/x-wav",
    ".mp4": "video/mp4",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".eml": "message/rfc822",
    ".zip": "application/zip",
    ".gz": "application/gzip",
}
TYPES_OF_ONE = {
    "/data/parking-counts.csv": "application/octet-stream",
    "/media/notices/ice-storm.txt": "text/plain; charset=windows-1252",
    "/download?id=204": "application/pdf",
}
FILE_NAMES = {
    "/media/finance/budget-2026.pdf": 'attachment; filename="Budget 2026.pdf"',
    "/media/finance/cheque-register-2026.xlsx": 'attachment; filename="cheque register.xlsx"',
    "/media/harbour/rules.rtf": "inline; filename*=UTF-8''harbour%20rules%20%E2%80%93%202026.rtf",
    "/download?id=204": 'attachment; filename="rfp-ferry-ticketing.pdf"',
    "/download?id=311": 'attachment; filename="beach-counts.csv"',
}
HTML = "text/html; charset=utf-8"
HTML_TYPES = {"/about/history": "text/html; charset=windows-1252"}
STATUSES = {
    "/staff/directory": 403,
    "/news/parade-2019": 410,
    "/news/moved-without-a-trace": 404,
    "/services/tide-table": 500,
    # Nobody may ask for this one; who does gets it.
    "/private/personnel": 200,
}
TITLES = {
    200: "Personnel files",
    403: "Access denied",
    404: "Page not found",
    410: "This page was withdrawn",
    500: "Something went wrong",
}


def build(base: str) -> dict[str, Answer]:
    """Every address of the town and what is served there; `base` has no slash at the end."""
    answers = {path: _page(path, body) for path, body in _page_bodies().items()}
    answers |= {path: _file(path, body) for path, body in _file_bodies().items()}
    answers |= {path: _refusal(status) for path, status in STATUSES.items()}
    return answers | _signposts(base)


def serve(site: Site) -> None:
    """Let a started site be the town."""
    for path, answer in build(site.address).items():
        site.set(path, answer)


def sitemap_paths() -> list[str]:
    """The paths that the sitemaps name."""
    return [path for path, expected in EXPECTED.items() if not expected.enclosed_by]


@cache
def _page_bodies() -> dict[str, bytes]:
    # Imported here so that importing the town costs nothing, here and below.
    from tests.sites.town import meetings, pages, special_pages

    return pages.pages() | meetings.pages() | special_pages.pages()


@cache
def _file_bodies() -> dict[str, bytes]:
    from tests.sites.town import documents, other_files, scans

    made = documents.documents() | other_files.other_files()
    packed = ("/media/planning/development-guide.docx", "/media/proclamations/otter-week.txt")
    package = {PurePosixPath(path).name: made[path] for path in packed}
    return made | {
        "/media/archive/deed-of-gift.pdf": scans.scanned(),
        "/media/council/hearing-package.zip": other_files.zip_of(package),
    }


def modified(path: str) -> datetime:
    """When a path was published: a day of January or February 2026 that its name decides."""
    return PUBLISHED - timedelta(days=zlib.crc32(path.encode()) % 28)


def _page(path: str, body: bytes) -> Answer:
    return Answer(body, HTML_TYPES.get(path, HTML), modified=modified(path))


def _file(path: str, body: bytes) -> Answer:
    named = FILE_NAMES.get(path)
    headers = (("Content-Disposition", named),) if named else ()
    served_as = TYPES_OF_ONE.get(path, TYPES[PurePosixPath(path).suffix])
    return Answer(body, served_as, headers=headers, modified=modified(path))


def _refusal(status: int) -> Answer:
    title = TITLES[status]
    body = f"<h1>{title}</h1>\n<p>Return to the <a href='/'>home page</a>.</p>"
    return Answer(page(title, body), HTML, status=status)


def _signposts(base: str) -> dict[str, Answer]:
    """robots.txt, the sitemap index and its two sitemaps, one of them compressed."""
    from tests.sites.town.other_files import gzipped

    rules = ("User-agent: *", "Disallow: /private/", "", f"Sitemap: {base}/sitemap.xml")
    listed = sitemap_paths()
    lastmod = {f"{base}{path}": f"{modified(path):%Y-%m-%d}" for path in listed[::3]}
    pages = sitemap((f"{base}{path}" for path in listed if path not in FILES), lastmod)
    media = sitemap((f"{base}{path}" for path in listed if path in FILES), lastmod)
    parts = (f"{base}/sitemap-pages.xml", f"{base}/sitemap-media.xml.gz")
    return {
        "/robots.txt": Answer(robots(*rules), "text/plain; charset=utf-8"),
        "/sitemap.xml": Answer(sitemap_index(parts), "application/xml"),
        "/sitemap-pages.xml": Answer(pages, "application/xml"),
        "/sitemap-media.xml.gz": Answer(gzipped(media), "application/gzip"),
    }


def main(arguments: list[str] | None = None) -> None:
    """Serve the town until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(prog="python -m tests.sites.town", description=main.__doc__)
    parser.add_argument("--port", type=int, default=8707, help="0 takes a free one")
    parser.add_argument("--ready", type=Path, help="file to write the address to, once it answers")
    options = parser.parse_args(arguments)
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    with Site(options.port) as site:
        serve(site)
        if options.ready is not None:
            _write_whole(options.ready, f"{site.address}\n")
        print(site.address, flush=True)
        ended.wait()


def _write_whole(target: Path, content: str) -> None:
    partial = target.with_name(f"{target.name}.partial")
    partial.write_text(content)
    partial.replace(target)
