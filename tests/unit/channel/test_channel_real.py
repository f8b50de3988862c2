"""The real yt-dlp on a site of this machine: a podcast's feed, pages with a video, what is refused.

One run, since the program takes a second to start; each test looks at a part of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest

from centinel.configuration import Source
from centinel.record import Json
from centinel.snapshot import take
from centinel.sources.channel.channel import Channel
from centinel.store import Store
from tests.sites.server import Answer, Request, Site, robots
from tests.unit.channel.recordings import channel
from tests.unit.querying import bytes_of, observations_of
from tests.unit.support import Clock, acquire, assert_valid, client, record_of, statuses_of

SOUND = b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0" + bytes(2000)
FILM = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + bytes(2000)
VTT = b"WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nThe meeting is open.\n"
PUBLISHED = "Tue, 03 Feb 2026 09:00:00 GMT"
HTML = "text/html; charset=utf-8"


def item(address: str, title: str) -> str:
    """An episode of a podcast."""
    told = f"<description>{title}, in words</description><pubDate>{PUBLISHED}</pubDate>"
    return f'<item><title>{title}</title>{told}<enclosure url="{address}"/></item>'


def film(title: str, *tracks: str, videos: int = 1) -> Answer:
    """A page with a video, and captions in these languages."""
    told = "".join(f'<track kind="captions" srclang="{each}" src="/{each}.vtt">' for each in tracks)
    shown = "".join(f'<video src="/film{each}.mp4">{told}</video>' for each in range(videos))
    return Answer(f"<html><head><title>{title}</title></head>{shown}</html>".encode(), HTML)


def podcast(site: Site) -> Answer:
    """A feed of sound, of pages with a video, and of what cannot be had."""
    paths = ("sound.wav", "page", "silent", "refused", "removed", "secret", "nothing", "limited")
    items = "".join(item(f"{site.address}/{path}", f"About {path}") for path in paths)
    head = '<?xml version="1.0"?><rss version="2.0"><channel><title>Council</title>'
    return Answer(f"{head}{items}</channel></rss>".encode(), "application/rss+xml")


def fill(site: Site) -> None:
    """Serves all of it."""
    site.set(
        "/robots.txt", Answer(robots("User-agent: centinel", "Disallow: /secret"), "text/plain")
    )
    site.set("/feed.xml", podcast(site))
    site.set("/sound.wav", Answer(SOUND, "audio/wav"))
    site.set("/page", film("The meeting of May", "en", "de"))
    site.set("/silent", film("The meeting of June"))
    site.set("/limited", film("The meeting of July", "en-US"))
    site.set("/two", film("Two meetings", videos=2))
    site.set("/film0.mp4", Answer(FILM, "video/mp4"))
    site.set("/film1.mp4", Answer(FILM + b"1", "video/mp4"))
    site.set("/en.vtt", Answer(VTT, "text/vtt"))
    site.set("/en-US.vtt", Answer(b"", "text/plain", status=429))
    site.set("/refused", Answer(b"no", HTML, status=403))
    site.set("/removed", Answer(b"no", HTML, status=410))
    site.set("/nothing", Answer(b"<html><title>Prose</title><p>Only words.</p></html>", HTML))


@dataclass(frozen=True)
class Ran:
    """What one run left."""

    site: Site
    store: Store
    block: Source
    report: Json
    requests: list[Request]

    def artifact(self, path: str) -> str:
        """The address of an artifact."""
        return self.site.address + path


def listed(store: Store, block: Source) -> Json:
    """Takes a snapshot; returns its report."""
    return take(store, block, Channel(), client(store.incoming), Clock()).to_json()


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    """A run over the feed."""
    with Site() as site:
        fill(site)
        store = Store(tmp_path_factory.mktemp("real"), "town")
        block = channel(f"{site.address}/feed.xml")
        report = listed(store, block)
        acquire(store, block, Clock(), kind=Channel(), client=client(store.incoming))
        yield Ran(site, store, block, report, site.requests)


def test_the_episodes_of_a_feed_are_its_recordings(ran: Ran) -> None:
    assert (ran.report["outcome"], ran.report["found"], ran.report["truncated"]) == ("ok", 8, False)
    assert ran.report["figures"]["tabs"] == {"list": 8}
    assert ran.report["figures"]["yt_dlp"]


def test_captions_are_kept_as_they_were_served(ran: Ran) -> None:
    assert bytes_of(ran.store)[ran.artifact("/page#captions")] == VTT
    seen = observations_of(ran.store)[ran.artifact("/page#captions")]
    assert (seen["declared_type"], seen["title"]) == ("text/vtt", "About page")
    assert ran.site.asked("/film0.mp4") == 1  # the sound of the page without captions


def test_without_captions_the_sound_is_kept_as_it_was_served(ran: Ran) -> None:
    kept = bytes_of(ran.store)
    assert kept[ran.artifact("/sound.wav#audio")] == SOUND
    assert kept[ran.artifact("/silent#audio")] == FILM
    types = {
        path: observations_of(ran.store)[ran.artifact(path)]["declared_type"]
        for path in ("/sound.wav#audio", "/silent#audio")
    }
    assert types == {"/sound.wav#audio": "audio/wav", "/silent#audio": "video/mp4"}


def test_what_is_known_of_each_is_json_about_it(ran: Ran) -> None:
    known = orjson.loads(bytes_of(ran.store)[ran.artifact("/page#metadata")])
    assert known["title"].startswith("The meeting of May")
    assert known["subtitles"]["manual"] == {"de": ["vtt"], "en": ["vtt"]}
    assert known["formats"] == 1
    assert "film0" not in str(known)
    assert_valid(record_of(ran.store), "record_line")


@pytest.mark.parametrize(
    ("path", "liveness", "status", "reason"),
    [
        ("/refused", "blocked", 403, "refused: "),
        ("/removed", "gone", 410, "not there: "),
        ("/secret", "blocked", None, "robots"),
        ("/nothing", "error", None, "no recording is there: "),
    ],
)
def test_what_is_not_had_says_why(
    ran: Ran, path: str, liveness: str, status: int | None, reason: str
) -> None:
    told = statuses_of(ran.store)[ran.artifact(path + "#metadata")]
    assert (told["liveness"], told["http_status"]) == (liveness, status)
    assert told["reason"].startswith(reason)


def test_what_the_feed_says_of_a_file_is_known_of_it(ran: Ran) -> None:
    known = orjson.loads(bytes_of(ran.store)[ran.artifact("/sound.wav#metadata")])
    assert known["description"] == "About sound.wav, in words"
    assert (known["title"], known["upload_date"]) == ("About sound.wav", "20260203")
    assert known["webpage_url"] == ran.artifact("/sound.wav")


def test_captions_that_were_limited_are_an_error_and_fetch_no_sound(ran: Ran) -> None:
    told = statuses_of(ran.store)[ran.artifact("/limited#captions")]
    assert (told["liveness"], told["http_status"]) == ("error", 429)
    assert ran.artifact("/limited#audio") not in bytes_of(ran.store)


def test_we_say_who_we_are_and_ask_what_robots_allow(ran: Ran) -> None:
    agents = {each.headers["user-agent"].partition("/")[0] for each in ran.requests}
    assert agents == {"centinel"}
    assert "/secret" not in [each.path for each in ran.requests]


def test_nothing_is_left_of_the_downloads(ran: Ran) -> None:
    assert list(ran.store.incoming.iterdir()) == []


def test_two_recordings_on_one_page_are_two(ran: Ran, tmp_path: Path) -> None:
    # A folder whose name looks like one of yt-dlp's templates.
    store, block = Store(tmp_path / "%(title)s 100%", "town"), channel(ran.artifact("/two"))
    assert listed(store, block)["found"] == 2
    acquire(store, block, Clock(), kind=Channel(), client=client(store.incoming))
    kept = bytes_of(store)
    assert sorted(kept.values(), key=len)[-2:] == [FILM, FILM + b"1"]
    assert len(kept) == 4
    assert [each.name for each in tmp_path.iterdir()] == ["%(title)s 100%"]


def test_a_language_that_is_a_path_leads_nowhere(ran: Ran, tmp_path: Path) -> None:
    track = '<track kind="captions" srclang="en-/../../../x" src="/en.vtt">'
    page = f'<html><video src="/film0.mp4">{track}</video></html>'
    ran.site.set("/hostile", Answer(page.encode(), HTML))
    store, block = Store(tmp_path / "results", "town"), channel(ran.artifact("/hostile"))
    assert listed(store, block)["found"] == 1
    acquire(store, block, Clock(), kind=Channel(), client=client(store.incoming))
    assert bytes_of(store)[ran.artifact("/hostile#captions")] == VTT
    assert [each.name for each in tmp_path.iterdir()] == ["results"]
    assert list(store.incoming.iterdir()) == []


def test_sound_that_grows_over_the_limit_is_given_up(ran: Ran, tmp_path: Path) -> None:
    store, block = Store(tmp_path, "town"), channel(ran.artifact("/silent"), max_bytes=1500)
    assert listed(store, block)["found"] == 1
    asking = client(store.incoming, max_bytes=1500)
    acquire(store, block, Clock(), kind=Channel(), client=asking)
    told = statuses_of(store)[ran.artifact("/silent#audio")]
    assert told["reason"].startswith("too-large: ")
    assert told["limit"] == 1500


def test_a_page_without_recordings_fails_and_says_so(ran: Ran, tmp_path: Path) -> None:
    report = listed(Store(tmp_path, "town"), channel(ran.artifact("/nothing")))
    assert report["outcome"] == "failed"
    assert report["reason"].startswith("no recording is there: Unsupported URL")
