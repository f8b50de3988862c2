"""An ingest request: one line of JSON, or a bare address or identifier."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import quote, unquote

import orjson

from centinel import addresses
from centinel.masking import masked
from centinel.record import Json

INGEST_TYPES = frozenset({"dataset"})
"""What can be ingested. Catalogues also ask for `pdf`, `html` and others: those are not done."""

DOI = re.compile(r"(?:doi:\s*|info:doi/)?(10\.\d{4,9}(?:\.\d+)*/\S+)", re.I)
HANDLE = re.compile(r"(?:hdl:\s*|info:hdl/)(\d[\w.]*/\S+)", re.I)
DOI_HOSTS = frozenset({"doi.org", "dx.doi.org", "www.doi.org"})

_UNESCAPED = "/:;()._-,+~!*'@=&$"
"""What may stand in the path of a resolver's address (RFC 3986, `pchar` and the slash)."""

_TEXTS = (
    "link_source",
    "link_source_id",
    "ingest_request_source",
    "release_stage",
    "rel",
    "oa_status",
)


class BadRequest(Exception):
    """A line that is no request; the message says why, on one line."""


@dataclass(frozen=True)
class Request:
    """What is to be ingested, and who asks. `to_json` gives the fields that were given."""

    ingest_type: str
    base_url: str
    """Where to start, as it was given; `address` is what is asked."""
    link_source: str | None = None
    """Who claims the link: `doi`, `pmc`, `datacite`, …"""
    link_source_id: str | None = None
    ingest_request_source: str | None = None
    release_stage: str | None = None
    rel: str | None = None
    oa_status: str | None = None
    edit_extra: Json = field(default_factory=dict)
    ext_ids: Json = field(default_factory=dict)
    """Identifiers of the work: `doi`, `pmid`, …"""
    fatcat: Json = field(default_factory=dict)
    """`release_ident` and `work_ident` of a catalogue."""
    force_recrawl: bool = False
    extra: Json = field(default_factory=dict)
    """Keys that have no meaning here; they are kept."""

    @property
    def address(self) -> str:
        """The canonical address that is asked; raises BadRequest where there is none."""
        return address_of(self.base_url)

    @property
    def doi(self) -> str | None:
        """The DOI that is asked for, in lower case: of the address, else of `ext_ids`."""
        return doi_of(self.base_url) or doi_of(str(self.ext_ids.get("doi") or ""))

    @classmethod
    def parse(cls, line: str | bytes) -> Self:
        """Returns the request of a line: a JSON object, or an address, a DOI or a handle.

        Raises BadRequest, and nothing else, for every other line.
        """
        text = (line.decode("utf-8", "replace") if isinstance(line, bytes) else line).strip()
        text = text.removeprefix("\ufeff").lstrip()
        if not text:
            raise BadRequest("an empty line")
        if text[0] not in '{["':
            return cls.from_json({"ingest_type": "dataset", "base_url": text})
        try:
            value = orjson.loads(text.encode("utf-8", "replace"))
        except orjson.JSONDecodeError as error:
            raise BadRequest(f"no JSON: {error}") from None
        return cls.from_json(value)

    @classmethod
    def from_json(cls, value: Any) -> Self:
        """Returns the request of a JSON value; raises BadRequest with the key that is wrong."""
        if not isinstance(value, Mapping):
            raise BadRequest("a request is an object, an address or a DOI")
        given = dict(value)
        ingest_type = _text(given, "ingest_type")
        if ingest_type is None:
            raise BadRequest("ingest_type is missing: give 'dataset'")
        if ingest_type not in INGEST_TYPES:
            raise BadRequest(f"the ingest type {ingest_type[:40]!r} is not known: give 'dataset'")
        base_url = _text(given, "base_url")
        if base_url is None:
            raise BadRequest("base_url is missing: give an address or a DOI")
        made = cls(
            ingest_type,
            base_url,
            **{name: _text(given, name) for name in _TEXTS},
            edit_extra=_object(given, "edit_extra"),
            ext_ids=_object(given, "ext_ids"),
            fatcat=_object(given, "fatcat"),
            force_recrawl=_flag(given, "force_recrawl"),
            extra=given,
        )
        address_of(made.base_url)
        return made

    def to_json(self) -> Json:
        """Returns the request with the keys that say something; `from_json` reads it back."""
        line: Json = {"ingest_type": self.ingest_type, "base_url": self.base_url}
        for name in (*_TEXTS, "edit_extra", "ext_ids", "fatcat", "force_recrawl"):
            value = getattr(self, name)
            if value:
                line[name] = value
        return {**line, **self.extra}


def address_of(stated: str) -> str:
    """Returns the address behind an address, a DOI or a handle; raises BadRequest."""
    text = stated.strip()
    identifier = DOI.fullmatch(text)
    if identifier:
        return f"https://doi.org/{quote(identifier[1].lower(), safe=_UNESCAPED)}"
    identifier = HANDLE.fullmatch(text)
    if identifier:
        return f"https://hdl.handle.net/{quote(identifier[1], safe=_UNESCAPED)}"
    address = addresses.canonical(text)
    if address is None:
        raise BadRequest(f"{masked(text[:200])!r} is no http address and no DOI")
    return address


def doi_of(stated: str) -> str | None:
    """Returns the DOI that a text or a resolver's address names, in lower case."""
    text = stated.strip()
    match = DOI.fullmatch(text)
    if match:
        return match[1].lower()
    address = addresses.canonical(text)
    if address is None or addresses.host(address) not in DOI_HOSTS:
        return None
    match = DOI.fullmatch(unquote(address.split("/", 3)[3].partition("?")[0]))
    return match[1].lower() if match else None


def _text(given: Json, name: str) -> str | None:
    """Takes a text out of the given keys; raises BadRequest for another type."""
    value = given.pop(name, None)
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadRequest(f"{name} is no text")
    return value.strip() or None


def _object(given: Json, name: str) -> Json:
    value = given.pop(name, None)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise BadRequest(f"{name} is no object")
    return dict(value)


def _flag(given: Json, name: str) -> bool:
    value = given.pop(name, None)
    if value is not None and not isinstance(value, bool):
        raise BadRequest(f"{name} is neither true nor false")
    return bool(value)
