"""What stands in the records of a WARC file: addresses, served headers, fields. Pure."""

import re
from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import quote

from centinel.files import to_bytes
from centinel.record import Json, Observation

Headers = list[tuple[str, str]]

ORIGINAL = "X-Archive-Orig-"
"""Comes before the name of a served header that does not hold for the bytes as they are kept."""

_UNDONE = frozenset({"content-encoding", "transfer-encoding"})
_LENGTH = "content-length"
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The name of a header (RFC 9110, section 5.6.2)."""

_CONTROLS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]+")
_OF_ADDRESSES = "%/:?#[]@!$&'()*+,;=-._~"
"""What stands in an address as it is (RFC 3986); all else is percent-encoded."""


def target(address: str) -> str:
    """Returns an address as a WARC target: percent-encoded where it is no URI yet."""
    return quote(address, safe=_OF_ADDRESSES, errors="replace")


def is_of_the_web(address: str) -> bool:
    """Returns whether a server can be asked for exactly this: http(s), without a fragment."""
    return address.startswith(("http://", "https://")) and "#" not in address


def is_answer(observation: Observation) -> bool:
    """Returns whether the bytes were served by HTTP at the address that the record gives."""
    return observation.http_status is not None and is_of_the_web(observation.final_url)


def status_line(status: int) -> str:
    """Returns the status and its usual phrase; the one that was served is not kept."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"{status} Unknown"


def headers_of(served: Mapping[str, str], size: int) -> Headers:
    """Returns the served headers as they hold for the bytes that are kept, `size` of them.

    A Content-Encoding or Transfer-Encoding was undone, and a Content-Length counted what was
    sent: those are kept under `X-Archive-Orig-`, and Content-Length is what is kept. What is no
    name of a header stands in the metadata record alone.
    """
    headers: Headers = []
    for name, value in served.items():
        if not _TOKEN.fullmatch(name):
            continue
        is_other = name.lower() in _UNDONE or (name.lower() == _LENGTH and value != str(size))
        if name.lower() != _LENGTH or is_other:
            headers.append(((ORIGINAL if is_other else "") + _title(name), one_line(str(value))))
    return [*headers, ("Content-Length", str(size))]


def _title(name: str) -> str:
    """`content-type` as it is usually written."""
    return "-".join(part.capitalize() for part in name.split("-"))


def one_line(text: str) -> str:
    """Returns a text that ends no line and no header."""
    return _CONTROLS.sub(" ", text).strip()


def fields_of(line: Json) -> Headers:
    """Returns a line of the record as fields: lists repeat their name, objects are JSON."""
    fields: Headers = []
    for name, value in line.items():
        for each in value if isinstance(value, list) else [value]:
            if each is not None and each != {}:
                fields.append((one_line(name), _text(each)))
    return fields


def _text(value: object) -> str:
    if isinstance(value, str):
        return one_line(value)
    return to_bytes(value).decode()


def as_fields(fields: Headers) -> bytes:
    """Returns the block of a record of the type `application/warc-fields`."""
    return "".join(f"{name}: {value}\r\n" for name, value in fields).encode("utf-8", "replace")
