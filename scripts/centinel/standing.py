"""Which texts are of what is published and read now?"""

from collections.abc import Iterator
from dataclasses import dataclass

from centinel.classify import work_files
from centinel.configuration import Pipeline, Source
from centinel.files import read_lines
from centinel.history import History, replay
from centinel.readers.registry import READERS
from centinel.record import Artifact, Json, Liveness
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
    read = {line["artifact"]: line for line in _texts(store, pipeline)}
    artifacts = [Artifact.from_json(line) for line in read_lines(store.artifacts)]
    published = _published(store, source, artifacts, replay(store, is_kept=False))
    return [
        _standing(artifact, read[artifact.artifact])
        for artifact in artifacts
        if artifact.artifact in published and artifact.artifact in read
        # A line of a shard that was not read again yet is of bytes that are not published now.
        if read[artifact.artifact]["blob"] == artifact.blob
    ]


def _standing(artifact: Artifact, line: Json) -> Standing:
    return Standing(
        artifact=artifact.artifact,
        blob=artifact.blob,
        kind=line["kind"],
        text=line["text"],
        title=line.get("title") or artifact.title,
        observed_at=artifact.observed_at,
        is_paged=line.get("reader") in _BY_PAGE,
    )


def _texts(store: Store, pipeline: Pipeline) -> Iterator[Json]:
    """The derived lines with a text, of the current version and of shards that stand."""
    for kind, shard in work_files(store):
        path = store.derived_file(kind, pipeline.reading(kind).path_version, shard)
        if path.exists():
            yield from (line for line in read_lines(path) if line.get("text"))


def _published(
    store: Store, source: Source, artifacts: list[Artifact], history: History
) -> set[str]:
    """The artifacts of published resources, and the parts that those have now.

    Who is in no snapshot that may have been cut may be published still. What is gone is not; what
    is blocked or failed stands as it was.
    """
    last = history.last_good_discovery()
    is_whole = last is not None and last.truncated is False
    standing = {
        line["address"]
        for line in read_lines(store.resources)
        if (line["in_snapshot"] or not is_whole) and line["liveness"] != Liveness.GONE
    }
    marker = kind_of(source).marker
    gone, parts = set(), {}
    for name, known in history.artifacts.items():
        if known.liveness == Liveness.GONE:
            gone.add(name)
        if known.parts:
            parts[name] = known.parts
    left = [
        each.artifact
        for each in artifacts
        if each.resource in standing and each.artifact == marker(each.resource)
    ]
    found: set[str] = set()
    while left:
        name = left.pop()
        if name not in found and name not in gone:
            found.add(name)
            left += parts.get(name, ())
    return found
