"""Addresses of recordings and of channels: which of them are one. Pure."""

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from centinel import addresses

YOUTUBE = frozenset(
    {
        "youtube.com",
        "www.youtube.com",
        "m.youtube.com",
        "music.youtube.com",
        "youtu.be",
        "www.youtu.be",
        "youtube-nocookie.com",
        "www.youtube-nocookie.com",
    }
)
"""The hosts of one service, each of which serves every video of it."""

TABS = ("videos", "streams", "shorts")
"""The tabs of a channel that hold videos; what its other tabs list is in these as well."""

_VIDEO = re.compile(r"[A-Za-z0-9_-]{11}")
_PATH_WITH_VIDEO = re.compile(r"/(?:shorts|live|embed|v|e)/([^/]+)/?")
_CHANNEL = re.compile(r"/(?:@[^/]+|channel/UC[\w-]{22}|(?:c|user)/[^/]+)/?")


@dataclass(frozen=True)
class Tab:
    """One list to be asked for."""

    name: str
    address: str


def is_youtube(address: str) -> bool:
    """Returns whether an address is one of YouTube's."""
    return (urlsplit(address).hostname or "").lower() in YOUTUBE


def is_video(identifier: object) -> bool:
    """Returns whether something is the id of a YouTube video: eleven characters."""
    return isinstance(identifier, str) and _VIDEO.fullmatch(identifier) is not None


def watch(identifier: str) -> str:
    """Returns the one address of a YouTube video."""
    return f"https://www.youtube.com/watch?v={identifier}"


def recording(address: str, base: str | None = None) -> str | None:
    """Returns the one address of a recording; None for what is no http(s) address.

    `youtu.be/ID`, `/shorts/ID`, `/live/ID`, `/embed/ID` and `/watch?v=ID` are one video of YouTube,
    whatever else stands in them.
    """
    form = addresses.canonical(address, base)
    video = form and _video_of(form)
    return watch(video) if video else form


def _video_of(address: str) -> str | None:
    """The id of the YouTube video at a canonical address."""
    if not is_youtube(address):
        return None
    parts = urlsplit(address)
    stated = parse_qs(parts.query).get("v", [""])[0] if parts.path == "/watch" else ""
    if match := _PATH_WITH_VIDEO.fullmatch(parts.path):
        stated = match[1]
    if (parts.hostname or "").endswith("youtu.be"):
        stated = parts.path.strip("/")
    return stated if is_video(stated) else None


def whole(address: str) -> Tab:
    """Returns what a channel shows without a tab."""
    return Tab("channel", (addresses.canonical(address) or address).partition("?")[0])


def tabs(address: str) -> tuple[Tab, ...]:
    """Returns the lists that a channel's address stands for.

    A channel's bare address is all of its tabs: what it shows itself is a selection. An address of
    one tab, of a playlist, a feed or a page is itself alone.
    """
    bare = addresses.canonical(address) or address
    if is_youtube(bare) and _CHANNEL.fullmatch(urlsplit(bare).path):
        channel = f"https://www.youtube.com{urlsplit(bare).path.rstrip('/')}"
        return tuple(Tab(name, f"{channel}/{name}") for name in TABS)
    return (Tab("list", bare),)
