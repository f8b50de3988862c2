"""Good documents of every format, and what time, transfers and people do to them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from tests.sites.town.documents import documents
from tests.sites.town.meetings import pages
from tests.sites.town.other_files import other_files

SEED = 20260301
LARGEST = 400_000
"""Bytes of a good document: what is wrong with a large one is wrong with a small one too."""


@dataclass(frozen=True)
class Mutant:
    """One damaged document, as a file of this name."""

    name: str
    content: bytes


Mutation = Callable[[bytes, random.Random], bytes]


def flip(bits: int) -> Mutation:
    """Flips so many bits, anywhere."""

    def mutate(content: bytes, dice: random.Random) -> bytes:
        damaged = bytearray(content)
        for _ in range(bits):
            damaged[dice.randrange(len(damaged))] ^= 1 << dice.randrange(8)
        return bytes(damaged)

    return mutate


def cut(share: float) -> Mutation:
    """Keeps this share of the bytes, about: a transfer that broke."""

    def mutate(content: bytes, dice: random.Random) -> bytes:
        return content[: max(1, int(len(content) * share) - dice.randrange(16))]

    return mutate


def zero(content: bytes, dice: random.Random) -> bytes:
    """Zeroes one byte in twenty, in one piece: a sector that was lost."""
    length = max(1, len(content) // 20)
    start = dice.randrange(len(content))
    return (content[:start] + bytes(length) + content[start + length :])[: len(content)]


def behead(content: bytes, dice: random.Random) -> bytes:
    """Loses the first bytes."""
    return content[1 + dice.randrange(64) :] or b"\0"


def repeat(content: bytes, dice: random.Random) -> bytes:
    """Repeats a piece many times over: a stream that does not end."""
    start = dice.randrange(len(content))
    piece = content[start : start + 1 + dice.randrange(200)]
    return content[:start] + piece * 2000 + content[start:]


def swap(content: bytes, dice: random.Random) -> bytes:
    """Puts two pieces in each other's place."""
    first, second = sorted(dice.randrange(len(content)) for _ in range(2))
    length = max(1, (second - first) // 2)
    return (
        content[:first]
        + content[second : second + length]
        + content[first + length : second]
        + content[first : first + length]
        + content[second + length :]
    )


def as_text(content: bytes, dice: random.Random) -> bytes:
    """Was sent as text once: every line end became two bytes, high bytes became marks."""
    del dice
    return content.replace(b"\n", b"\r\n").decode("latin-1").encode("ascii", "replace")


MUTATIONS: dict[str, Mutation] = {
    "flip3": flip(3),
    "flip30": flip(30),
    "cut10": cut(0.1),
    "cut50": cut(0.5),
    "cut90": cut(0.9),
    "zero": zero,
    "behead": behead,
    "repeat": repeat,
    "swap": swap,
    "as-text": as_text,
}
"""By name; the name stands in the file's, so that a failure can be made again."""

RENAMED = "renamed"
"""The mutation that leaves the bytes and takes another document's extension."""


@lru_cache
def good() -> tuple[tuple[str, bytes], ...]:
    """Returns the name and the bytes of a document of every format, sorted."""
    found = {f"{path}.html": content for path, content in pages().items()}
    found |= {path: content for path, content in documents().items() if "?" not in path}
    found |= {path: content for path, content in other_files().items() if "." in path}
    by_extension: dict[str, list[tuple[str, bytes]]] = {}
    for path, content in sorted(found.items()):
        name = path.rpartition("/")[2]
        if 0 < len(content) <= LARGEST:
            by_extension.setdefault(name.rpartition(".")[2], []).append((name, content))
    # Three of each format are enough, or the pages would be most of them.
    return tuple(each for _, some in sorted(by_extension.items()) for each in some[:3])


def mutants(count: int) -> Iterator[Mutant]:
    """Yields so many damaged documents: every format with every mutation, over and over."""
    seeds = good()
    names = [*MUTATIONS, RENAMED]
    for number in range(count):
        dice = random.Random(f"{SEED} {number}")
        name, content = seeds[number % len(seeds)]
        mutation = names[number // len(seeds) % len(names)]
        stem, _, extension = name.rpartition(".")
        if mutation == RENAMED:
            extension = dice.choice(seeds)[0].rpartition(".")[2]
        else:
            content = MUTATIONS[mutation](content, dice)
        yield Mutant(f"{number:05d}-{mutation}-{stem}.{extension}", content)
