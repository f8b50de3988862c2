"""What a message of yt-dlp shows of an address: the table of its phrases."""

import re
from dataclasses import dataclass

from centinel.liveness import Refusal
from centinel.masking import masked
from centinel.record import Liveness

DAY = 86400.0

RESTS_FOR = DAY
"""Seconds until what passes by itself is asked again: a wall, a limit of requests, a premiere."""

MOST_SAID = 300
"""Characters of a message that are kept."""


_NO_FORMAT = "requested format is not available"


@dataclass(frozen=True)
class Row:
    """Messages that show the same."""

    reason: str
    liveness: Liveness
    phrases: tuple[str, ...]
    """In lower case, with straight apostrophes; any of them is enough."""
    is_of_address: bool = True
    """Whether it is about the address at all, and not about whoever asks."""
    is_passing: bool = False
    """Whether it is expected to end by itself within a day or so."""


ROWS: tuple[Row, ...] = (
    Row(
        "upcoming",
        Liveness.LIVE,
        (
            "premieres in",
            "premiere will begin",
            "live event will begin",
            "this live event has not started",
            "channel is not currently live",
        ),
        is_passing=True,
    ),
    Row("just ended", Liveness.LIVE, ("live event has ended",), is_passing=True),
    Row(
        "members only",
        Liveness.BLOCKED,
        (
            "members-only",
            "members only",
            "available to this channel's members",
            "join this channel",
        ),
    ),
    Row(
        "age gate",
        Liveness.BLOCKED,
        ("confirm your age", "age-restricted", "age restricted", "inappropriate for some users"),
    ),
    Row(
        "region",
        Liveness.BLOCKED,
        (
            "blocked it in your country",
            "available in your country",
            "not available from your location",
            "not available in your location",
            "not available in your region",
            "geo restrict",
            "geo-restrict",
            "http error 451",
        ),
    ),
    Row(
        "bot wall",
        Liveness.BLOCKED,
        (
            "confirm you're not a bot",
            "sign in to confirm",
            "captcha challenge",
            "anti-bot challenge",
            "po token",
        ),
        is_of_address=False,
        is_passing=True,
    ),
    Row(
        "too many requests",
        Liveness.BLOCKED,
        ("http error 429", "too many requests", "rate-limited", "isn't available, try again later"),
        is_of_address=False,
        is_passing=True,
    ),
    Row("paid", Liveness.BLOCKED, ("requires payment", "music premium", "requires purchase")),
    Row("protected", Liveness.BLOCKED, ("drm protected",)),
    Row(
        "login",
        Liveness.BLOCKED,
        (
            "only available for registered users",
            "login required",
            "protected by a password",
            "http error 401",
        ),
    ),
    Row("refused", Liveness.BLOCKED, ("http error 403",)),
    Row("no format is offered", Liveness.BLOCKED, (_NO_FORMAT,)),
    Row("private", Liveness.GONE, ("private video", "video is private", "playlist is private")),
    Row(
        "account closed",
        Liveness.GONE,
        ("account associated with this video has been terminated", "account has been terminated"),
    ),
    Row(
        "removed",
        Liveness.GONE,
        (
            "video has been removed",
            "removed by the uploader",
            "removed by the user",
            "removed for violating",
            "no longer available",
            "isn't available anymore",
            "live stream recording is not available",
        ),
    ),
    Row(
        "not there",
        Liveness.GONE,
        ("does not exist", "http error 404", "http error 410", "video unavailable"),
    ),
    Row("no recording is there", Liveness.ERROR, ("unsupported url", "no video formats found")),
    Row(
        "transport",
        Liveness.ERROR,
        (
            "timed out",
            "failed to resolve",
            "name resolution",
            "getaddrinfo",
            "connection refused",
            "connection reset",
            "connection aborted",
            "network is unreachable",
            "remote end closed connection",
            "no route to host",
            "certificate verify failed",
            "unable to connect to proxy",
            "stalled: said nothing",
        ),
        is_of_address=False,
    ),
)
"""The first that fits is taken. What is blocked stands before what is gone: both can be said in one
message ("Video unavailable. Sign in to confirm you're not a bot"). Most phrases are YouTube's own
and yt-dlp's of 2026."""

_STATUS = re.compile(r"http error (\d{3})")
_NO_TAB = re.compile(r"does not have an? .{1,40} tab")


def message(stderr: str) -> str:
    """Returns the first line that yt-dlp calls an error, else its last; one line."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    said = next((line for line in lines if "ERROR" in line), lines[-1] if lines else "")
    told = said.removeprefix("ERROR:").partition("; please report this issue")[0]
    return masked(" ".join(told.split()))[:MOST_SAID]


def is_no_such_tab(refusal: Refusal) -> bool:
    """Returns whether a channel does not have the tab that was asked for: no failure."""
    return _NO_TAB.search(refusal.reason) is not None


def is_for_want_of_formats(said: str) -> bool:
    """Returns whether nothing is wrong but that no format is offered."""
    return _NO_FORMAT in said.lower()


def refusal(stderr: str, final_url: str, *, is_part: bool = False) -> Refusal:
    """Returns the refusal that a failed call shows, by what it said on standard error.

    A part that is refused for a passing reason is in error, and so it is owed: `blocked` is an
    answer.
    """
    said = _errors(stderr)
    row = next((row for row in ROWS if any(each in said for each in row.phrases)), None)
    status = int(match[1]) if (match := _STATUS.search(said)) else None
    shown = message(stderr)
    if row is None:
        return Refusal(Liveness.ERROR, f"yt-dlp: {shown or 'said nothing'}", status, final_url)
    is_owed = is_part and row.is_passing and row.liveness is Liveness.BLOCKED
    return Refusal(
        Liveness.ERROR if is_owed else row.liveness,
        f"{row.reason}: {shown}",
        status,
        final_url,
        answered=row.is_of_address,
        pause=RESTS_FOR if row.is_passing and not is_owed else None,
    )


def _errors(stderr: str) -> str:
    """What is tested for phrases: from the first error on, since warnings say some of them too."""
    lines = stderr.splitlines()
    first = next((number for number, line in enumerate(lines) if "ERROR" in line), -1)
    said = lines[first:] if lines else []
    told = (line for line in said if not line.startswith("WARNING"))
    return "\n".join(told).lower().replace("’", "'")
