"""Hashes besides SHA-256, taken while a body arrives."""

import hashlib
import threading
from pathlib import Path

import pytest

from centinel.answers import Fetched
from centinel.digests import INLINE_BYTES, Digests
from tests.sites.server import Answer, Site
from tests.unit.support import client

NAMES = ("md5", "sha1")


def expected(content: bytes) -> dict[str, str]:
    """The hashes of a content."""
    return {name: hashlib.new(name, content, usedforsecurity=False).hexdigest() for name in NAMES}


@pytest.mark.parametrize("size", [0, 1, INLINE_BYTES, INLINE_BYTES + 1, 3 * INLINE_BYTES])
def test_small_and_large_bodies_are_hashed_and_no_thread_is_left(size: int) -> None:
    content, digests = bytes(range(256)) * (size // 256) + bytes(size % 256), Digests(NAMES)
    for start in range(0, size, 1 << 20):
        digests.update(content[start : start + (1 << 20)])
    assert digests.close() == digests.close() == expected(content)
    assert [each.name for each in threading.enumerate() if each.name == "digests"] == []


def test_without_names_nothing_is_hashed() -> None:
    digests = Digests()
    digests.update(b"x" * (INLINE_BYTES + 1))
    assert digests.close() == {}


def test_a_body_that_was_gone_on_with_has_the_hashes_of_all_of_it(
    tmp_path: Path, site: Site
) -> None:
    content = bytes(range(256)) * (1 << 15)
    asked: list[str] = []

    def answer(request: object) -> Answer:
        part = getattr(request, "headers", {}).get("range")
        asked.append(part or "whole")
        if part is None:
            return Answer(content, "application/octet-stream", cut_after=6 << 20)
        start = int(part.removeprefix("bytes=").rstrip("-"))
        stated = f"bytes {start}-{len(content) - 1}/{len(content)}"
        headers = (("Content-Range", stated),)
        return Answer(content[start:], "application/octet-stream", status=206, headers=headers)

    site.set("/large.bin", answer)
    asking = client(tmp_path, also_hashed=NAMES)
    fetched = asking.get(f"{site.address}/large.bin")
    assert isinstance(fetched, Fetched)
    assert len(asked) == 2
    assert asked[1].startswith("bytes=")
    assert fetched.body.digests == expected(content)
    assert fetched.body.sha256 == hashlib.sha256(content).hexdigest()
