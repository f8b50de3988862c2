"""An address that is itself a file: a manifest of one, from what the server says of it."""

import base64
import binascii
from urllib.parse import urlsplit

from centinel import addresses
from centinel.ingest.landing import Page, domain
from centinel.ingest.manifest import hashes
from centinel.ingest.model import IngestStop, ManifestFile, Stopped
from centinel.ingest.platforms.items import item, item_meta, item_name
from centinel.ingest.platforms.platform import Match, Work
from centinel.ingest.request import Request
from centinel.sources.platforms.values import count


class Direct:
    """Whatever is no web page."""

    name = "direct"

    def match(self, request: Request, terminal_url: str, page: Page | None) -> Match | None:
        """Returns the file, where a page was asked for and something else was served."""
        if page is None or page.is_web_page or page.http_status not in (None, 200, 203):
            return None
        evidence = f"served as {page.media_type or 'no declared type'}"
        return Match(
            self.name, domain(terminal_url), terminal_url, evidence, terminal_url, request, page
        )

    def item(self, match: Match) -> Work:
        """Returns the file; nothing is asked."""
        yield from ()
        page = match.page
        if page is None:
            raise IngestStop(Stopped.NO_PLATFORM_MATCH, f"{match.address}: nothing was served")
        name = page.filename or addresses.file_name(match.address) or "file"
        return item(
            match,
            [_file(page, name, match.address)],
            resolved_id=match.address,
            title=name,
            archiveorg_item_name=item_name(match.domain, urlsplit(match.address).path.strip("/")),
            archiveorg_item_meta=item_meta(title=name, source=match.address),
            metadata={"headers": dict(page.headers)},
        )


def _file(page: Page, name: str, address: str) -> ManifestFile:
    """The file as its headers declare it; under a Content-Encoding they speak of other bytes."""
    is_plain = page.headers.get("content-encoding", "identity").lower() in ("", "identity")
    found = hashes(("md5", _md5(page))) if is_plain else hashes()
    kept = {key: page.headers[key] for key in ("etag", "last-modified") if key in page.headers}
    return ManifestFile(
        name,
        count(page.headers.get("content-length")) if is_plain else None,
        found.md5,
        mimetype=page.media_type,
        platform_url=address,
        extra={**found.extra, **kept},
    )


def _md5(page: Page) -> str | None:
    """The hash in Content-MD5 (RFC 1864), which some object stores send."""
    try:
        return base64.b64decode(page.headers.get("content-md5", ""), validate=True).hex() or None
    except (binascii.Error, ValueError):
        return None
