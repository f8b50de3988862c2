"""The blocks to paste: YAML that the schema of the sources file accepts, under ids of their own."""

import ipaddress
import re
from collections.abc import Collection, Iterable
from typing import Any
from urllib.parse import urlsplit

import yaml

from centinel.investigation.recognition import Offer
from centinel.record import Json
from centinel.schemas import ConfigurationError, check

LONGEST = 64
_UNFIT = re.compile(r"[^a-z0-9_-]+")


def suggested_id(address: str) -> str:
    """Returns an id for what is at an address: the first label of its host that is not www."""
    host = urlsplit(address).hostname or ""
    name = _fit(host if _is_number(host) else _label(host)) or "source"
    return name if name != "logs" else "logs-source"


def named(offers: Iterable[Offer], address: str, taken: Collection[str]) -> dict[str, Offer]:
    """Returns the offers under ids that are free, each block once: the first has the plain one.

    One that the schema of the sources file does not accept is left out.
    """
    name, found = suggested_id(address), dict[str, Offer]()
    for offer in offers:
        if any(offer.block == each.block for each in found.values()):
            continue
        wanted = name if not found else _fit(f"{name}-{offer.suffix}")
        chosen = _free(wanted, {*found, *taken})
        if is_accepted(chosen, offer.block):
            found[chosen] = offer
    return found


def is_accepted(identifier: str, block: Json) -> bool:
    """Returns whether the schema of the sources file accepts a block."""
    try:
        check({identifier: block}, "sources", "config/sources.yaml")
    except ConfigurationError:
        return False
    return True


def as_yaml(blocks: dict[str, Offer]) -> str:
    """Returns the text to paste, each block below one line that says what it gives."""
    return "\n".join(
        f"# {' '.join(offer.promise.split())}\n{_written({identifier: offer.block})}"
        for identifier, offer in blocks.items()
    )


def _written(value: Any) -> str:
    text: str = yaml.dump(value, sort_keys=False, allow_unicode=True, width=10_000)
    return text


def _label(host: str) -> str:
    labels = [each for each in host.split(".") if each]
    return next((each for each in labels if each != "www"), "")


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _fit(text: str) -> str:
    return _UNFIT.sub("-", text.lower()).strip("-_")[:LONGEST]


def _free(wanted: str, taken: Collection[str]) -> str:
    number, chosen = 2, wanted
    while chosen in taken:
        ending = f"-{number}"
        chosen, number = wanted[: LONGEST - len(ending)] + ending, number + 1
    return chosen
