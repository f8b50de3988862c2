"""What yt-dlp's messages show of an address, in its own words."""

import pytest

from centinel.sources.channel import refusals

YOUTUBE = "ERROR: [youtube] abcdefghij_: "


@pytest.mark.parametrize(
    ("said", "liveness", "reason"),
    [
        ("Sign in to confirm you’re not a bot. Use --cookies", "blocked", "bot wall"),
        ("Sign in to confirm you're not a bot", "blocked", "bot wall"),
        ("Video unavailable. Sign in to confirm you're not a bot", "blocked", "bot wall"),
        ("Sign in to confirm your age. This video may be inappropriate", "blocked", "age gate"),
        (
            "Join this channel to get access to members-only content like this video",
            "blocked",
            "members only",
        ),
        (
            "Video unavailable. This video is available to this channel's members on level: A",
            "blocked",
            "members only",
        ),
        (
            "The uploader has not made this video available in your country\n"
            "This video is available in Germany.\nYou might want to use a VPN",
            "blocked",
            "region",
        ),
        (
            "Video unavailable. The uploader has not blocked it in your country",
            "blocked",
            "region",
        ),
        ("This video is not available from your location due to geo restriction", "blocked", "reg"),
        ("Unable to download webpage: HTTP Error 429: Too Many Requests", "blocked", "too many"),
        (
            "Video unavailable. This content isn't available, try again later. The current "
            "session has been rate-limited by YouTube for up to an hour",
            "blocked",
            "too many requests",
        ),
        ("Requested format is not available. Use --list-formats", "blocked", "no format"),
        ("This video is only available for registered users", "blocked", "login"),
        ("This video requires payment to watch", "blocked", "paid"),
        ("This video is DRM protected", "blocked", "protected"),
        ("Unable to download webpage: HTTP Error 403: Forbidden", "blocked", "refused"),
        ("Private video. Sign in if you've been granted access. Use --cookies", "gone", "private"),
        (
            "Video unavailable. This video is no longer available because the YouTube account "
            "associated with this video has been terminated.",
            "gone",
            "account closed",
        ),
        ("This video has been removed by the uploader", "gone", "removed"),
        ("This live stream recording is not available.", "gone", "removed"),
        ("Video unavailable", "gone", "not there"),
        ("This channel does not exist", "gone", "not there"),
        ("Unable to download webpage: HTTP Error 410: Gone", "gone", "not there"),
        ("Premieres in 5 hours", "live", "upcoming"),
        ("This live event will begin in 3 hours.", "live", "upcoming"),
        ("This live event has ended.", "live", "just ended"),
        ("This video is protected by a password, use the --video-password", "blocked", "login"),
        ("This video isn't available anymore", "gone", "removed"),
        ("Unsupported URL: https://town.example/", "error", "no recording is there"),
        ("<urlopen error [Errno 111] Connection refused>", "error", "transport"),
        ("HTTP Error 503: Service Unavailable", "error", "yt-dlp"),
        ("something that nobody has seen before", "error", "yt-dlp"),
    ],
)
def test_each_message_has_its_reason_and_its_liveness(
    said: str, liveness: str, reason: str
) -> None:
    found = refusals.refusal(f"{YOUTUBE}{said}\n", "https://v.example/")
    assert (found.liveness, found.reason[: len(reason)]) == (liveness, reason)
    assert found.reason.endswith(said.splitlines()[0]) or reason == "yt-dlp"


@pytest.mark.parametrize(("said", "status"), [("HTTP Error 410: Gone", 410), ("gone", None)])
def test_the_status_is_taken_from_the_message(said: str, status: int | None) -> None:
    assert refusals.refusal(YOUTUBE + said, "https://v.example/").http_status == status


def test_a_wall_and_a_dead_line_are_about_no_address() -> None:
    walls = ("confirm you're not a bot", "HTTP Error 429: Too Many Requests", "timed out")
    told = [refusals.refusal(YOUTUBE + each, "https://v.example/") for each in walls]
    assert [each.answered for each in told] == [False, False, False]
    assert refusals.refusal(YOUTUBE + "Private video", "https://v.example/").answered is True


def test_a_part_that_is_refused_for_a_passing_reason_is_owed() -> None:
    def part(said: str) -> str:
        return refusals.refusal(YOUTUBE + said, "https://v.example/", is_part=True).liveness

    assert part("HTTP Error 429: Too Many Requests") == "error"
    assert part("HTTP Error 403: Forbidden") == "blocked"
    assert part("HTTP Error 404: Not Found") == "gone"


def test_what_is_meant_for_its_makers_is_left_out() -> None:
    said = (
        "ERROR: [generic] certificate verify failed; please report this issue on https://x.example"
    )
    found = refusals.refusal(said, "https://v.example/")
    assert found.reason == "transport: [generic] certificate verify failed"


def test_no_password_of_a_proxy_is_written() -> None:
    said = "ERROR: Unable to connect to proxy http://us:secret@proxy.example:3128"
    assert "secret" not in refusals.refusal(said, "https://v.example/").reason


def test_a_warning_is_no_evidence() -> None:
    said = (
        "WARNING: [youtube] abc: This video is age-restricted; some formats may be missing\n"
        "ERROR: [youtube] abc: Unable to download API page: HTTP Error 503: Unavailable\n"
        "WARNING: a PO Token may be wanted\n"
    )
    assert refusals.refusal(said, "https://v.example/").liveness == "error"


@pytest.mark.parametrize("said", ["", "\n\n", "no line that is called an error"])
def test_silence_is_an_error(said: str) -> None:
    found = refusals.refusal(said, "https://v.example/")
    assert (found.liveness, found.reason[:8]) == ("error", "yt-dlp: ")
