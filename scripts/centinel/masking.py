"""Addresses as they may be shown. Apart from `addresses`, since what shows one seldom reads it."""

import re

_PASSWORD = re.compile(r"(://[^/?#@:\[\s]*):(?!\d{1,5}(?:[/?#\s'\"]|$))(?:[^/?#\s]*|.*)@")
"""A password, also one that is no valid part of an address; a port is none."""


def masked(address: str) -> str:
    """Returns the address as it may be written anywhere: a password in it is replaced."""
    return _PASSWORD.sub(r"\1:***@", address)
