"""Recognises video channels and playlists, at the address itself or among its links."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

from centinel import addresses
from centinel.investigation.recognition import SHARED_HOSTS, Case, Offer, Recognition, has_kind
from centinel.sources.channel.channel import Channel as Kind
from centinel.sources.channel.places import TABS

_CHANNEL = re.compile(r"/(?:@[^/]+|channel/UC[\w-]{22}|(?:c|user)/[^/]+)")
_PLAYLIST = re.compile(r"PL[\w-]{10,}")
MOST_CHANNELS = 3
KIND = Kind.key
REMARK = f"its recordings are not counted here: a run lists {', '.join(TABS)}"


class Channel:
    """A YouTube channel. Its videos are not counted: that is no matter of a few requests."""

    name = KIND

    def look(self, case: Case) -> Recognition:
        """Returns a block for each channel, where this version has the kind."""
        channels = list(dict.fromkeys(_channels(case)))
        if not channels:
            at_host = case.hostname in SHARED_HOSTS
            said = "a video host, but no channel's address" if at_host else "no link to a channel"
            return Recognition(self.name, (said,))
        evidence = [f"{where} {address}" for address, where in channels[:MOST_CHANNELS]]
        if len(channels) > MOST_CHANNELS:
            evidence.append(f"{len(channels) - MOST_CHANNELS} channels more on the page")
        if not has_kind(KIND):
            evidence.append(f"the kind of source `{KIND}` is not in this version")
            return Recognition(self.name, tuple(evidence), True)
        offers = [
            Offer(KIND, address, KIND, remark=REMARK) for address, _ in channels[:MOST_CHANNELS]
        ]
        return Recognition(self.name, tuple(evidence), True, tuple(offers))


def _channels(case: Case) -> Iterator[tuple[str, str]]:
    own = _channel_of(case.seed.asked) or _channel_of(case.seed.final_url)
    if own:
        yield own, "the address is the channel"
        return
    for link in case.links:
        if address := _channel_of(link):
            yield address, "the page links to the channel"


def _channel_of(address: str) -> str | None:
    """The channel's own address, without its tabs, or a playlist's; None for what is neither."""
    parts = urlsplit(address)
    if parts.hostname not in SHARED_HOSTS:
        return None
    if match := _CHANNEL.match(parts.path):
        return addresses.canonical(f"https://www.youtube.com{match[0]}")
    stated = parse_qs(parts.query).get("list", [""])[0] if parts.path == "/playlist" else ""
    if _PLAYLIST.fullmatch(stated):
        return f"https://www.youtube.com/playlist?list={stated}"
    return None
