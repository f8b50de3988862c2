"""A site has a bad day, or the disk fills: what is archived in the end is what it always is."""

import gzip
import random
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from centinel import http
from centinel.journal import read_record
from centinel.record import Json, moment
from centinel.store import Store
from tests.sites.server import Answer, Request, Site
from tests.unit.acquiring import DOCUMENT, page, publish, run
from tests.unit.support import Clock
from tests.unit.test_facts_full_disk import assert_sound, blobs_of, observed_in, undisturbed
from tests.workflow.conftest import Archived
from tests.workflow.place import Place, html
from tests.workflow.running import Workflow, wait_until

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


@pytest.mark.slow
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
        weather.serve(place, path, good_at(place, path), answer)
    once = iter([Answer(reset=True), packed(gzip.compress(PAGE.body)[:-9])])
    roads = good_at(place, "/roads")
    place.set("/roads", lambda _request: next(once, roads))
    retry = {"error": "1s", "blocked": "1s"}
    workflow = Workflow.make(tmp_path / "bad", {"town": place.block(retry=retry)})
    place.forget_requests()

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


def good_at(site: Site, path: str) -> Answer:
    """What a site answers at a path."""
    return site.answer(Request("GET", path, {}, 0.0))


def due(workflow: Workflow) -> bool:
    """Whether every retry of the last job has become due."""
    checked = max(line["at"] for line in workflow.record("town"))
    return datetime.now(UTC) - moment(checked) > timedelta(seconds=1.1)


# The disk


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[None]:
    """A file system of its own in a folder; skips the test where none may be mounted."""
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
    try:
        subprocess.run(["mount", *options], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no file system may be mounted here: {error}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)


@pytest.mark.slow
def test_results_on_a_disk_that_fills_are_finished_once_there_is_space(
    place: Place, tmp_path: Path
) -> None:
    words = random.Random(7)
    for number in range(12):
        place.add(f"/page-{number}", html(f"Page {number}", words=words.randbytes(20_000).hex()))
    workflow = Workflow.make(tmp_path / "small", {"town": place.block()})
    store = Store(workflow.results, "town")
    with small_disk(workflow.results, kilobytes=300):
        failed = workflow.run().failed()

        (line,) = failed.own_lines
        assert line.startswith("centinel: acquire town: No space left on device")
        assert "Traceback" not in failed.output
        assert_sound(store)
        before = observed_in(store, place)
        place.forget_requests()
        remount = ["mount", "-o", "remount,size=50m", str(workflow.results)]
        subprocess.run(remount, check=True)

        workflow.run().succeeded()

        assert not set(before) & set(place.fetched())
        served = {place.at(path): good_at(place, path).body for path in place.listed}
        assert workflow.blobs("town") == {
            name: sha256(body).hexdigest() for name, body in served.items()
        }
        assert {each["outcome"] for each in workflow.derived("town").values()} == {"text"}
        assert workflow.leftovers("town") == []
        assert_sound(store)
        assert workflow.run().succeeded().had_nothing_to_do
