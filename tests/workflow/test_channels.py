"""A podcast's feed as a channel, by the real workflow and the real yt-dlp."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.sites.server import Answer, Site, robots
from tests.workflow.place import NO_PAUSE
from tests.workflow.running import Ran, Workflow
from tests.workflow.test_records import RECORDS, faults_of, values_of

VTT = b"WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nThe meeting is open.\n"
PAGE = '<html><head><title>Page of the film</title></head><video src="/film.mp4">{}</video></html>'
TRACK = '<track kind="captions" srclang="en-US" src="/film.vtt">'


def film(track: str = "") -> Answer:
    """A page with a film."""
    return Answer(PAGE.format(track).encode(), "text/html; charset=utf-8")


@dataclass(frozen=True)
class Kept:
    """A site with two recordings, and a folder in which a run ended."""

    site: Site
    workflow: Workflow

    def run(self) -> Ran:
        """Runs the workflow on a machine without models."""
        nowhere = {"CENTINEL_MODELS": str(self.workflow.folder / "models")}
        return self.workflow.run(environment=nowhere).succeeded()

    def line(self, path: str) -> dict[str, Any]:
        """What reading an artifact gave."""
        return self.workflow.derived("films")[self.site.address + path]

    def text(self, path: str) -> str:
        """The text of an artifact."""
        return (self.workflow.source("films") / self.line(path)["text"]).read_text()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    with Site() as site:
        items = "".join(
            f'<item><title>{title}</title><enclosure url="{site.address}{path}"/></item>'
            for path, title in (("/said", "Council of May"), ("/silent", "Council of June"))
        )
        feed = f'<rss version="2.0"><channel><title>C</title>{items}</channel></rss>'
        film_bytes = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + bytes(900)
        site.set("/robots.txt", Answer(robots(), "text/plain"))
        site.set("/feed.xml", Answer(feed.encode(), "application/rss+xml"))
        site.set("/said", film(TRACK))
        site.set("/silent", film())
        site.set("/film.vtt", Answer(VTT, "text/vtt"))
        site.set("/film.mp4", Answer(film_bytes, "video/mp4"))
        block = {"channel": f"{site.address}/feed.xml", **NO_PAUSE}
        folder = tmp_path_factory.mktemp("channels") / "run"
        made = Kept(site, Workflow.make(folder, {"films": block}))
        made.run()
        yield made


def test_captions_are_read_under_the_title_of_their_recording(kept: Kept) -> None:
    text = kept.text("/said#captions")
    assert text.startswith("# Council of May\n")
    assert "The meeting is open." in text


def test_metadata_is_read_as_what_it_is(kept: Kept) -> None:
    assert kept.line("/said#metadata")["kind"] == "json"
    assert '"webpage_url"' in kept.text("/said#metadata")


def test_what_has_no_captions_is_a_recording_that_waits(kept: Kept) -> None:
    line = kept.line("/silent#audio")
    assert (line["kind"], line["outcome"]) == ("video", "waiting")
    assert len(kept.workflow.derived("films")) == 4


def test_a_second_run_has_nothing_to_do_and_asks_nobody(kept: Kept) -> None:
    kept.site.forget_requests()
    assert kept.run().had_nothing_to_do
    assert kept.site.requests == []


@pytest.mark.parametrize("name", RECORDS)
def test_what_is_written_is_what_its_schema_says(kept: Kept, name: str) -> None:
    for path, value in values_of(kept.workflow.source("films"), name):
        assert faults_of(name, value) == [], path
