"""`centinel doctor`: what this machine has and lacks for each stage, and what mends each gap."""

import argparse
import ctypes
import fcntl
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from centinel import tools
from centinel.configuration import Configuration, load_files
from centinel.ingest import database, uploading
from centinel.ingest.settings import settings_of
from centinel.journal import now
from centinel.readers import registry as readers
from centinel.readers import tesseract
from centinel.readers.document import Reader
from centinel.record import Json
from centinel.report.wording import of
from centinel.schemas import ConfigurationError
from centinel.sources import registry as sources
from centinel.sources.channel import program as ytdlp
from centinel.transcribe import models, needs

READY, NOT_READY = 0, 1
"""Exit codes: something that is required is missing, or not."""

STAGES = ("enumerate", "acquire", "classify", "extract", "transcribe", "ingest", "report")
EVERY = "every stage"

ROOM = 1 << 30
"""Bytes that must be free for results: four artifacts of the largest size that is usual."""

SETUP = "make setup"
OLDEST_PYTHON = (3, 11)
_PR_GET_PDEATHSIG = 2


@dataclass(frozen=True)
class Finding:
    """One thing that a stage wants."""

    stage: str
    """One of STAGES, or EVERY."""
    name: str
    is_required: bool
    """Whether the stage stops without it; else it gives less, or is slower."""
    is_there: bool
    version: str | None = None
    detail: str = ""
    mend: str | None = None
    """The command, or what to do, where it is missing or old."""
    is_stale: bool = False

    @property
    def mark(self) -> str:
        """How it stands, in one word."""
        if self.is_there:
            return "old" if self.is_stale else "ok"
        return "MISSING" if self.is_required else "lacks"

    def to_json(self) -> Json:
        """Returns the line of it."""
        return {
            "stage": self.stage,
            "name": self.name,
            "required": self.is_required,
            "there": self.is_there,
            "version": self.version,
            "stale": self.is_stale,
            "detail": self.detail or None,
            "mend": self.mend,
        }

    def lines(self) -> Iterator[str]:
        """Yields it for a person: what it is, and below it what mends it."""
        need = "" if self.is_there else ("required" if self.is_required else "optional")
        told = [self.name, self.version or "", need, self.detail]
        yield f"  {self.mark:8}{', '.join(each for each in told if each)}"
        if self.mend and self.mark != "ok":
            yield f"          {self.mend}"


@dataclass(frozen=True)
class Examined:
    """Everything that was found."""

    findings: tuple[Finding, ...]

    def is_ready(self, stage: str) -> bool:
        """Returns whether nothing is missing that a stage requires."""
        wanted = (stage, EVERY)
        return not any(
            each.is_required and not each.is_there for each in self.findings if each.stage in wanted
        )

    @property
    def not_ready(self) -> list[str]:
        """The stages that stop for want of something."""
        return [stage for stage in STAGES if not self.is_ready(stage)]

    def to_json(self) -> Json:
        """Returns all of it as one object."""
        return {
            "ready": not self.not_ready,
            "stages": {stage: self.is_ready(stage) for stage in STAGES},
            "findings": [each.to_json() for each in self.findings],
        }

    def lines(self) -> Iterator[str]:
        """Yields all of it for a person, the verdict last."""
        for stage in (EVERY, *STAGES):
            yield stage
            for each in self.findings:
                if each.stage == stage:
                    yield from each.lines()
        lacking = [each for each in self.findings if each.mark in ("lacks", "old")]
        yield ""
        if self.not_ready:
            yield f"not ready: {', '.join(self.not_ready)}"
        else:
            also = f"; {len(lacking)} optional things are missing or old" if lacking else ""
            yield f"ready{also}"


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "doctor",
        help="say what this machine has and lacks for each stage",
        description="What this machine has and lacks for each stage, with versions, and the "
        "command for each gap. Nothing is asked on the network, nothing is changed. Exit code: 0 "
        "when everything that is required is here, 1 when not.",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object with everything")
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace) -> int:
    found = examine(Path.cwd(), now().date())
    if chosen.json:
        print(json.dumps(found.to_json(), ensure_ascii=False))
    else:
        for line in found.lines():
            print(line)
    return NOT_READY if found.not_ready else READY


def examine(folder: Path, today: date) -> Examined:
    """Returns what this machine has for the configuration of a folder, else for the project's own.

    Runs programs for their versions; imports no library, and looks at no document.
    """
    configuration, told = _configuration(folder)
    return Examined(
        (
            told,
            *_machine(configuration.results),
            *_libraries(),
            *_networked(configuration, today),
            _kinds(configuration),
            *_reading(configuration),
            *_transcribing(configuration),
            *_ingesting(configuration),
        )
    )


def _configuration(folder: Path) -> tuple[Configuration, Finding]:
    """The configuration that a run would take there; where it is wrong, the project's own."""
    try:
        configuration = load_files(folder)
    except ConfigurationError as error:
        return load_files(), Finding(EVERY, "configuration", True, False, mend=str(error))
    place = configuration.folder / "config" / "config.yaml"
    detail = f"{place}, {of(len(configuration.sources), 'source', 'sources')}"
    return configuration, Finding(EVERY, "configuration", True, True, detail=detail)


_LIBRARIES = (
    (EVERY, "snakemake", "snakemake"),
    (EVERY, "PyYAML", "yaml"),
    (EVERY, "orjson", "orjson"),
    (EVERY, "jsonschema", "jsonschema"),
    ("enumerate", "requests", "requests"),
    ("enumerate", "protego", "protego"),
    ("enumerate", "w3lib", "w3lib"),
    ("enumerate", "lxml", "lxml"),
    ("acquire", "requests", "requests"),
    ("acquire", "lxml", "lxml"),
    ("ingest", "SQLAlchemy", "sqlalchemy"),
    ("report", "polars", "polars"),
    ("report", "jinja2", "jinja2"),
)
"""Stage, distribution, module: those of readers are the readers' own."""


def _libraries() -> Iterator[Finding]:
    for stage, distribution, module in _LIBRARIES:
        is_there = find_spec(module) is not None
        yield Finding(stage, distribution, True, is_there, _installed(distribution), mend=SETUP)


def _installed(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _machine(results: Path) -> Iterator[Finding]:
    """What the record needs of the machine and of the file system under the results."""
    is_new_enough = sys.version_info[:2] >= OLDEST_PYTHON
    wanted = f"install Python {'.'.join(map(str, OLDEST_PYTHON))} or newer"
    yield Finding(EVERY, "Python", True, is_new_enough, platform.python_version(), mend=wanted)
    place = next(
        each for each in (results.absolute(), *results.absolute().parents) if each.exists()
    )
    fault = _fault_of(place)
    mend = f"make {place} writable for you, or name another folder: --config results=FOLDER"
    detail = fault or f"{results}: writable, and locks hold"
    yield Finding(EVERY, "results", True, fault is None, detail=detail, mend=mend)
    free = shutil.disk_usage(place).free
    said = f"{free / 1e9:,.1f} GB free for {results}"
    mend = f"free at least {ROOM / 1e9:.1f} GB, or name another folder: --config results=FOLDER"
    yield Finding(EVERY, "disk space", True, free >= ROOM, detail=said, mend=mend)
    library = ctypes.CDLL(None)
    said = "many files are synced by one call"
    slow = "run on Linux: elsewhere each file is synced by itself"
    yield Finding(EVERY, "syncfs", False, hasattr(library, "syncfs"), detail=said, mend=slow)
    said = "a program that was started dies with whoever started it"
    late = "run on Linux: elsewhere a program may outlive a job that was killed"
    yield Finding(EVERY, "parent-death signal", False, _has_death_signal(), detail=said, mend=late)


def _fault_of(place: Path) -> str | None:
    """Why results cannot be kept in a folder: no file can be written, or a lock does not hold."""
    try:
        with tempfile.TemporaryFile(dir=place) as stream:
            stream.write(b"centinel")
            stream.flush()
            os.fsync(stream.fileno())
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return f"{place}: {error.strerror or error}"
    return None


def _has_death_signal() -> bool:
    if not sys.platform.startswith("linux"):
        return False
    number = ctypes.c_int()
    return bool(ctypes.CDLL(None).prctl(_PR_GET_PDEATHSIG, ctypes.byref(number)) == 0)


def _networked(configuration: Configuration, today: date) -> Iterator[Finding]:
    """What asking needs: yt-dlp is required where a source is a channel."""
    enabled = [each for each in configuration.sources.values() if each.enabled]
    is_wanted = any(ytdlp.NAME in sources.programs_of(each) for each in enabled)
    found, said = ytdlp.find(), ytdlp.version()
    age = ytdlp.age(said, today)
    is_stale = age is not None and age > ytdlp.STALE_DAYS
    why = "lists channels, and fetches captions and sound"
    detail = f"{age} days old, and sites change" if is_stale else why
    for stage in ("enumerate", "acquire"):
        yield Finding(
            stage,
            ytdlp.NAME,
            is_wanted,
            found is not None,
            said,
            detail,
            ytdlp.UPGRADE if found else ytdlp.INSTALL,
            is_stale,
        )
    runtime = ytdlp.find(ytdlp.RUNTIME) or ytdlp.RUNTIME
    yield _program("acquire", runtime, "for the sound of YouTube videos", ytdlp.INSTALL_RUNTIME)
    contact = configuration.contact
    mend = "say in config/config.yaml, under contact, how those who run the servers can reach you"
    detail = contact or "who you are, in the User-Agent: many servers refuse those who do not say"
    yield Finding("acquire", "contact", False, bool(contact), detail=detail, mend=mend)


def _program(
    stage: str, name: str, why: str, install: str, *arguments: str, is_required: bool = False
) -> Finding:
    """A program on the PATH, with its version."""
    is_there = tools.is_installed(name)
    said = tools.version_of(name, arguments or ("--version",)) if is_there else None
    return Finding(stage, Path(name).name, is_required, is_there, said, why, install)


def _kinds(configuration: Configuration) -> Finding:
    said = f"version {configuration.pipeline.kinds_version}"
    return Finding("classify", "table of kinds", True, True, said)


def _reading(configuration: Configuration) -> Iterator[Finding]:
    """The readers of each kind in their order. One that is alone is required: none stands in."""
    languages = configuration.pipeline.languages
    for kind, order in sorted(configuration.pipeline.orders.items()):
        known = [readers.by_name(name) for name in order if _is_reader(name)]
        for reader in known:
            others = [each for each in known if each is not reader]
            yield _reader(kind, reader, others)
    if tools.is_installed(tesseract.PROGRAM):
        yield _languages(languages)


def _is_reader(name: str) -> bool:
    return any(each.name == name for each in readers.READERS)


def _reader(kind: str, reader: Reader, others: Iterable[Reader]) -> Finding:
    is_alone = not any(readers.is_at_hand(each) for each in others)
    is_there = readers.is_at_hand(reader)
    said = readers.version_of(reader) if is_there else None
    # What needs a program of its own is left to whoever wants it: those documents wait.
    is_required = is_alone and not reader.programs
    return Finding(
        "extract", f"{kind}: {reader.name}", is_required, is_there, said, "", reader.install
    )


def _languages(wanted: Iterable[str]) -> Finding:
    try:
        _, lacking = tesseract.usable(wanted)
    except tools.ToolError as error:
        lacking = str(error)
    detail = ", ".join(wanted)
    return Finding("extract", "languages of OCR", False, not lacking, None, detail, lacking)


def _transcribing(configuration: Configuration) -> Iterator[Finding]:
    """What transcribing needs: all of it optional, since recordings wait, and fail nothing else."""
    enabled = [each for each in configuration.sources.values() if each.enabled]
    languages = sorted({each.lang for each in enabled}) or [models.DETECT]
    seen: set[str] = set()
    for language in languages:
        try:
            wanted = needs.at_hand(configuration, language)
        except ConfigurationError as error:
            yield Finding("transcribe", "model", False, False, mend=str(error))
            return
        for need in wanted:
            key = f"{need.name} {need.missing}"
            if key not in seen:
                seen.add(key)
                yield _need(need)


def _need(need: needs.Need) -> Finding:
    is_program = need.is_there and tools.is_installed(need.name)
    said = tools.version_of(need.name, ("-version",)) if is_program else _installed(need.name)
    said = said and said.partition(" Copyright ")[0]
    return Finding("transcribe", need.name, False, need.is_there, said, "", need.missing)


def _ingesting(configuration: Configuration) -> Iterator[Finding]:
    """What datasets need besides: uploads, where the configuration wants them."""
    is_wanted = settings_of(configuration.pipeline.ingest).archiveorg.upload
    why = "uploads staged items"
    yield _program("ingest", uploading.PROGRAM, why, uploading.INSTALL, is_required=is_wanted)
    if is_wanted:
        has_keys = all(any(os.environ.get(each) for each in names) for names in uploading.KEYS)
        names = " and ".join(names[0] for names in uploading.KEYS)
        yield Finding("ingest", "keys", True, has_keys, mend=f"set {names} in the environment")
    if os.environ.get(database.VARIABLE):
        is_there = find_spec("pg8000") is not None
        yield Finding("ingest", "pg8000", True, is_there, _installed("pg8000"), mend=SETUP)
