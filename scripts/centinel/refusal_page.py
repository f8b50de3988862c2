"""The page that comes with a refusal, read as far as it is worth it."""

import time
from dataclasses import replace

import requests
import urllib3

from centinel.liveness import NOT_THERE, Refusal

MOST_BYTES = 256 << 10
"""A larger page is not read to its end."""

MOST_SECONDS = 10.0


def with_page(refusal: Refusal, response: requests.Response) -> Refusal:
    """Returns a refusal with the page that says that there is no such thing, where it comes whole.

    Read to its end, it also leaves the connection open for the next request.
    """
    declared = response.headers.get("content-type", "")
    if refusal.http_status not in NOT_THERE or "html" not in declared.lower():
        return refusal
    page, until = b"", time.monotonic() + MOST_SECONDS
    try:
        while chunk := response.raw.read1(MOST_BYTES, decode_content=True):
            page += chunk
            if len(page) > MOST_BYTES or time.monotonic() > until:
                return refusal
    except (urllib3.exceptions.HTTPError, OSError):
        return refusal
    return replace(refusal, page=page, declared_type=declared)
