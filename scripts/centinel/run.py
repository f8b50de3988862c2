"""What a run does before its first job: checks what it was told, locks what it touches."""

import os
import sys
import threading
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from io import TextIOWrapper
from typing import Any, NoReturn

import yaml

from centinel import leftovers, locks
from centinel.belonging import RUN_VARIABLE, Run, Work
from centinel.configuration import Configuration, Source, load
from centinel.files import write_whole
from centinel.masking import masked
from centinel.record import Json
from centinel.schemas import ConfigurationError
from centinel.store import Store

_held: list[TextIOWrapper] = []
"""The run's locks: kept open, since the kernel ends a lock with its file."""

_begun: list[tuple[Run, list[Store]]] = []
"""The run, once it has begun, and what it touches."""


def is_of_a_job() -> bool:
    """Says whether this process is that of a job, and not that of the run itself."""
    return RUN_VARIABLE in os.environ


def configuration_or_exit(config: Mapping[str, Any]) -> Configuration:
    """Returns the checked configuration; says one line and ends the process where it is wrong.

    The process of a job is told what its run has checked, and spares that.
    """
    try:
        if is_of_a_job():
            return load(config, is_checked=True)
        from centinel.readers import registry as readers
        from centinel.sources import registry as sources
        from centinel.transcribe import models

        configuration = load(config)
        sources.check(configuration)
        readers.check(configuration)
        models.chosen(configuration)
    except ConfigurationError as error:
        _exit(str(error))
    return configuration


def checked_part(configuration: Configuration) -> Json:
    """Returns what `config/schemas/config.schema.yaml` describes."""
    return {key: value for key, value in configuration.as_given.items() if key != "blocks"}


def source_or_exit(configuration: Configuration, identifier: str) -> Source:
    """Returns a source's block; says one line and ends the process where there is none."""
    if identifier not in configuration.sources:
        file = configuration.as_given["sources"]
        _exit(f"{file}: no source {identifier!r}: add a block, or ask for one that is there")
    return configuration.sources[identifier]


def begin_or_exit(
    configuration: Configuration,
    touched: Iterable[str],
    overall: bool,
    only_read: Collection[str] = (),
    work: Work | None = None,
) -> None:
    """Locks the sources that the run touches, removes their reports, and writes what it was told.

    Without its report, a source whose stage fails in this run is finished by the next plain one;
    those that are `only_read` keep theirs. `work` is what jobs are told of the others of the run.
    Says one line and ends the process where another run holds one of the sources, and where the
    results cannot be written.
    """
    try:
        _begin(configuration, touched, overall, only_read, work)
    except OSError as error:
        where = error.filename or configuration.results
        _exit(f"{where}: {error.strerror}: make room for the results, or name another folder")


def _begin(
    configuration: Configuration,
    touched: Iterable[str],
    overall: bool,
    only_read: Collection[str],
    work: Work | None,
) -> None:
    results = configuration.results
    stores = [Store(results, identifier) for identifier in sorted(touched)]
    wanted = [store.run_lock for store in stores] + ([results / ".lock"] if overall else [])
    for path in wanted:
        try:
            _held.append(locks.take(path))
        except locks.Busy:
            _exit(f"{path.parent} is busy: another run works on it; wait for it, or end it")
    # Before the reports are removed: no job of a killed run makes one any more.
    begun = Run.begin(results, (store.source for store in stores), overall, work)
    _begun.append((begun, stores))
    for store in stores:
        if store.source in begun.inherited:
            leftovers.remove(store.root)
    stale = [store.report for store in stores if store.source not in only_read]
    for page in stale + ([results / "report.html"] if overall else []):
        page.unlink(missing_ok=True)
    given = yaml.safe_dump(configuration.as_given, sort_keys=True, allow_unicode=True)
    write_whole(results / "config.yaml", masked(given).encode())


def fail() -> None:
    """Ends the run as `end` does; a job that failed may have been killed while it wrote."""
    for _, stores in _begun:
        for store in stores:
            with suppress(OSError):
                leftovers.remove(store.root)
    end()


def end() -> None:
    """Takes the run back that jobs were told of, and ends what would keep its process waiting.

    Snakemake's limit of jobs a second leaves a timer behind, for which the interpreter would wait
    a second (seen with 9.27).
    """
    while _begun:
        run, _ = _begun.pop()
        with suppress(OSError):
            run.end()
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.cancel()


def _exit(line: str) -> NoReturn:
    """Ends the process after one line, without a traceback."""
    print(f"centinel: {line}", file=sys.stderr, flush=True)
    sys.exit(1)
