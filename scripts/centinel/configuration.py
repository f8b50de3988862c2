"""What a run was told: reads, checks and resolves the configuration.

Every fault is one line that names the file, the key and the fix.
"""

import math
import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import yaml

from centinel import kinds
from centinel.record import Json, Liveness
from centinel.schemas import PROJECT, ConfigurationError, check, coerced, one_line

SOURCE_KEYS = ("site", "channel", "query", "datasets", "folder")
"""The keys of which a source's block has exactly one: it says the source's kind."""

DEFAULTS: Json = {
    "rps": 1.0,
    "lang": "en",
    "match": [],
    "exclude": [],
    "revisit": "30d",
    "retry": {"error": "1d", "blocked": "7d", "gone": "30d"},
    "robots_unreachable": "deny",
    "acquire_for": "1h",
    "max_bytes": 256 << 20,
}

LARGEST_FILESET = 64 << 30
"""Bytes; what a data file may have where the pipeline does not say."""

LONGEST_SECONDS = 100 * 365 * 86400.0
"""A longer duration is taken for it, so that times stay within the calendar."""

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_SIZES = {
    "B": 1,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 1 << 10,
    "MiB": 1 << 20,
    "GiB": 1 << 30,
}


@dataclass(frozen=True)
class Reading:
    """How one kind is read."""

    version: int
    readers: tuple[str, ...]
    model: str | None = None
    """The model that transcribes it, where it is a kind of recordings."""

    @property
    def path_version(self) -> str:
        """The version as paths spell it: with the model, where one makes the text."""
        return f"{self.version}-{self.model}" if self.model else f"{self.version}"


@dataclass(frozen=True)
class Pipeline:
    """The readers and the version of each kind."""

    kinds_version: int
    readings: Mapping[str, Reading]
    ingest: Mapping[str, Any] = field(default_factory=dict)
    """What is said of datasets, checked."""
    languages: tuple[str, ...] = ("eng",)
    """What scanned pages may be written in, in tesseract's codes."""

    def reading(self, kind: str) -> Reading:
        """Returns how a kind is read; a kind that the file does not name has no readers."""
        return self.readings.get(kind, Reading(1, ()))

    @property
    def orders(self) -> dict[str, tuple[str, ...]]:
        """The names of the readers of each kind, in the order in which they are tried."""
        return {kind: reading.readers for kind, reading in self.readings.items()}


@dataclass(frozen=True)
class Limits:
    """What a reader may take for one document."""

    memory: int = 2 << 30
    """Bytes of address space of its process; ordinary documents take a tenth of it."""
    seconds: float = 60.0
    """Processor time for a small document."""


@dataclass(frozen=True)
class Transcription:
    """How recordings become text."""

    engine: str = "pywhispercpp"
    model: str = "tiny.en"
    """A name in `config/models.yaml`, or the path of a ggml file."""
    threads: int = 1

    @property
    def model_is_a_path(self) -> bool:
        return "/" in self.model or self.model.endswith(".bin")

    @property
    def model_name(self) -> str:
        """What stands for the model in paths: its name, else that of its file in short."""
        if not self.model_is_a_path:
            return self.model
        name = Path(self.model).name.removesuffix(".bin").removeprefix("ggml-")
        return re.sub(r"[^A-Za-z0-9._]+", "-", name).strip("-._") or "model"


@dataclass(frozen=True)
class Source:
    """One block of the sources file, with the defaults filled in."""

    identifier: str
    key: str
    """Which of SOURCE_KEYS the block has."""
    value: Any
    """What stands behind that key."""
    enabled: bool
    rps: float
    lang: str
    limit: int | None
    match: tuple[str, ...]
    exclude: tuple[str, ...]
    revisit: timedelta
    retry: Mapping[str, timedelta]
    acquire_for: timedelta
    max_bytes: int
    robots_unreachable: str = "deny"
    """`deny` or `allow`: whether addresses are asked while their robots.txt cannot be had."""
    ingest: Mapping[str, Any] = field(default_factory=dict)
    """What the pipeline says of datasets, for a source that is one of them."""


@dataclass(frozen=True)
class Ruling:
    """What was decided about a host: `ignore` or `allow`, and why."""

    ruling: str
    note: str | None = None


@dataclass(frozen=True)
class Verification:
    """When blobs are compared with their hashes again, where that is asked for."""

    after: timedelta = timedelta(days=90)
    shards: int = 16
    """Of a source that one run verifies at most."""
    all_lost: bool = False
    """Whether it is known that blobs of which none is there are lost, and not on another disk."""


@dataclass(frozen=True)
class Configuration:
    """Everything that a run was told."""

    results: Path
    contact: str
    strict: bool
    sources: Mapping[str, Source]
    pipeline: Pipeline
    as_given: Json
    """The effective configuration, as it is written to `results/config.yaml`."""
    rulings: Mapping[str, Ruling] = field(default_factory=dict)
    """What was decided about hosts that pages link to."""
    limits: Limits = field(default_factory=Limits)
    transcription: Transcription = field(default_factory=Transcription)
    warc_size: int = 1 << 30
    """Bytes; a file of a WARC export that has as many is followed by another."""
    beside: int = 8
    """Sources that one job acquires beside its own."""
    verification: Verification = field(default_factory=Verification)
    folder: Path = field(default_factory=Path)
    """Where relative paths in the configuration begin."""


def load(
    config: Mapping[str, Any], folder: Path = Path(), *, is_checked: bool = False
) -> Configuration:
    """Checks and resolves a run's configuration; paths in it are relative to `folder`.

    `config` is what Snakemake merged from the configuration files and the command line, whose
    nested values arrive as text. A job says that its run `is_checked`, and spares the schemas.
    Raises ConfigurationError.
    """
    given = coerced(dict(config), "config")
    pipeline = coerced(given.get("pipeline", {}), "pipeline")
    if not is_checked:
        check(given, "config", "config/config.yaml")
        check(pipeline, "pipeline", "config/pipeline.yaml")
    file = folder / given["sources"]
    blocks = read_yaml(file, str(given["sources"]))
    if not is_checked:
        check(blocks, "sources", str(given["sources"]))
    defaults = _merged(DEFAULTS, given.get("defaults", {}))
    ingest = pipeline.get("ingest", {})
    transcription = Transcription(**given.get("transcribe", {}))
    sources = {
        identifier: _source(str(given["sources"]), identifier, block, defaults, ingest)
        for identifier, block in sorted(blocks.items())
    }
    return Configuration(
        results=folder / given["results"],
        contact=given.get("contact", ""),
        strict=given.get("strict", False),
        sources=sources,
        pipeline=_pipeline(pipeline, transcription.model_name),
        rulings=_rulings(given.get("crumbs"), folder),
        limits=_limits(given.get("reading", {})),
        transcription=transcription,
        warc_size=size(given.get("export", {}).get("warc_size", Configuration.warc_size)),
        beside=int(given.get("beside", Configuration.beside)),
        verification=_verification(given.get("verify", {})),
        folder=folder,
        as_given={**given, "pipeline": pipeline, "blocks": blocks},
    )


def load_files(folder: Path | None = None) -> Configuration:
    """Loads `config/` of a folder (else the project's own) as Snakemake would without arguments."""
    folder = folder if folder and (folder / "config" / "config.yaml").exists() else PROJECT
    config: Json = {}
    for name in ("config/config.yaml", "config/pipeline.yaml"):
        config.update(read_yaml(folder / name, name))
    return load(config, folder)


def source_of_block(configuration: Configuration, identifier: str, block: Json) -> Source:
    """Returns the source that a block is, which stands in no file, with the run's defaults."""
    given = configuration.as_given
    defaults = _merged(DEFAULTS, given.get("defaults", {}))
    ingest = given.get("pipeline", {}).get("ingest", {})
    return _source("the command line", identifier, block, defaults, ingest)


def seconds(text: str) -> float:
    """Returns a duration such as `90s`, `12h` or `30d` in seconds."""
    return min(float(text[:-1]) * _SECONDS[text[-1]], LONGEST_SECONDS)


def size(value: int | str) -> int:
    """Returns a size such as 1000 or `256 MiB` in bytes."""
    if isinstance(value, int):
        return value
    number, unit = re.fullmatch(r"([0-9]+) ?([A-Za-z]+)", value).groups()  # type: ignore[union-attr]
    return int(number) * _SIZES[unit]


class _Loader(yaml.CSafeLoader):
    """YAML without doubled keys, of which the last would win in silence."""


def _mapping_without_doubles(loader: _Loader, node: yaml.MappingNode) -> Json:
    seen = set()
    for key_node, _ in node.value:
        if key_node.tag == "tag:yaml.org,2002:merge":
            continue
        key = str(loader.construct_object(key_node))
        if key in seen:
            raise yaml.constructor.ConstructorError(
                None, None, f"the key {key!r} stands twice", key_node.start_mark
            )
        seen.add(key)
    loader.flatten_mapping(node)
    mapping: Json = {str(k): v for k, v in loader.construct_mapping(node, deep=True).items()}
    return mapping


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping_without_doubles)


def read_yaml(path: Path, name: str) -> Json:
    """Returns the mapping in a YAML file ({} for an empty one); raises ConfigurationError."""
    try:
        value = yaml.load(path.read_text("utf-8"), Loader=_Loader)
    except OSError as error:
        raise ConfigurationError(f"{name}: {error.strerror}: name a file that is there") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{name}: not UTF-8: save it as UTF-8") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise ConfigurationError(f"{name}: line {line}: {error.problem}: mend the YAML") from None
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{name}: {one_line(str(error))}: mend the YAML") from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigurationError(f"{name}: not a mapping: write keys with values")
    return value


def _merged(base: Json, over: Json) -> Json:
    """Returns `base` with `over` laid on it, key by key in nested mappings."""
    merged = deepcopy(base)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merged(merged[key], value) if both else value
    return merged


def _rulings(file: str | None, folder: Path) -> dict[str, Ruling]:
    if file is None:
        return {}
    blocks = read_yaml(folder / file, file)
    check(blocks, "crumbs", file)
    return {host: Ruling(block["ruling"], block.get("note")) for host, block in blocks.items()}


def _limits(block: Json) -> Limits:
    usual = Limits()
    time = block.get("processor_time")
    return Limits(size(block.get("memory", usual.memory)), seconds(time) if time else usual.seconds)


def _verification(block: Json) -> Verification:
    usual = Verification()
    after = timedelta(seconds=seconds(block["after"])) if "after" in block else usual.after
    all_lost = block.get("all_lost", usual.all_lost)
    return Verification(after, int(block.get("shards", usual.shards)), all_lost)


def _source(file: str, identifier: str, block: Json, defaults: Json, ingest: Json) -> Source:
    present = [key for key in SOURCE_KEYS if key in block]
    if len(present) != 1:
        what = (
            f"the keys {' and '.join(present)} stand in one block"
            if present
            else "no key says what it is"
        )
        raise ConfigurationError(
            f"{file}: {identifier}: {what}: keep exactly one of {', '.join(SOURCE_KEYS)}"
        )
    whole = _merged(defaults, block)
    if present == ["datasets"] and "max_bytes" not in block:
        # The bounds of pages are none of data files: a fileset has limits of its own.
        whole["max_bytes"] = ingest.get("limits", {}).get("total_size", LARGEST_FILESET)
    if not math.isfinite(whole["rps"]):
        raise ConfigurationError(f"{file}: {identifier}.rps: not a number: give one above 0")
    for key in ("match", "exclude"):
        for expression in whole[key]:
            _compile(file, f"{identifier}.{key}", expression)
    retry = {name: timedelta(seconds=seconds(text)) for name, text in whole["retry"].items()}
    return Source(
        identifier=identifier,
        key=present[0],
        value=block[present[0]],
        enabled=whole.get("enabled", True),
        rps=float(whole["rps"]),
        lang=whole["lang"],
        limit=whole.get("limit"),
        match=tuple(whole["match"]),
        exclude=tuple(whole["exclude"]),
        revisit=timedelta(seconds=seconds(whole["revisit"])),
        retry={each.value: retry[each.value] for each in Liveness if each.value in retry},
        robots_unreachable=whole["robots_unreachable"],
        acquire_for=timedelta(seconds=seconds(whole["acquire_for"])),
        max_bytes=size(whole["max_bytes"]),
        ingest=ingest if present == ["datasets"] else {},
    )


def _compile(file: str, place: str, expression: str) -> None:
    try:
        re.compile(expression)
    except re.error as error:
        raise ConfigurationError(
            f"{file}: {place}: {expression!r} is no regular expression ({error}): mend it"
        ) from None


def _pipeline(given: Json, model: str) -> Pipeline:
    readings = {
        kind: Reading(
            # JSON Schema takes 2.0 for an integer.
            int(given.get(kind, {}).get("version", 1)),
            tuple(given.get(kind, {}).get("readers", ())),
            model if kind in kinds.RECORDINGS else None,
        )
        for kind in kinds.KINDS
    }
    return Pipeline(
        int(given.get("kinds", {}).get("version", 1)),
        readings,
        given.get("ingest", {}),
        tuple(given.get("ocr", {}).get("languages", Pipeline.languages)),
    )
