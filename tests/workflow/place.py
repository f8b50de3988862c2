"""A small site that the tests can change between two runs, and that can make a request wait."""

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Self

from reportlab.pdfgen.canvas import Canvas

from tests.sites.server import Answer, Answerer, Request, Site, page, robots, sitemap

LONGEST_HOLD = 60.0
NO_PAUSE = {"rps": 100_000}
ENUMERATION = frozenset({"/robots.txt", "/sitemap.xml"})


@dataclass
class Hold:
    """An answer that waits: `reached` once it was asked for, given once it is `released`."""

    answer: Answer
    reached: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)

    def __call__(self, _request: Request) -> Answer:
        self.reached.set()
        self.released.wait(LONGEST_HOLD)
        return self.answer

    def wait(self) -> None:
        """Waits until the address was asked for; fails where it never is."""
        assert self.reached.wait(LONGEST_HOLD), "the address was not asked for"


@dataclass(frozen=True)
class Slow:
    """An answer that takes its time."""

    answer: Answer
    seconds: float

    def __call__(self, _request: Request) -> Answer:
        time.sleep(self.seconds)
        return self.answer


class Place(Site):
    """A site whose robots.txt names one sitemap, which lists what was added."""

    def __init__(self) -> None:
        super().__init__()
        self.listed: list[str] = []
        self.modified: dict[str, str] = {}
        self._holds: list[Hold] = []

    def __enter__(self) -> Self:
        super().__enter__()
        self.clear()
        return self

    def stop(self) -> None:
        """Lets every waiting answer go, and closes the port."""
        for hold in self._holds:
            hold.released.set()
        super().stop()

    def clear(self) -> None:
        """Back to a site that lists nothing and was never asked."""
        for hold in self._holds:
            hold.released.set()
        self._holds.clear()
        with self._guard:
            self._answers.clear()
        self.listed.clear()
        self.modified.clear()
        self.set("/robots.txt", self._robots)
        self.set("/sitemap.xml", self._sitemap)
        self.forget_requests()

    def block(self, **settings: Any) -> dict[str, Any]:
        """Returns the block of a sources file for this site, without a pause between requests."""
        return {"site": f"{self.address}/", **NO_PAUSE, **settings}

    def at(self, path: str) -> str:
        """Returns the address of a path."""
        return f"{self.address}{path}"

    def add(self, path: str, answer: Answer | Answerer) -> None:
        """Serves an answer at a path, and lists it."""
        self.set(path, answer)
        if path not in self.listed:
            self.listed.append(path)

    def add_pages(self, paths: Iterable[str]) -> None:
        """Adds a page at each of the paths, that no other is like."""
        for path in paths:
            self.add(path, html(f"Page {path.strip('/')}"))

    def hold(self, path: str, answer: Answer) -> Hold:
        """Serves an answer at a path that waits until it is released."""
        held = Hold(answer)
        self._holds.append(held)
        self.set(path, held)
        return held

    def slow_down(self, path: str, seconds: float) -> None:
        """Makes the answer at a path, which is no function, take so many seconds."""
        answer = self._answers[path]
        assert isinstance(answer, Answer)
        self.set(path, Slow(answer, seconds))

    def fetched(self) -> list[str]:
        """Returns the paths that were asked for, without those that enumeration asks."""
        return [path for path in self.paths() if path not in ENUMERATION]

    def paths_of(self, blobs: dict[str, str]) -> dict[str, str]:
        """Returns blobs by path instead of by address, to compare sites on different ports."""
        return {name.removeprefix(self.address): blob for name, blob in blobs.items()}

    def _robots(self, _request: Request) -> Answer:
        lines = robots(
            "User-agent: *", "Disallow: /private/", f"Sitemap: {self.at('/sitemap.xml')}"
        )
        return Answer(lines, "text/plain")

    def _sitemap(self, _request: Request) -> Answer:
        dates = {self.at(path): day for path, day in self.modified.items()}
        return Answer(sitemap([self.at(path) for path in self.listed], dates), "application/xml")


def html(title: str, links: Iterable[str] = (), words: str = "") -> Answer:
    """Returns a page with a title, a sentence of it, and links."""
    anchors = "".join(f'<p><a href="{link}">{link}</a></p>' for link in links)
    body = f"<h1>{title}</h1><p>What {title} says stands here. {words}</p>{anchors}"
    return Answer(page(title, body), "text/html; charset=utf-8")


def pdf(*sentences: str) -> Answer:
    """Returns a PDF file of one page; the same sentences give the same bytes."""
    buffer = BytesIO()
    canvas = Canvas(buffer, invariant=1)
    for number, sentence in enumerate(sentences):
        canvas.drawString(72, 720 - 20 * number, sentence)
    canvas.save()
    return Answer(buffer.getvalue(), "application/pdf")


def csv(*rows: str) -> Answer:
    """Returns a table of comma-separated rows."""
    return Answer("".join(f"{row}\r\n" for row in rows).encode(), "text/csv; charset=utf-8")


def refusal(status: int) -> Answer:
    """Returns an answer of a status that is no success."""
    return Answer(b"no", "text/plain", status=status)


PAGES = ("/council", "/parks", "/roads")
DOCUMENTS = ("/documents/budget.pdf", "/documents/minutes.pdf", "/documents/fees.csv")


def publish(place: Place) -> None:
    """Three pages, two PDF files and a table: what most tests archive."""
    place.add_pages(PAGES)
    place.add("/documents/budget.pdf", pdf("The budget of the year", "Roads cost 120000 dollars"))
    place.add("/documents/minutes.pdf", pdf("Minutes of the council", "The motion was carried"))
    place.add("/documents/fees.csv", csv("permit,fee", "building,120", "dog,25"))
