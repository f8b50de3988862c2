"""The recordings that yt-dlp listed: a strict test of each entry, and what was left out. Pure."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

from centinel.record import Json, Resource
from centinel.sources.channel import metadata, places

DEEPEST = 4
"""Lists in lists that are followed."""

NO_ADDRESS = "no address"
NO_RECORDING = "a list or a page, no recording"
TOO_DEEP = "in lists too deep"


@dataclass
class Listed:
    """What one list gave."""

    resources: dict[str, Resource] = field(default_factory=dict)
    repeated: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    declared: int | None = None
    """How many the vendor says that there are."""

    @property
    def seen(self) -> int:
        """Entries of any sort."""
        return len(self.resources) + self.repeated + sum(self.rejected.values())

    def spoken(self) -> str:
        """Returns one line on it."""
        count = len(self.resources)
        said = "1 recording" if count == 1 else f"{count:,} recordings"
        if self.repeated:
            said += f", {self.repeated:,} repeated"
        for reason, count in sorted(self.rejected.items()):
            said += f", {count:,} left out ({reason})"
        return said


def read(answer: Json, address: str) -> Listed:
    """Returns the recordings in what yt-dlp said of an address: a list of them, or one."""
    listed = Listed()
    if answer.get("_type") not in ("playlist", "multi_video"):
        _keep(listed, _own(answer, address))
        return listed
    declared = answer.get("playlist_count")
    if isinstance(declared, int) and not isinstance(declared, bool):
        listed.declared = declared
    for entry in _flat(answer, listed):
        _keep(listed, _resource(entry, address))
    return listed


def told(answer: Json, address: str) -> dict[str, Json]:
    """Returns the entries of a list that say more than an address, by it: those of a feed."""
    entries = (each for each in _flat(answer, Listed()) if isinstance(each, dict))
    found = ((_address(each, address), each) for each in entries if _says_more(each))
    return {named: each for named, each in found if named}


def _says_more(entry: Json) -> bool:
    return entry.get("_type") == "url_transparent"


def member(answer: Json, identifier: str | None) -> Json | None:
    """Returns the recording of an answer: the answer itself, or the entry of that id in a list."""
    if answer.get("_type") not in ("playlist", "multi_video"):
        return answer
    entries = [each for each in _flat(answer, Listed()) if isinstance(each, dict)]
    if identifier is None:
        return entries[0] if len(entries) == 1 and entries[0].get("formats") else None
    return next((each for each in entries if str(each.get("id")) == identifier), None)


def _flat(answer: Json, listed: Listed, depth: int = 0) -> Iterator[Any]:
    """The entries of a list and of the lists that stand in it."""
    entries = answer.get("entries")
    for entry in entries if isinstance(entries, list) else ():
        is_list = isinstance(entry, dict) and entry.get("_type") in ("playlist", "multi_video")
        if not is_list:
            yield entry
        elif depth < DEEPEST:
            yield from _flat(entry, listed, depth + 1)
        else:
            listed.rejected[TOO_DEEP] += 1


def _keep(listed: Listed, found: Resource | str) -> None:
    if isinstance(found, str):
        listed.rejected[found] += 1
    elif found.address in listed.resources:
        listed.repeated += 1
    else:
        listed.resources[found.address] = found


def _own(answer: Json, address: str) -> Resource | str:
    """The recording that the address itself is."""
    stated = places.recording(str(answer.get("webpage_url") or address))
    return Resource(stated or address, title=metadata.title_of(answer))


def _resource(entry: Any, listed_at: str) -> Resource | str:
    """The recording that an entry names, or why it names none."""
    if not isinstance(entry, dict):
        return NO_ADDRESS
    address = _address(entry, listed_at)
    if address is None:
        return NO_ADDRESS
    if places.is_youtube(address) and not places.is_video(_video(address)):
        return NO_RECORDING
    return Resource(address, title=metadata.title_of(entry))


def _video(address: str) -> str:
    return urlsplit(address).query.partition("v=")[2]


def _address(entry: Json, listed_at: str) -> str | None:
    """Where an entry is; one of several on a page has the page's address and its own id."""
    key, identifier = entry.get("ie_key"), entry.get("id")
    if key == "Youtube":
        return places.watch(str(identifier)) if places.is_video(identifier) else None
    stated = entry.get("url") if entry.get("_type") in ("url", "url_transparent") else None
    if stated is None:
        stated = entry.get("webpage_url")
    address = places.recording(stated, listed_at) if isinstance(stated, str) and stated else None
    is_on_page = address is not None and address == places.recording(listed_at)
    if is_on_page and entry.get("_type") in (None, "video"):
        return f"{address}#{quote(str(identifier), safe='')}" if identifier else None
    return address
