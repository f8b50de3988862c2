"""A synthetic site of any size, in a process of its own: it takes no time of what is measured.

`python -m tests.bench.corpus --documents 1900` says its address and serves until its standard
input ends; each line there adds a page to the site, and is answered with that page's address.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from tests.bench import documents
from tests.sites.server import NOT_FOUND, Answer, Request, Site, robots, sitemap, sitemap_index

PROJECT = Path(__file__).resolve().parents[2]

SITEMAP_MOST = 10_000
"""Addresses a sitemap."""

KEPT = 4_000
"""Bodies that are made beforehand and kept (60 MB); those of a larger site are made when asked."""

PUBLISHED = datetime(2020, 1, 6, 9, 0, tzinfo=UTC)
"""Long before any run, so that no `lastmod` makes an address due again."""


class Corpus(Site):
    """So many documents, and the pages that were added to them; keeps no log of what was asked."""

    def __init__(self, count: int, port: int = 0) -> None:
        super().__init__(port)
        self.count = count
        self.added: list[int] = []

    def warm(self) -> None:
        """Makes the bodies that are kept, so that the first of several runs pays no more."""
        for number in range(min(self.count, KEPT)):
            _served(number)

    def add_page(self) -> str:
        """Publishes one more page, and returns its address."""
        number = max([self.count - 1, *self.added]) + 1
        while documents.format_of(number).name != "html":
            number += 1
        self.added.append(number)
        return self.address + documents.path_of(number)

    def answer(self, request: Request) -> Answer:
        """Makes the answer from the path alone."""
        if request.path == "/robots.txt":
            body = robots("User-agent: *", "Allow: /", f"Sitemap: {self.address}/sitemap.xml")
            return Answer(body, "text/plain; charset=utf-8", modified=PUBLISHED)
        if request.path == "/sitemap.xml":
            return Answer(self._index(), "application/xml", modified=PUBLISHED)
        if request.path.startswith("/sitemaps/"):
            return Answer(self._sitemap(_number_in(request.path)), "application/xml")
        number = _number_in(request.path)
        if not self._publishes(number) or request.path != documents.path_of(number):
            return NOT_FOUND
        return _served(number)

    def _publishes(self, number: int) -> bool:
        return 0 <= number < self.count or number in self.added

    def _index(self) -> bytes:
        files = -(-(self.count + len(self.added)) // SITEMAP_MOST)
        return sitemap_index(f"{self.address}/sitemaps/{number}.xml" for number in range(files))

    def _sitemap(self, file: int) -> bytes:
        numbers = [*range(self.count), *self.added]
        here = numbers[file * SITEMAP_MOST : (file + 1) * SITEMAP_MOST]
        addresses = [self.address + documents.path_of(number) for number in here]
        return sitemap(addresses, dict.fromkeys(addresses, f"{PUBLISHED:%Y-%m-%d}"))


def _number_in(path: str) -> int:
    """The number that the last part of a path is; -1 where it is none."""
    name = path.rpartition("/")[2].partition(".")[0]
    return int(name) if name.isdecimal() else -1


@lru_cache(KEPT)
def _served(number: int) -> Answer:
    form = documents.format_of(number)
    return Answer(form.make(number), form.content_type, modified=PUBLISHED)


@dataclass(frozen=True)
class Served:
    """A site that another process serves."""

    process: subprocess.Popen[str]
    address: str

    def add_page(self) -> str:
        """Has one more page published; returns its address."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return _answer(self.process)


@contextmanager
def served(count: int) -> Iterator[Served]:
    """Serves a site of so many documents while the block runs, at a port that was free."""
    process = subprocess.Popen(
        [sys.executable, "-m", __name__, "--documents", str(count)],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        try:
            yield Served(process, _answer(process))
        finally:
            process.terminate()


def _answer(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if not line:
        raise RuntimeError("the site's process ended without an answer")
    return line


def main() -> int:
    """Serves until standard input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1900)
    parser.add_argument("--port", type=int, default=0)
    arguments = parser.parse_args()
    corpus = Corpus(arguments.documents, arguments.port)
    corpus.warm()
    with corpus:
        print(corpus.address, flush=True)
        for _ in sys.stdin:
            print(corpus.add_page(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
