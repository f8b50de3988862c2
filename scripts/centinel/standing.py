"""Which texts are of what is published and read now?"""

from dataclasses import dataclass
from typing import NamedTuple

import orjson

from centinel.classify import work_files
from centinel.configuration import Pipeline, Source
from centinel.files import read_lines
from centinel.history import History, replay
from centinel.known import standing_as
from centinel.readers.registry import READERS
from centinel.record import Json, Liveness
from centinel.sources.registry import kind_of
from centinel.store import Store

_BY_PAGE = frozenset(reader.name for reader in READERS if hasattr(reader, "read_pages"))


@dataclass(frozen=True, slots=True)
class Standing:
    """An artifact that is published now, and its text."""

    artifact: str
    blob: str
    kind: str
    text: str
    """The path of its text, relative to the source's folder; several artifacts may share it."""
    title: str | None
    observed_at: str
    is_paged: bool
    """Whether it was read page by page."""


def texts_of(store: Store, source: Source, pipeline: Pipeline) -> list[Standing] | None:
    """Returns what is published and has a text at the current version, sorted by artifact.

    None where the source was not acquired and classified: nothing is known of it then. Raises
    ValueError for a damaged file.
    """
    if not (store.artifacts.exists() and store.resources.exists() and store.work.exists()):
        return None
    read = _texts(store, pipeline)
    published = _published(store, source, replay(store, is_kept=False))
    return [
        _standing(line, read[name])
        for line in read_lines(store.artifacts)
        if (name := line["artifact"]) in published
        and name in read
        # A line of a shard that was not read again yet is of bytes that are not published now.
        and read[name].blob == line["blob"]
    ]


class _Text(NamedTuple):
    """What is asked of a derived line with a text."""

    blob: str
    kind: str
    path: str
    title: str | None
    is_paged: bool


def _texts(store: Store, pipeline: Pipeline) -> dict[str, _Text]:
    """By artifact its text of the current version, of shards that stand."""
    return {
        line["artifact"]: _Text(
            line["blob"],
            line["kind"],
            text,
            line.get("title"),
            line.get("reader") in _BY_PAGE,
        )
        for kind, shard in work_files(store)
        if (path := store.derived_file(kind, pipeline.reading(kind).path_version, shard)).exists()
        for line in read_lines(path)
        if (text := line.get("text"))
    }


def _standing(artifact: Json, text: _Text) -> Standing:
    return Standing(
        artifact=artifact["artifact"],
        blob=text.blob,
        kind=text.kind,
        text=text.path,
        title=text.title or artifact["title"],
        observed_at=artifact["observed_at"],
        is_paged=text.is_paged,
    )


def _published(store: Store, source: Source, history: History) -> set[str]:
    """The artifacts of published resources, and the parts that those have now.

    Who is in no snapshot that may have been cut may be published still. What is gone is not; what
    is blocked or failed stands as it was.
    """
    last = history.last_good_discovery()
    is_whole = last is not None and last.truncated is False
    marker = kind_of(source).marker
    left = [
        marker(line["address"])
        for line in read_lines(store.resources)
        if (line["in_snapshot"] or not is_whole) and line["liveness"] != Liveness.GONE
    ]
    gone = set(history.artifacts.standing(standing_as(Liveness.GONE)))
    parts = dict(history.artifacts.parts())
    found: set[str] = set()
    while left:
        name = left.pop()
        if name not in found and name not in gone:
            found.add(name)
            if name in parts:
                left += orjson.loads(parts[name])
    return found
