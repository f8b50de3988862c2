"""The kinds of source that this version has."""

from centinel.configuration import Configuration, Source
from centinel.ingest import statuses
from centinel.schemas import ConfigurationError
from centinel.sources.channel import program
from centinel.sources.channel.channel import Channel
from centinel.sources.datasets import Datasets
from centinel.sources.folder import Folder
from centinel.sources.query import Query
from centinel.sources.source_kind import SourceKind
from centinel.sources.website import Website

SOURCE_KINDS: tuple[SourceKind, ...] = (Website(), Folder(), Query(), Datasets(), Channel())


INGESTED = frozenset({Datasets.key})
"""The kinds whose resources are requests, each with a result of its own."""


def is_ingested(source: Source) -> bool:
    """Returns whether the rule `ingest` has something to do for a source."""
    return source.key in INGESTED


_PROGRAMS = {Channel.key: (program.NAME,)}


def programs_of(source: Source) -> tuple[str, ...]:
    """Returns the programs without which a source can be neither listed nor acquired."""
    return _PROGRAMS.get(source.key, ())


def kind_of(source: Source) -> SourceKind:
    """Returns the kind of a source; raises ConfigurationError where this version has none."""
    found = next((kind for kind in SOURCE_KINDS if kind.key == source.key), None)
    if found is None:
        known = ", ".join(kind.key for kind in SOURCE_KINDS)
        raise ConfigurationError(
            f"{source.identifier}.{source.key}: no such kind of source in this version: use {known}"
        )
    return found


def check(configuration: Configuration) -> None:
    """Raises ConfigurationError where a source is of a kind that this version does not have.

    Also where the table of statuses, which requests of datasets end with, is wrong.
    """
    if any(is_ingested(source) for source in configuration.sources.values()):
        statuses.table()
    for source in configuration.sources.values():
        try:
            kind_of(source)
        except ConfigurationError as error:
            file = configuration.as_given["sources"]
            raise ConfigurationError(f"{file}: {error}") from None
