"""What is known of a recording: yt-dlp's JSON without what only helps to fetch it. Pure."""

import json
import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from centinel.record import Json
from centinel.sources.channel import captions

KEPT = (
    "id",
    "title",
    "description",
    "uploader",
    "uploader_id",
    "uploader_url",
    "channel",
    "channel_id",
    "channel_url",
    "upload_date",
    "release_date",
    "tags",
    "categories",
    "language",
    "license",
    "location",
    "series",
    "season",
    "season_number",
    "episode",
    "episode_number",
    "availability",
    "age_limit",
    "live_status",
    "webpage_url",
    "extractor",
)
"""Keys as yt-dlp names them. What changes at every look (views, likes, times of asking, addresses
that expire) is none of them: it would be another document each time."""


def reduced(info: Json) -> bytes:
    """Returns what is kept of a recording's metadata as JSON, the same bytes for the same facts."""
    kept: Json = {key: info[key] for key in KEPT if info.get(key) not in (None, "", [], {})}
    kept["duration"] = seconds(info.get("duration"))
    kept["chapters"] = _chapters(info.get("chapters"))
    kept["subtitles"] = {
        "manual": _formats_by_language(captions.manual_of(info)),
        "automatic": _formats_by_language(captions.automatic_of(info)),
    }
    formats = info.get("formats")
    kept["formats"] = len(formats) if isinstance(formats, list) else 0
    written = {key: value for key, value in kept.items() if value is not None}
    # Numbers of any length: orjson refuses those of more than 64 bits.
    return json.dumps(_plain(written), ensure_ascii=False, indent=2, sort_keys=True).encode()


_OF_THE_FILE = frozenset({"id", "webpage_url", "extractor"})


def told_by(entry: Json, info: Json) -> Json:
    """Returns a recording with what the list that names it says: a bare file says nothing.

    When the file was written (`timestamp`) stays its own.
    """
    keys = (*(key for key in KEPT if key not in _OF_THE_FILE), "duration")
    told = {key: entry[key] for key in keys if entry.get(key) not in (None, "", [], {})}
    if day := _day(entry.get("timestamp")):
        told["upload_date"] = day
    return {**info, **told}


def _day(timestamp: Any) -> str | None:
    with suppress(ValueError, OverflowError, OSError, TypeError):
        return datetime.fromtimestamp(timestamp, UTC).strftime("%Y%m%d")
    return None


def title_of(info: Mapping[str, Any]) -> str | None:
    """Returns what a recording is called; None where it is not."""
    title = info.get("title")
    said = " ".join(title.split()) if isinstance(title, str) else ""
    return said if said and said not in _NO_TITLES else None


_NO_TITLES = frozenset({"[Private video]", "[Deleted video]", "NA"})
"""What stands in a list for a recording whose title is not told."""


def seconds(value: Any) -> float | None:
    """Returns a duration in seconds; None for what is none, such as -1 or 0."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) and value > 0 else None


def _chapters(value: Any) -> list[Json] | None:
    found = [
        {"title": title_of(each), "start": each.get("start_time"), "end": each.get("end_time")}
        for each in (value if isinstance(value, list) else ())
        if isinstance(each, dict)
    ]
    return found or None


def _formats_by_language(tracks: Mapping[str, Iterable[Json]]) -> dict[str, list[str]]:
    return {name: sorted({each["ext"] for each in entries}) for name, entries in tracks.items()}


def _plain(value: Any) -> Any:
    """Without halves of characters, which are no UTF-8, and numbers that are none in JSON."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_plain(str(key)): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else value
