"""A line of input as a request: as it was given, without a password, and what it goes by."""

from dataclasses import replace
from typing import Any

import orjson

from centinel.ingest.request import BadRequest, Request
from centinel.masking import masked
from centinel.record import Json

LONGEST_LINE = 1600
"""Characters that are kept of a line that is no JSON object."""


def parsed(line: str) -> Request | BadRequest:
    """Returns the request of a line, or why it is none."""
    try:
        request = Request.parse(line)
    except BadRequest as error:
        return error
    return replace(request, base_url=masked(request.base_url))


def given(line: str) -> Json | str:
    """Returns a line as it may be kept: its JSON object, else its text; passwords are masked."""
    try:
        value = orjson.loads(line.encode("utf-8", "replace"))
    except orjson.JSONDecodeError:
        value = None
    return _masked(value) if isinstance(value, dict) else masked(line[:LONGEST_LINE])


def request_of(line: str, request: Request) -> Json:
    """Returns the request as it was given; for a bare address, the object that it stands for."""
    kept = given(line)
    return kept if isinstance(kept, dict) else request.to_json()


def key_of(line: str, asked: Request | BadRequest) -> str:
    """Returns what tells requests apart: all that they say, but for force."""
    if isinstance(asked, BadRequest):
        return str(given(line))
    said = replace(asked, force_recrawl=False).to_json()
    return orjson.dumps(said, option=orjson.OPT_SORT_KEYS).decode()


def spelt(kept: Json | str) -> str:
    """Returns what was kept of a line as a line."""
    return kept if isinstance(kept, str) else orjson.dumps(kept).decode()


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {key: _masked(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_masked(each) for each in value]
    return value
