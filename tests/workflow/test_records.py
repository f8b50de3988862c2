"""Every file that a run leaves, and every file of the configuration, is what its schema says."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml
from jsonschema import Draft202012Validator

from centinel.schemas import FOLDER, validator
from tests.workflow.conftest import Archived
from tests.workflow.place import html, pdf, refusal
from tests.workflow.running import PROJECT, Workflow, read_lines

JSON_LINES = {
    "resource": ("snapshot.jsonl",),
    "record_line": ("record/*.jsonl",),
    "artifact": ("artifacts.jsonl",),
    "resource_state": ("resources.jsonl",),
    "work": ("work/*/*.jsonl",),
    "derived": ("derived/*/*/*.jsonl",),
    "change": ("changes.jsonl",),
    "crumb": ("crumbs.jsonl",),
    "page_links": ("links.jsonl",),
}
JSON = {
    "snapshot_report": ("snapshot.json",),
    "acquire_state": ("acquire.json",),
    "kind_sidecar": ("blobs/*/*/*.kind.json",),
    "derivation": ("text/*/*/*/*.json",),
    "underivable": ("underivable/*/*/*/*.json",),
    "summary": ("tables/summary.json",),
    "fixity": ("fixity/*.json",),
}
SHIPPED = {
    "config/config.yaml": ("config", None),
    "config/pipeline.yaml": ("pipeline", "pipeline"),
    "config/sources.yaml": ("sources", None),
    "config/crumbs.yaml": ("crumbs", None),
    "config/ingest_statuses.yaml": ("ingest_statuses", None),
    "config/models.yaml": ("models", None),
    "config/demo/sources.yaml": ("sources", None),
}
SCHEMAS = sorted(path.name.removesuffix(".schema.yaml") for path in FOLDER.glob("*.schema.yaml"))
RECORDS = [name for name in (*JSON_LINES, *JSON) if name in SCHEMAS]
"""What has no schema is found by `test_every_file_that_a_run_leaves_has_a_schema`."""


def faults_of(name: str, value: Any) -> list[str]:
    """Returns what a schema finds wrong in a value, with the place of each fault."""
    return [f"{list(each.path)}: {each.message}" for each in validator(name).iter_errors(value)]


def values_of(root: Path, name: str) -> Iterator[tuple[Path, Any]]:
    """Yields each value under a source's folder that a schema speaks of, with its file."""
    for pattern in JSON_LINES.get(name, ()):
        for path in sorted(root.glob(pattern)):
            yield from ((path, line) for line in read_lines(path))
    for pattern in JSON.get(name, ()):
        for path in sorted(root.glob(pattern)):
            yield path, orjson.loads(path.read_bytes())


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory, first_run: Archived) -> Workflow:
    """A source that had all that can happen to one: enclosures, refusals, failures, no text."""
    place = first_run.place
    place.clear()
    _publish_odd_things(first_run)
    workflow = first_run.workflow.copy(tmp_path_factory.mktemp("lived") / "copy")
    workflow.run("-R", "enumerate").succeeded()
    place.set("/sitemap.xml", refusal(500))
    workflow.run("-R", "enumerate").succeeded()
    workflow.run("results/town/.verified").succeeded()
    return workflow


def _publish_odd_things(archived: Archived) -> None:
    place = archived.place
    place.add("/council", html("Council", links=["/attached/agenda.pdf", "/attached/lost.pdf"]))
    place.set("/attached/agenda.pdf", pdf("Agenda"))
    place.modified["/council"] = "2999-01-01"
    links = ["/attached/agenda.pdf", "/attached/lost.pdf", "https://elsewhere.example/notice"]
    place.add("/minutes", html("Minutes", links=links))
    place.add("/empty.pdf", pdf())
    place.add("/broken", refusal(500))
    place.add("/private/denied", html("Denied"))
    place.add("/logo.png", pdf("not an image, whatever its name says"))


@pytest.mark.parametrize("name", RECORDS)
def test_what_a_run_writes_is_what_its_schema_says(lived: Workflow, name: str) -> None:
    root = lived.source("town")
    values = list(values_of(root, name))
    assert values, f"no file of {name}: the test looks at nothing"
    faults = {str(path.relative_to(root)): faults_of(name, value) for path, value in values}
    assert {path: found for path, found in faults.items() if found} == {}


def test_record_holds_every_type_of_line(lived: Workflow) -> None:
    lines = lived.record("town")
    assert {line["type"] for line in lines} == {"discovery", "observation", "status", "fixity"}
    outcomes = {line["outcome"] for line in lines if line["type"] == "discovery"}
    assert outcomes == {"ok", "failed"}
    assert {x["outcome"] for x in lived.derived_lines("town")} == {"text", "underivable"}


def test_kept_snapshots_are_lines_of_resources(lived: Workflow) -> None:
    kept = sorted((lived.source("town") / "record" / "snapshots").glob("*.jsonl.gz"))
    assert len(kept) == 2, "one for each enumeration that gave a snapshot"
    for path in kept:
        lines = [orjson.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
        assert lines
        assert [fault for line in lines for fault in faults_of("resource", line)] == []
    assert lines == lived.lines("town", "snapshot.jsonl"), "a failed one keeps the last good one"


def test_every_file_that_a_run_leaves_has_a_schema(lived: Workflow) -> None:
    """A new kind of JSON file needs a schema, and its name in the tables of this file."""
    root = lived.source("town")
    known = {path for name in RECORDS for path, _ in values_of(root, name)}
    found = {path for path in root.rglob("*.json*") if path.suffix in (".json", ".jsonl")}
    assert {str(path.relative_to(root)) for path in found - known} == set()


def test_times_hashes_and_paths_have_their_one_form(lived: Workflow) -> None:
    root = lived.source("town")
    for line in lived.derived_lines("town"):
        for key in ("text", "underivable"):
            assert line[key] is None or (root / line[key]).is_file(), line
    for line in lived.record("town"):
        assert line["at"].endswith("Z")
        if line["type"] == "observation":
            digest = line["blob"]
            assert (root / "blobs" / digest[:2] / digest[2:4] / digest).is_file()


@pytest.mark.parametrize("file", SHIPPED)
def test_shipped_configuration_is_what_its_schema_says(file: str) -> None:
    name, key = SHIPPED[file]
    value = yaml.safe_load((PROJECT / file).read_text())
    assert faults_of(name, value[key] if key else value or {}) == []


def test_effective_configuration_is_written_and_can_be_given_again(lived: Workflow) -> None:
    written = yaml.safe_load((lived.results / "config.yaml").read_text())
    blocks = written.pop("blocks")
    assert faults_of("sources", blocks) == []
    assert faults_of("config", written) == []
    assert faults_of("pipeline", written["pipeline"]) == []
    assert blocks == yaml.safe_load((lived.folder / "sources.yaml").read_text())


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_is_a_schema(name: str) -> None:
    meta = Draft202012Validator(Draft202012Validator.META_SCHEMA)
    schema = yaml.safe_load((FOLDER / f"{name}.schema.yaml").read_text())
    assert [fault.message for fault in meta.iter_errors(schema)] == []
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$schema"]
    assert schema["title"]


@pytest.mark.parametrize("name", RECORDS)
def test_schema_knows_every_field_that_a_run_writes_and_its_form(
    lived: Workflow, name: str
) -> None:
    values = [value for _, value in values_of(lived.source("town"), name)]
    for key in sorted({key for value in values for key in value}):
        value = next(value for value in values if key in value)
        assert faults_of(name, {**value, key: [{}, 1.5]}), f"{name}.{key} may be anything"


@pytest.mark.parametrize("name", RECORDS)
def test_schema_of_a_record_refuses_what_is_no_record(name: str) -> None:
    assert faults_of(name, {}), "an object without a field is no record"
    assert faults_of(name, []), "a list is no record"
