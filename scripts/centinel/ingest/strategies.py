"""Which way a fileset is stored: a pure function over the table in `config/pipeline.yaml`."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from centinel.ingest import statuses
from centinel.ingest.model import ManifestFile, PlatformItem, Stopped
from centinel.ingest.settings import Limits, Row

EXISTING = "archiveorg"
"""The platform whose datasets are items already: they are checked and kept, never made again."""

MOST_LISTED = 10_000
"""A manifest over the limit of files is kept whole up to so many, else as far as the limit."""


class Strategy(StrEnum):
    """The six ways. What is staged as an item is kept here too, file by file."""

    WEB_FILE = "web-file"
    WEB_FILESET = "web-fileset"
    WEB_FILESET_BUNDLED = "web-fileset-bundled"
    ARCHIVEORG_FILE = "archiveorg-file"
    ARCHIVEORG_FILESET = "archiveorg-fileset"
    ARCHIVEORG_FILESET_BUNDLED = "archiveorg-fileset-bundled"

    @property
    def is_bundled(self) -> bool:
        """Whether everything comes in one archive of the platform's."""
        return self.endswith("-bundled")

    @property
    def is_staged(self) -> bool:
        """Whether an item folder is made of it."""
        return self.startswith("archiveorg-")

    @property
    def is_file(self) -> bool:
        """Whether it is for a single file."""
        return self.endswith("-file")


@dataclass(frozen=True)
class Choice:
    """A strategy and why; or why there is none, as a status."""

    strategy: Strategy | None
    reason: str
    status: str | None = None
    """What the request ends with where there is no strategy."""


def over_limits(item: PlatformItem, limits: Limits) -> Choice | None:
    """Returns the end of an item that is over a limit; None where it is within all of them."""
    if item.file_count > limits.files:
        reason = f"{item.file_count} files, the limit is {limits.files}"
        return Choice(None, reason, statuses.TOO_MANY_FILES)
    if item.known_size > limits.total_size:
        reason = f"{item.known_size} bytes or more, the limit is {limits.total_size}"
        return Choice(None, reason, statuses.TOO_LARGE_SIZE)
    return None


def kept_manifest(manifest: tuple[ManifestFile, ...], limits: Limits) -> tuple[ManifestFile, ...]:
    """Returns what is kept of a manifest: all of it, unless it is a very long one."""
    return manifest if len(manifest) <= MOST_LISTED else manifest[: limits.files]


def choose(item: PlatformItem, rows: tuple[Row, ...], limits: Limits) -> Choice:
    """Returns the strategy of the first row that fits, with the reason; limits go before it."""
    over = over_limits(item, limits)
    if over is not None:
        return over
    if not item.manifest:
        return Choice(None, "no files are listed", Stopped.EMPTY_MANIFEST)
    if item.platform == EXISTING:
        is_file = item.file_count == 1
        strategy = Strategy.ARCHIVEORG_FILE if is_file else Strategy.ARCHIVEORG_FILESET
        return Choice(strategy, f"{_said(item)}; it is an item of archive.org already")
    passed: list[str] = []
    for row in rows:
        faults = list(_faults(item, row))
        if not faults:
            return Choice(Strategy(row.strategy), "; ".join([_said(item), *passed]))
        if Strategy(row.strategy).is_file == (item.file_count == 1):
            passed.append(f"not {row.strategy}: {', '.join(faults)}")
    return Choice(None, "; ".join([_said(item), *passed]), statuses.NO_STRATEGY)


def _said(item: PlatformItem) -> str:
    unknown = sum(each.size is None for each in item.manifest)
    size = f"{item.known_size} bytes" if not unknown else f"at least {item.known_size} bytes"
    parts = [f"{item.file_count} file{'s' if item.file_count != 1 else ''}", size]
    if unknown:
        parts.append(f"{unknown} of unknown size")
    parts.append("a bundle is offered" if item.web_bundle_url else "no bundle")
    return ", ".join(parts)


def _faults(item: PlatformItem, row: Row) -> Iterator[str]:
    """Why a row does not fit an item."""
    strategy = Strategy(row.strategy)
    largest = max((each.size or 0 for each in item.manifest), default=0)
    if strategy.is_file and item.file_count != 1:
        yield "more than one file"
    if not strategy.is_file and item.file_count == 1:
        yield "a single file"
    if row.files is not None and item.file_count > row.files:
        yield f"over {row.files} files"
    if row.total is not None and item.known_size > row.total:
        yield f"over {row.total} bytes"
    if row.largest is not None and largest > row.largest:
        yield f"a file over {row.largest} bytes"
    if not row.unknown_sizes and item.total_size is None:
        yield "sizes are unknown"
    if (row.bundle or strategy.is_bundled) and not item.web_bundle_url:
        yield "no bundle"
    if not strategy.is_bundled and any(
        each.platform_url is None for each in item.manifest if each.status is None
    ):
        yield "files without an address"
