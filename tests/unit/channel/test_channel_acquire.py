"""What is kept of a recording: metadata, captions, else sound; what is refused says why."""

import threading
from pathlib import Path

import orjson
import pytest

from centinel.record import Json
from centinel.sources.channel import program
from centinel.sources.channel.channel import Channel
from centinel.store import Store
from tests.unit.channel.recordings import (
    JSON3,
    Admitting,
    Vendor,
    acquired,
    channel,
    enumerated,
    playlist,
    sound_of,
    track_of,
    video,
    watch,
)
from tests.unit.querying import bytes_of, observations_of
from tests.unit.support import DAY, Clock, acquire, assert_valid, lines_of, record_of, statuses_of
from tests.workflow.running import wait_until

LIST = "https://www.youtube.com/playlist?list=PL1"


def published(vendor: Vendor, store: Store, *numbers: int) -> None:
    """Takes a snapshot of a list of these videos, whose titles it does not tell."""
    entries = ({"_type": "url", "ie_key": "Youtube", "id": video(each)["id"]} for each in numbers)
    vendor.says(LIST, json=playlist(*entries))
    assert enumerated(store, channel(LIST))["found"] == len(numbers)
    vendor.forget()


def states(store: Store) -> dict[str, Json]:
    """The lines of `resources.jsonl`, by address."""
    lines = lines_of(store.resources)
    assert_valid(lines, "resource_state")
    return {line["address"]: line for line in lines}


def test_metadata_and_captions_are_artifacts_of_their_own(vendor: Vendor, store: Store) -> None:
    published(vendor, store, 1)
    vendor.says(watch(1), json=video(1))
    vendor.says(track_of(1), body=JSON3)
    _, state = acquired(store, channel(LIST))
    kept = bytes_of(store)
    assert kept[watch(1) + "#captions"] == JSON3.encode()
    assert sorted(kept) == [watch(1) + "#captions", watch(1) + "#metadata"]
    seen = observations_of(store)
    assert_valid(record_of(store), "record_line")
    assert seen[watch(1) + "#metadata"]["parts"] == [watch(1) + "#captions"]
    assert seen[watch(1) + "#metadata"]["notes"] == ["captions: en-orig, automatic, json3"]
    assert {each["title"] for each in seen.values()} == {"Council meeting 1"}
    assert {each["resource"] for each in seen.values()} == {watch(1)}
    assert state["remaining"] == 0
    assert list(store.incoming.iterdir()) == []
    assert len(vendor.calls) == 2


def test_the_metadata_is_knowledge_and_the_same_bytes_each_time(
    vendor: Vendor, store: Store
) -> None:
    published(vendor, store, 1)
    vendor.says(track_of(1), body=JSON3)
    clock = Clock()
    for views in (12, 99):
        vendor.says(watch(1), json=video(1, view_count=views, epoch=views))
        loop, _ = acquired(store, channel(LIST), clock)
        clock.move(31 * DAY)
    kept = orjson.loads(bytes_of(store)[watch(1) + "#metadata"])
    assert kept["chapters"] == [{"title": "Roll call", "start": 0, "end": 60}]
    assert kept["subtitles"] == {"manual": {}, "automatic": {"en-orig": ["json3", "ttml", "vtt"]}}
    assert (kept["formats"], kept["duration"], kept["tags"]) == (2, 3600, ["council"])
    assert "itag" not in str(kept)
    assert loop.counts["changed"] == 0


def test_without_captions_the_sound_is_kept_and_the_metadata_says_why(
    vendor: Vendor, store: Store
) -> None:
    published(vendor, store, 1)
    vendor.says(watch(1), json=video(1, automatic_captions={}))
    vendor.says(sound_of(1), body="sound")
    acquired(store, channel(LIST))
    seen = observations_of(store)
    assert seen[watch(1) + "#metadata"]["notes"] == ["no captions in en: the sound is kept"]
    assert seen[watch(1) + "#audio"]["declared_type"] == "audio/mp4"
    assert bytes_of(store)[watch(1) + "#audio"] == b"sound"


def test_sound_that_did_not_change_is_not_fetched_again(vendor: Vendor, store: Store) -> None:
    published(vendor, store, 1)
    vendor.says(watch(1), json=video(1, automatic_captions={}))
    vendor.says(sound_of(1), body="sound")
    clock = Clock()
    acquired(store, channel(LIST), clock)
    clock.move(31 * DAY)
    vendor.forget()
    acquired(store, channel(LIST), clock)
    assert [call[-2] for call in vendor.calls] == [watch(1)]
    assert statuses_of(store)[watch(1) + "#audio"]["reason"] == "not-modified"


def test_captions_that_failed_for_a_passing_reason_are_owed_and_fetch_no_sound(
    vendor: Vendor, store: Store
) -> None:
    published(vendor, store, 1)
    vendor.says(watch(1), json=video(1))
    vendor.says(
        track_of(1),
        error="Unable to download video subtitles for 'en-orig': HTTP Error 429: Too Many Requests",
    )
    clock = Clock()
    acquired(store, channel(LIST), clock)
    assert list(bytes_of(store)) == [watch(1) + "#metadata"]
    assert states(store)[watch(1)]["owed"] == [watch(1) + "#captions"]
    assert states(store)[watch(1)]["liveness"] == "live"
    refused = statuses_of(store)[watch(1) + "#captions"]
    assert (refused["liveness"], refused["http_status"]) == ("error", 429)
    vendor.says(track_of(1), body=JSON3)
    vendor.forget()
    clock.move(DAY)
    acquired(store, channel(LIST), clock)
    assert watch(1) + "#captions" in bytes_of(store)
    assert states(store)[watch(1)]["owed"] == []
    assert len(vendor.calls) == 2


def test_a_recording_without_captions_does_not_fetch_the_catalogue_again(
    vendor: Vendor, store: Store
) -> None:
    published(vendor, store, 1)
    vendor.says(watch(1), json=video(1, automatic_captions={}))
    vendor.says(sound_of(1), error="HTTP Error 404: Not Found")
    acquired(store, channel(LIST))
    vendor.forget()
    _, state = acquired(store, channel(LIST))
    assert vendor.calls == []
    assert state["remaining"] == 0


def test_a_wall_against_robots_is_no_fault_of_an_address_and_is_not_run_into_for_each(
    vendor: Vendor, store: Store
) -> None:
    published(vendor, store, *range(1, 11))
    for number in range(1, 11):
        vendor.says(
            watch(number),
            error=f"[youtube] {number}: Video unavailable. Sign in to confirm you’re not a bot",
        )
    _, state = acquired(store, channel(LIST))
    told = statuses_of(store)
    assert {each["liveness"] for each in told.values()} == {"blocked"}
    assert {each["pause"] for each in told.values()} == {86400.0}
    assert len(vendor.calls) == 5
    assert state["put_off"] == 5
    assert [each for each in states(store).values() if each["liveness"] == "gone"] == []


def test_each_wall_in_a_row_doubles_the_pause_before_the_next_question(
    vendor: Vendor, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(vendor, store, 1, 2, 3, 4)
    for number in (1, 2, 3, 4):
        vendor.says(watch(number), json=video(number))
        vendor.says(track_of(number), error="HTTP Error 429: Too Many Requests")
    vendor.says(track_of(3), body=JSON3)
    pauses: list[float] = []
    monkeypatch.setattr(Admitting, "wait", lambda _self, seconds: pauses.append(seconds))
    acquired(store, channel(LIST))
    assert pauses == [0.02, 0.04]  # before the second track and the third, which was given


@pytest.mark.parametrize(
    ("live", "reason"),
    [("is_live", "running now"), ("is_upcoming", "upcoming"), ("post_live", "just ended")],
)
def test_a_stream_is_kept_only_once_it_has_ended(
    vendor: Vendor, store: Store, live: str, reason: str
) -> None:
    published(vendor, store, 1)
    vendor.says(watch(1), json=video(1, live_status=live))
    clock = Clock()
    acquired(store, channel(LIST), clock)
    told = statuses_of(store)[watch(1) + "#metadata"]
    assert (told["liveness"], told["consecutive_failures"]) == ("live", 0)
    assert told["reason"].startswith(reason)
    vendor.says(watch(1), json=video(1, live_status="was_live"))
    vendor.says(track_of(1), body=JSON3)
    clock.move(DAY)
    acquired(store, channel(LIST), clock)
    assert len(bytes_of(store)) == 2


def test_sound_over_the_limit_is_too_large_and_leaves_nothing(vendor: Vendor, store: Store) -> None:
    published(vendor, store, 1)
    vendor.says(watch(1), json=video(1, automatic_captions={}))
    vendor.says(sound_of(1), body="sound" * 1000)
    acquired(store, channel(LIST, max_bytes=4000))
    told = statuses_of(store)[watch(1) + "#audio"]
    assert told["reason"].startswith("too-large: 5000 bytes")
    assert (told["size"], told["limit"]) == (5000, 4000)
    assert states(store)[watch(1)]["owed"] == []
    assert list(store.incoming.iterdir()) == []


def test_sound_is_left_out_where_a_person_says_so(vendor: Vendor, store: Store) -> None:
    published(vendor, store, 1)
    vendor.says(watch(1), json=video(1, automatic_captions={}))
    acquired(store, channel(LIST, exclude=("#audio$",)))
    assert list(bytes_of(store)) == [watch(1) + "#metadata"]


def test_without_yt_dlp_nothing_is_said_of_an_address(
    vendor: Vendor, store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    published(vendor, store, 1)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    with pytest.raises(OSError, match="yt-dlp is not installed: pip install"):
        acquired(store, channel(LIST))
    assert statuses_of(store) == {}


@pytest.mark.parametrize(
    "stderr",
    [
        "ERROR: unable to write data: [Errno 28] No space left on device\n",
        "Traceback (most recent call last):\nModuleNotFoundError: No module named 'yt_dlp'\n",
    ],
)
def test_a_fault_of_this_machine_is_no_evidence_about_an_address(
    vendor: Vendor, store: Store, stderr: str
) -> None:
    published(vendor, store, 1)
    vendor.says(watch(1), stdout="null", stderr=stderr, code=1)
    with pytest.raises(OSError, match="yt-dlp: "):
        acquired(store, channel(LIST))
    assert statuses_of(store) == {}


def test_an_answer_that_is_no_json_is_an_error_of_that_address_alone(
    vendor: Vendor, store: Store
) -> None:
    published(vendor, store, 1, 2)
    vendor.says(watch(1), stdout="{torn", code=0)
    vendor.says(watch(2), json=video(2))
    vendor.says(track_of(2), body=JSON3)
    acquired(store, channel(LIST))
    assert statuses_of(store)[watch(1) + "#metadata"]["liveness"] == "error"
    assert watch(2) + "#captions" in bytes_of(store)


NO_FORMAT = "[youtube] 1: Requested format is not available. Use --list-formats"
NO_RUNTIME = "WARNING: [youtube] No supported JavaScript runtime could be found.\n"


def test_captions_are_kept_though_no_format_is_offered(vendor: Vendor, store: Store) -> None:
    published(vendor, store, 1)
    vendor.says(watch(1), error=NO_FORMAT, ignoring=video(1, formats=[]))
    vendor.says(track_of(1), body=JSON3)
    acquired(store, channel(LIST))
    assert sorted(bytes_of(store)) == [watch(1) + "#captions", watch(1) + "#metadata"]


@pytest.mark.parametrize(
    ("stderr", "liveness"), [(NO_RUNTIME, "error"), ("", "blocked")], ids=["here", "there"]
)
def test_sound_that_is_missing_for_want_of_a_runtime_is_this_machines_fault(
    vendor: Vendor, store: Store, stderr: str, liveness: str
) -> None:
    published(vendor, store, 1)
    known = video(1, formats=[], automatic_captions={})
    vendor.says(watch(1), error=NO_FORMAT, ignoring=known, stderr=stderr)
    acquired(store, channel(LIST))
    told = statuses_of(store)[watch(1) + "#audio"]
    assert told["liveness"] == liveness
    assert ("pip install deno" in told["reason"]) == bool(stderr)
    assert states(store)[watch(1)]["owed"] == ([watch(1) + "#audio"] if stderr else [])


def test_what_a_page_names_inside_our_network_is_not_asked(vendor: Vendor, store: Store) -> None:
    inside = {"ext": "mp4", "vcodec": "avc1", "url": "http://127.0.0.1:1/secret.mp4"}
    tracks = {"en": [{"ext": "vtt", "url": "http://127.0.0.1:1/en.vtt"}]}
    published(vendor, store, 1)
    vendor.says(watch(1), json=video(1, formats=[inside], automatic_captions={}, subtitles=tracks))
    asking = Admitting(store.incoming, rps=1000.0, private_is_allowed=False)
    asking.admits = lambda _address: None  # type: ignore[method-assign]
    acquire(store, channel(LIST), Clock(), kind=Channel(), client=asking)
    told = statuses_of(store)[watch(1) + "#audio"]
    assert (told["liveness"], told["reason"][:9]) == ("blocked", "address: ")
    assert len(vendor.calls) == 1


def test_a_file_whose_list_cannot_be_had_says_so(vendor: Vendor, store: Store) -> None:
    feed, sound = "https://town.example/feed.xml", "https://town.example/one.mp3"
    vendor.says(feed, json=playlist({"_type": "url_transparent", "url": sound, "title": "One"}))
    assert enumerated(store, channel(feed))["found"] == 1
    vendor.says(feed, error="HTTP Error 503: Service Unavailable")
    formats = [{"ext": "mp3", "vcodec": "none", "url": sound}]
    vendor.says(sound, json={"id": "one", "title": "one", "direct": True, "formats": formats})
    vendor.answers[sound]["body"] = "sound"
    vendor.says("https://town.example/", body="")
    acquired(store, channel(feed))
    seen = observations_of(store)
    assert seen[f"{sound}#metadata"]["notes"] == [
        "no captions in en: the sound is kept",
        "what its list says of it is not known: yt-dlp: HTTP Error 503: Service Unavailable",
    ]
    assert {each["title"] for each in seen.values()} == {"One"}
    assert seen[f"{sound}#audio"]["declared_type"] == "audio/mpeg"


def test_one_that_says_nothing_for_too_long_is_ended_and_gone_on_behind(
    vendor: Vendor, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "STALL_SECONDS", 0.7)
    published(vendor, store, 1, 2)
    vendor.says(watch(1), json=video(1), sleep=60)
    vendor.says(watch(2), json=video(2))
    vendor.says(track_of(2), body=JSON3)
    acquired(store, channel(LIST))
    told = statuses_of(store)[watch(1) + "#metadata"]
    assert (told["liveness"], told["reason"][:19]) == ("error", "transport: stalled:")
    assert watch(2) + "#captions" in bytes_of(store)


def test_a_run_that_is_ended_ends_yt_dlp_and_says_nothing_of_the_address(
    vendor: Vendor, store: Store
) -> None:
    published(vendor, store, 1, 2)
    vendor.says(watch(1), json=video(1), sleep=60)
    asking = Admitting(store.incoming, rps=1000.0, private_is_allowed=True)
    stop = threading.Event()

    def end() -> None:
        wait_until(lambda: bool(vendor.calls), "yt-dlp was called")
        stop.set()

    thread = threading.Thread(target=end)
    thread.start()
    _, state = acquire(store, channel(LIST), Clock(), kind=Channel(), client=asking, stop=stop)
    thread.join()
    assert statuses_of(store) == {}
    assert state["warnings"] == ["ended by a signal: the next run goes on"]
    assert len(vendor.calls) == 1
