"""Every reader, by name. A new one is an element of its module's `READERS`, and no more."""

from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

import centinel
from centinel import tools
from centinel.readers import (
    archive,
    captions,
    html,
    mail,
    ocr,
    odf,
    office,
    pdf,
    plain,
    salvage,
    workbook,
)
from centinel.readers.document import Reader

if TYPE_CHECKING:
    from centinel.configuration import Configuration

READERS: tuple[Reader, ...] = (
    *html.READERS,
    *pdf.READERS,
    *ocr.READERS,
    *plain.READERS,
    *office.READERS,
    *workbook.READERS,
    *odf.READERS,
    *salvage.READERS,
    *captions.READERS,
    *mail.READERS,
    *archive.READERS,
)
"""Their libraries are imported when they read: this module costs a few milliseconds."""

_BY_NAME = {reader.name: reader for reader in READERS}


def by_name(name: str) -> Reader:
    """Returns the reader `name`; raises ValueError, naming those that exist, where it is none."""
    if name not in _BY_NAME:
        raise ValueError(f"no reader is called {name!r}; there are: {', '.join(sorted(_BY_NAME))}")
    return _BY_NAME[name]


def readers_for(kind: str) -> tuple[Reader, ...]:
    """Returns the readers that may stand for `kind` in `config/pipeline.yaml`, none for many."""
    return tuple(reader for reader in READERS if kind in reader.kinds)


def check(configuration: "Configuration") -> None:
    """Raises ConfigurationError where a kind's list names a reader that does not take the kind."""
    from centinel.schemas import ConfigurationError  # what reads documents needs no YAML

    for kind, reading in configuration.pipeline.readings.items():
        known = [reader.name for reader in readers_for(kind)]
        for name in reading.readers:
            if name not in known:
                raise ConfigurationError(
                    f"config/pipeline.yaml: {kind}.readers: no reader {name!r} for this kind: "
                    f"use {', '.join(known) or 'none, since no reader takes it yet'}"
                )


def is_at_hand(reader: Reader) -> bool:
    """Says whether the modules and programs of `reader` are installed here; imports none."""
    has_modules = all(find_spec(module) is not None for module in reader.modules)
    return has_modules and all(tools.is_installed(program) for program in reader.programs)


def version_of(reader: Reader) -> str:
    """Returns the version of the program or distribution behind `reader`, else `unknown`."""
    if reader.programs:
        return tools.version_of(reader.programs[0]) or "unknown"
    return _installed_version(reader.distribution)


@lru_cache
def _installed_version(distribution: str) -> str:
    if distribution == centinel.__name__:
        return centinel.__version__  # also where it runs from its folder, uninstalled
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return "unknown"
