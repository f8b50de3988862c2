"""What a channel lists: every tab, each entry held to a strict test, what failed said."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from centinel.record import Json
from centinel.sources.channel import program
from centinel.store import Store
from tests.unit.channel.recordings import (
    TOWN,
    Vendor,
    channel,
    entry,
    enumerated,
    playlist,
    watch,
)
from tests.unit.support import Clock, assert_valid, lines_of

NO_TAB = "[youtube:tab] @town: This channel does not have a {} tab"


def lists(vendor: Vendor, **tabs: Json | str | None) -> None:
    """Lets the channel list these, by tab: a text is an error, None a tab that is not there."""
    for tab in ("videos", "streams", "shorts"):
        said = tabs.get(tab)
        if isinstance(said, dict):
            vendor.says(f"{TOWN}/{tab}", json=said)
        else:
            vendor.says(f"{TOWN}/{tab}", error=said or NO_TAB.format(tab))


def test_every_tab_is_listed_and_counted(vendor: Vendor, store: Store) -> None:
    lists(vendor, videos=playlist(entry(1), entry(2)), streams=playlist(entry(3)))
    report = enumerated(store, channel())
    assert_valid([report], "snapshot_report")
    assert (report["outcome"], report["found"], report["truncated"]) == ("ok", 3, False)
    assert report["figures"]["tabs"] == {"videos": 2, "streams": 1, "shorts": None}
    assert "shorts: the channel has no such tab" in report["notes"]
    assert report["warnings"] == []
    lines = lines_of(store.snapshot)
    assert_valid(lines, "resource")
    assert lines[0] == {"address": watch(1), "title": "Council meeting 1"}


def test_a_tab_that_failed_makes_the_snapshot_truncated_and_is_said(
    vendor: Vendor, store: Store
) -> None:
    lists(vendor, videos=playlist(entry(1)), streams="HTTP Error 503: Service Unavailable")
    report = enumerated(store, channel())
    assert (report["found"], report["truncated"], report["vanished"]) == (1, True, None)
    assert report["warnings"] == [
        "streams: not listed: error: yt-dlp: HTTP Error 503: Service Unavailable"
    ]
    assert report["figures"]["tabs"]["streams"] is None


def test_where_every_tab_failed_the_enumeration_failed(vendor: Vendor, store: Store) -> None:
    wall = "[youtube:tab] @town: Sign in to confirm you’re not a bot"
    lists(vendor, videos=wall, streams="HTTP Error 503: no")
    report = enumerated(store, channel())
    assert (report["outcome"], report["found"]) == ("failed", None)
    assert report["reason"].startswith("bot wall: ")


def test_a_list_that_broke_off_is_kept_and_truncated(vendor: Vendor, store: Store) -> None:
    lists(vendor)
    warning = "WARNING: [youtube:tab] Incomplete data received. Giving up after 3 retries\n"
    vendor.says(f"{TOWN}/videos", json=playlist(entry(1)), stderr=warning)
    report = enumerated(store, channel())
    assert (report["found"], report["truncated"]) == (1, True)
    assert report["warnings"] == ["videos: the list broke off, it says no more than 1"]


def test_a_list_below_the_number_that_the_vendor_declares_is_truncated(
    vendor: Vendor, store: Store
) -> None:
    lists(vendor, videos=playlist(entry(1), entry(2), playlist_count=5))
    report = enumerated(store, channel())
    assert report["truncated"] is True
    assert report["warnings"] == ["videos: 2 entries are listed of 5 declared"]


def test_an_empty_channel_is_no_failure_and_is_said(vendor: Vendor, store: Store) -> None:
    lists(vendor, videos=playlist())
    report = enumerated(store, channel())
    assert (report["outcome"], report["found"], report["truncated"]) == ("ok", 0, False)
    assert report["warnings"] == ["it lists no recording at all"]


def test_a_channel_without_any_tab_is_listed_as_it_is(vendor: Vendor, store: Store) -> None:
    lists(vendor)
    vendor.says(TOWN, json=playlist(entry(1)))
    report = enumerated(store, channel())
    assert (report["found"], report["truncated"]) == (1, False)
    assert report["figures"]["tabs"] == {
        "videos": None,
        "streams": None,
        "shorts": None,
        "channel": 1,
    }


def test_what_is_no_recording_is_counted_and_not_kept(vendor: Vendor, store: Store) -> None:
    odd = [
        None,
        entry(2, id="UC0123456789012345678901", url=f"{TOWN}/videos"),
        entry(3, ie_key="YoutubeTab", url="https://www.youtube.com/playlist?list=PL1"),
        {"_type": "url", "title": "nothing but a title"},
        {"_type": "url", "url": "not an address at all:"},
    ]
    lists(vendor, videos=playlist(entry(1), *odd))
    report = enumerated(store, channel())
    assert report["found"] == 1
    assert report["figures"]["left_out"] == 5
    (said,) = (note for note in report["notes"] if note.startswith("videos: "))
    assert "videos: 1 recording, " in said
    assert "left out (no address)" in said
    assert "left out (a list or a page, no recording)" in said


def test_one_video_in_two_tabs_and_under_short_addresses_is_one_resource(
    vendor: Vendor, store: Store
) -> None:
    short = {"_type": "url", "url": "https://youtu.be/video000001?t=5", "title": "again"}
    lists(vendor, videos=playlist(entry(1), short), streams=playlist(entry(1), entry(2)))
    report = enumerated(store, channel())
    assert report["found"] == 2
    assert report["figures"]["repeated"] == 2


def test_a_title_that_only_says_that_there_is_none_is_none(vendor: Vendor, store: Store) -> None:
    lists(vendor, videos=playlist(entry(1, title="[Private video]"), entry(2, title=None)))
    enumerated(store, channel())
    assert lines_of(store.snapshot) == [{"address": watch(1)}, {"address": watch(2)}]


def test_an_old_yt_dlp_is_warned_about_with_the_command(vendor: Vendor, store: Store) -> None:
    lists(vendor, videos=playlist(entry(1)))
    report = enumerated(store, channel(), Clock(datetime(2026, 4, 22, tzinfo=UTC)))
    assert report["figures"]["yt_dlp"] == "2026.02.20"
    assert report["figures"]["yt_dlp_age_days"] == 61
    (warning,) = report["warnings"]
    assert "61 days old" in warning
    assert "pip install --upgrade yt-dlp" in warning


def test_without_yt_dlp_the_enumeration_fails_with_the_command(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    report = enumerated(store, channel())
    assert report["outcome"] == "failed"
    assert report["reason"] == f"yt-dlp is not installed on this machine: {program.INSTALL}"


def test_robots_and_the_public_network_bind_a_channel_too(vendor: Vendor, store: Store) -> None:
    report = enumerated(store, channel("ftp://videos.example/town"))
    assert report["reason"].startswith("address: ftp scheme")
    assert vendor.calls == []


def test_yt_dlp_is_told_to_keep_our_manners(
    vendor: Vendor, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", os.devnull)
    vendor.says("https://videos.example/town", json=playlist())
    enumerated(store, channel("https://videos.example/town"))
    (call,) = vendor.calls
    for wanted in ("--ignore-config", "--no-cache-dir", "--no-plugin-dirs", "--flat-playlist"):
        assert wanted in call
    assert "--compat-options=no-certifi" in call
    assert any(each.startswith("--sleep-requests=") for each in call)
    assert any(each.startswith("--add-headers=User-Agent:centinel/") for each in call)
    assert call[-2:] == ["https://videos.example/town", "--dump-single-json"]
