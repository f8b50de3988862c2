"""A site has a bad day, or the disk fills: what is archived in the end is what it always is."""

import errno
import gzip
import itertools
import random
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from centinel import http
from centinel.journal import read_record
from centinel.record import Json, moment
from centinel.store import Store
from tests.sites.server import Answer, Request, Site
from tests.unit.acquiring import DOCUMENT, page, publish, run
from tests.unit.support import Clock, files_under, lines_of
from tests.workflow.conftest import Archived
from tests.workflow.place import Place, csv, html
from tests.workflow.running import Ran, Workflow, wait_until

RETRY = {
    "error": timedelta(hours=2),
    "blocked": timedelta(hours=2),
    "gone": timedelta(days=1),
}
PAGE = html("Fees", words="What it costs. " * 2000)
NEVER = threading.Event()


def after(seconds: int, status: int) -> Answer:
    """A refusal for the moment; its body is longer than it says."""
    headers = (("Retry-After", str(seconds)), ("Content-Length", "4"))
    return Answer(b"busy" + b"HTTP/1.1 200 OK\r\n\r\n" * 9, "text/plain", status, headers)


def packed(body: bytes) -> Answer:
    """A body that is said to be gzip."""
    return Answer(body, "text/html", headers=(("Content-Encoding", "gzip"),))


def lying(by: int) -> Answer:
    """A page that says that it is longer than it is."""
    longer = (("Content-Length", str(len(PAGE.body) + by)),)
    return Answer(PAGE.body, PAGE.content_type, headers=longer, cut_after=len(PAGE.body))


def cut(answer: Answer) -> Answer:
    """An answer that ends in the middle."""
    return Answer(answer.body, answer.content_type, cut_after=len(answer.body) // 2)


CHUNKED = (("Transfer-Encoding", "chunked"),)
FAULTS = {
    "reset": (Answer(reset=True), "error", "transport: ConnectionError: "),
    "stall": (Answer(wait_for=NEVER), "error", "transport: "),
    "long": (lying(by=1), "error", "transport: "),
    "longer": (lying(by=1 << 20), "error", "transport: "),
    "cut": (cut(PAGE), "error", "transport: "),
    "empty": (Answer(PAGE.body, "text/html", cut_after=0), "error", "transport: "),
    "chunks": (Answer(b"5\r\nhello\r\n", headers=CHUNKED, cut_after=10), "error", "transport: "),
    "unavailable": (after(400, 503), "error", "http 503"),
    "soon": (after(0, 503), "error", "http 503"),
    "many": (after(0, 429), "blocked", "http 429"),
    "gzip": (packed(gzip.compress(PAGE.body)[:-9]), "error", "transport: "),
    "no-gzip": (packed(b"not packed at all"), "error", "transport: "),
    "server": (Answer(b"<title>Oops</title>", "text/html", 500), "error", "http 500"),
    "soft": (html("Page not found"), "gone", "titled "),
}
"""By name of the page: what it answers on a bad day, and what the record says of that."""


@dataclass
class Weather:
    """Whether the site has a bad day; its answers ask."""

    is_bad: bool = False
    robots_are_away: bool = False
    bad: dict[str, Answer] = field(default_factory=dict)

    def serve(self, site: Site, path: str, good: Answer, bad: Answer) -> None:
        """Serves one of two answers at a path."""
        site.set(path, lambda _request: bad if self.is_bad else good)


def town(site: Site, weather: Weather) -> list[str]:
    """A site of a page for each fault and one between each two, with a document each."""
    paths = []
    for name, (bad, _, _) in FAULTS.items():
        fine, faulty = f"/{name}-a", f"/{name}-b"
        site.set(fine, page(f"{fine}.pdf", f"{faulty}.pdf"))
        document = Answer(DOCUMENT.body + name.encode(), "application/pdf")
        site.set(f"{fine}.pdf", document)
        weather.serve(site, f"{faulty}.pdf", document, cut(document))
        weather.serve(site, faulty, html(f"Page of {name}"), bad)
        paths += [fine, faulty]

    def robots(_request: Request) -> Answer:
        return Answer(reset=True) if weather.robots_are_away else Answer(status=404)

    site.set("/robots.txt", robots)
    return paths


def blobs_of(store: Store) -> dict[str, str]:
    """The blob of each artifact."""
    return {line["artifact"]: line["blob"] for line in lines_of(store.artifacts)}


def observed_in(store: Store, site: Site) -> list[str]:
    """The artifacts of the observation lines, without the site's own part; torn ones are passed."""
    named = (each["artifact"] for each in read_record(store) if each["type"] == "observation")
    return [name.removeprefix(site.address) for name in named]


def assert_sound(store: Store) -> None:
    """Every blob holds what its name says, and every observation has its blob."""
    blobs = files_under(store.blobs)
    hashes = {Path(name).name: sha256(content).hexdigest() for name, content in blobs.items()}
    assert all(name.partition(".")[0] == found for name, found in hashes.items())
    whole = [line for line in read_record(store) if line["type"] == "observation"]
    assert {line["blob"] for line in whole} <= hashes.keys()


@dataclass
class Days:
    """Acquire jobs one after the other, each when something is due; looks after each of them."""

    store: Store
    site: Site
    clock: Clock = field(default_factory=Clock)
    asked: list[list[str]] = field(default_factory=list)
    state: Json = field(default_factory=dict)

    def observed(self) -> list[str]:
        """The artifacts of the observation lines, without the site's own part."""
        return observed_in(self.store, self.site)

    def next(self) -> None:
        """Runs one job; what stood in the record stands, and was not asked for again."""
        before = self.observed()
        self.site.forget_requests()
        turn = self.state.get("turn", 0)
        _, self.state = run(self.store, self.site, self.clock, turn, retry=RETRY)
        self.asked.append([path for path in self.site.paths() if path != "/robots.txt"])
        assert not set(before) & set(self.asked[-1])
        assert self.observed()[: len(before)] == before
        assert list(self.store.incoming.iterdir()) == []
        assert_sound(self.store)
        self.clock.move(timedelta(hours=25))


def undisturbed(folder: Path, site: Site, paths: list[str]) -> dict[str, str]:
    """What one good day gives."""
    store = Store(folder / "undisturbed", "town")
    publish(store, site, *paths)
    run(store, site)
    return blobs_of(store)


def test_a_bad_day_of_a_site_costs_nothing_but_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "STALL_SECONDS", 0.2)
    weather = Weather()
    with Site() as site:
        paths = town(site, weather)
        wanted = undisturbed(tmp_path, site, paths)
        store = Store(tmp_path / "results", "town")
        publish(store, site, *paths)
        days = Days(store, site)

        weather.is_bad = weather.robots_are_away = True
        days.next()
        assert days.asked == [[]], "without its rules nothing of a site is asked"
        assert days.state["put_off"] == len(paths) - 5

        weather.robots_are_away = False
        days.next()
        refused = {
            line["artifact"].removeprefix(site.address): (line["liveness"], line["reason"])
            for line in read_record(store)
            if line["type"] == "status"
        }
        for name, (_, liveness, reason) in FAULTS.items():
            said = refused[f"/{name}-b"]
            assert (said[0], said[1][: len(reason)]) == (liveness, reason), name
            assert refused[f"/{name}-b.pdf"][0] == "error"
        fine = {f"/{name}-a" for name in FAULTS}
        assert set(days.observed()) == fine | {f"{path}.pdf" for path in fine}

        weather.is_bad = False
        for _ in range(3):
            days.next()
        assert blobs_of(store) == wanted
        assert len(days.observed()) == len(wanted) == 4 * len(FAULTS), "each once"
        assert days.asked[-1] == []


# The site, through the real workflow


def test_plain_runs_after_a_bad_day_end_where_a_good_one_does(
    archived: Archived, tmp_path: Path
) -> None:
    place, weather = archived.place, Weather(is_bad=True)
    bad = {
        "/council": cut(html("Page council")),
        "/parks": after(400, 503),
        "/documents/budget.pdf": after(400, 429),
        "/documents/fees.csv": Answer(b"oops", "text/plain", 500),
    }
    for path, answer in bad.items():
        weather.serve(place, path, place.answer_at(path), answer)
    once = iter([Answer(reset=True), packed(gzip.compress(PAGE.body)[:-9])])
    roads = place.answer_at("/roads")
    place.set("/roads", lambda _request: next(once, roads))
    place.set("/documents/gone", Answer(status=404))
    retry = {"error": "1s", "blocked": "1s"}
    workflow = Workflow.make(tmp_path / "bad", {"town": place.block(retry=retry)})

    workflow.run().succeeded()

    assert set(workflow.blobs("town")) == {place.at("/roads"), place.at("/documents/minutes.pdf")}
    states = {name.removeprefix(place.address): s for name, s in workflow.states("town").items()}
    assert {path: states[path]["liveness"] for path in bad} == {
        "/council": "error",
        "/parks": "error",
        "/documents/budget.pdf": "blocked",
        "/documents/fees.csv": "error",
    }
    assert place.asked("/roads") == 3
    first = workflow.record("town")
    weather.is_bad = False
    place.forget_requests()

    wait_until(lambda: due(workflow), "something is due")
    workflow.run().succeeded()

    assert sorted(place.fetched()) == sorted(bad), "what failed, once, and nothing else"
    assert place.asked("/sitemap.xml") == 0
    assert workflow.record("town")[: len(first)] == first
    assert workflow.blobs("town") == archived.workflow.blobs("town")
    assert workflow.texts("town") == archived.workflow.texts("town")
    assert workflow.leftovers("town") == []
    assert_sound(Store(workflow.results, "town"))
    assert workflow.run().succeeded().had_nothing_to_do


def due(workflow: Workflow) -> bool:
    """Whether every retry of the last job has become due."""
    checked = max(line["at"] for line in workflow.record("town"))
    return datetime.now(UTC) - moment(checked) > timedelta(seconds=1.1)


# The disk


@dataclass
class Disk:
    """Takes so many writes; the one after is half done, and so are the others while it is full."""

    left: int
    stays_full: bool
    is_full: bool = False

    def takes(self) -> bool:
        """Counts a write; returns whether there is space for it."""
        self.left -= 1
        self.is_full = self.left < 0 if self.stays_full else self.left == -1
        return not self.is_full

    def check(self) -> None:
        """Counts a write that is done whole or not at all."""
        if not self.takes():
            raise full()


def full() -> OSError:
    """What the kernel says."""
    return OSError(errno.ENOSPC, "No space left on device")


class Stream:
    """A file on a disk that fills."""

    def __init__(self, stream: Any, disk: Disk) -> None:
        self.stream, self.disk = stream, disk

    def write(self, data: bytes) -> int:
        """Writes what there is space for."""
        if self.disk.takes():
            return int(self.stream.write(data))
        self.stream.write(data[: len(data) // 2])
        raise full()

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def on(disk: Disk) -> Iterator[None]:
    """Whatever this process writes, renames or makes a folder of is on that disk."""
    opened = Path.open

    def open_(self: Path, mode: str = "r", *rest: Any, **named: Any) -> Any:
        stream = opened(self, mode, *rest, **named)
        return Stream(stream, disk) if set(mode) & set("wax+") else stream

    def counted(real: Any) -> Any:
        def call(self: Path, *rest: Any, **named: Any) -> Any:
            disk.check()
            return real(self, *rest, **named)

        return call

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "open", open_)
        for name in ("rename", "replace", "mkdir"):
            patch.setattr(Path, name, counted(getattr(Path, name)))
        yield


@pytest.mark.parametrize("stays_full", [False, True], ids=["once", "until space is made"])
def test_a_disk_that_is_full_at_any_write_loses_and_tears_nothing(
    tmp_path: Path, stays_full: bool
) -> None:
    with Site() as site:
        paths = ["/a", "/b", "/c"]
        for path in paths:
            site.set(path, page(f"{path}.pdf"))
            site.set(f"{path}.pdf", Answer(DOCUMENT.body + path.encode(), "application/pdf"))
        wanted = undisturbed(tmp_path, site, paths)
        for number in itertools.count():
            store = Store(tmp_path / str(number), "town")
            publish(store, site, *paths)
            disk = Disk(number, stays_full)
            with on(disk), suppress(OSError):
                run(store, site)
                break
            assert_sound(store)
            before = observed_in(store, site)
            assert {line["type"] for line in read_record(store)} <= {"observation"}
            site.forget_requests()
            run(store, site)
            assert blobs_of(store) == wanted, f"after the write {number}"
            assert not set(before) & set(site.paths())
            assert list(store.incoming.iterdir()) == []
            assert_sound(store)
    assert number > 20
    assert disk.left >= 0, "every write was the one that failed, once"
