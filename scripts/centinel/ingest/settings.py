"""What `config/pipeline.yaml` says of ingest, under the key `ingest`, as types."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from centinel.configuration import read_yaml, size
from centinel.ingest.hosts import Hosts
from centinel.record import Json
from centinel.schemas import PROJECT, ConfigurationError

FILE = "config/pipeline.yaml"
ARCHIVEORG = "https://archive.org"


@dataclass(frozen=True)
class Row:
    """A row of the table of strategies: it fits where nothing is over its bounds."""

    strategy: str
    files: int | None = None
    """The most files; None for any number."""
    total: int | None = None
    """The most bytes in all."""
    largest: int | None = None
    """The most bytes of one file."""
    bundle: bool = False
    """Only where the platform offers everything in one archive."""
    unknown_sizes: bool = True
    """Whether files of unknown size may be among them; their sizes are then not compared."""


@dataclass(frozen=True)
class Limits:
    """Filesets beyond these are recorded with their manifest, and not fetched."""

    files: int
    total_size: int
    """Bytes."""


@dataclass(frozen=True)
class ArchiveOrg:
    """Whether staged items are uploaded, and where to."""

    upload: bool = False
    collection: str = ""
    url: str = ARCHIVEORG
    """Where items are looked up, before anything is uploaded."""


@dataclass(frozen=True)
class Settings:
    """Everything that an ingest was told."""

    limits: Limits
    strategies: tuple[Row, ...]
    archiveorg: ArchiveOrg = field(default_factory=ArchiveOrg)
    hosts: Hosts = field(default_factory=Hosts)


def settings_of(given: Mapping[str, Any] | None) -> Settings:
    """Returns the settings that the checked values are; what they leave out is as shipped."""
    said = {**shipped(), **(given or {})}
    limits: Json = {**shipped()["limits"], **said["limits"]}
    return Settings(
        Limits(int(limits["files"]), size(limits["total_size"])),
        tuple(_row(each) for each in said["strategies"]),
        ArchiveOrg(**said.get("archiveorg", {})),
        Hosts(dict(said.get("hosts", {}))),
    )


@cache
def shipped() -> Json:
    """Returns what the project's own file says; raises ConfigurationError where it is not there."""
    said = read_yaml(PROJECT / FILE, FILE).get("pipeline", {}).get("ingest")
    if not isinstance(said, dict):
        raise ConfigurationError(f"{FILE}: pipeline.ingest: the key is missing: add it")
    return said


def _row(said: Json) -> Row:
    sizes: Json = {key: size(said[key]) for key in ("total", "largest") if key in said}
    whole: Json = {**said, **sizes}
    return Row(**whole)
