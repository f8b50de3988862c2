"""A list of datasets as a source: from landing pages to verified filesets, by the real workflow."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from centinel.schemas import validator
from tests.sites.dataset_platforms import DatasetPlatforms
from tests.sites.dataset_shapes import DataFile, numbered
from tests.workflow.running import Workflow
from tests.workflow.test_records import JSON, JSON_LINES, RECORDS, faults_of, values_of

A, B = DataFile("a.csv", b"name,fee\ndog,25\n"), DataFile("b.txt", b"words", "", "text/plain")
PID = "doi:10.7910/DVN/ABC123"


@dataclass(frozen=True)
class Listed:
    """Platforms, and a folder in which the workflow ran on a list of their datasets."""

    platforms: DatasetPlatforms
    workflow: Workflow
    config: tuple[str, ...]
    addresses: tuple[str, ...]

    def write(self, *lines: str) -> None:
        """Writes the list."""
        (self.workflow.folder / "datasets.txt").write_text("\n".join([*lines, ""]))

    def statuses(self) -> list[str]:
        """How each request ended, in the order of the list."""
        return [each["status"] for each in self.workflow.lines("data", "ingest/results.jsonl")]


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listed]:
    with DatasetPlatforms() as platforms:
        addresses = (
            platforms.add_zenodo(1002, [A, B]),
            platforms.add_dataverse(PID, [A]),
            platforms.add_ckan("numbers", numbered(3)),
            platforms.add_zenodo(3002, numbered(25)),
        )
        block = {"datasets": "datasets.txt", "rps": 100_000}
        folder = tmp_path_factory.mktemp("datasets") / "run"
        hosts = {"ingest": {"hosts": platforms.hosts}}
        made = Listed(
            platforms,
            Workflow.make(folder, {"data": block}),
            (f"pipeline={json.dumps(hosts)}",),
            addresses,
        )
        made.write("# what we watch", *addresses, "no address", addresses[0])
        made.workflow.run(config=made.config).succeeded()
        yield made


def test_each_line_of_the_list_has_a_row(listed: Listed) -> None:
    ended = ["success", "success-file", "success", "success", "bad-request", "success"]
    assert listed.statuses() == ended
    for name, schema in (("results", "ingest_result"), ("filesets", "ingest_entity")):
        for line in listed.workflow.lines("data", f"ingest/{name}.jsonl"):
            assert [each.message for each in validator(schema).iter_errors(line)] == []


INGESTED = {
    "ingest_result": "ingest/results.jsonl",
    "ingest_entity": "ingest/filesets.jsonl",
    "ingest_bundle": "ingest/bundles/*/*.json",
}


def test_every_file_that_a_run_leaves_has_a_schema_and_is_what_it_says(listed: Listed) -> None:
    root = listed.workflow.source("data")
    patterns = [each for table in (JSON_LINES, JSON) for each in table.values()]
    known = {path for each in patterns for pattern in each for path in root.glob(pattern)}
    for name in RECORDS:
        for path, value in values_of(root, name):
            assert faults_of(name, value) == [], path
    for name, pattern in INGESTED.items():
        for path in root.glob(pattern):
            known.add(path)
            for line in path.read_bytes().splitlines() if path.suffix == ".jsonl" else ():
                assert faults_of(name, json.loads(line)) == [], path
            if path.suffix == ".json":
                assert faults_of(name, json.loads(path.read_bytes())) == [], path
    found = {path for path in root.rglob("*.json*") if path.suffix in (".json", ".jsonl")}
    assert {str(path.relative_to(root)) for path in found - known} == set()


def test_landing_page_metadata_and_files_are_acquired_and_read(listed: Listed) -> None:
    derived = listed.workflow.derived("data")
    first = listed.addresses[0]
    assert {first, f"{first}#metadata"} <= set(derived)
    content = "https://zenodo.org/api/records/1002/files/a.csv/content"
    assert (derived[content]["kind"], derived[content]["outcome"]) == ("csv", "text")


def test_the_table_has_a_row_a_request(listed: Listed) -> None:
    with sqlite3.connect(listed.workflow.results / "ingest.sqlite") as connection:
        rows = connection.execute(
            "select base_url, hit, status, platform from ingest_fileset_result order by base_url"
        ).fetchall()
    assert sorted(each[0] for each in rows) == sorted(listed.addresses)
    assert {each[3] for each in rows} == {"zenodo", "dataverse", "ckan"}


def test_the_report_counts_requests_by_status(listed: Listed) -> None:
    page = (listed.workflow.source("data") / "report.html").read_text()
    assert 'id="datasets"' in page
    assert "bad-request" in page


def test_nothing_is_left_to_do_after_it(listed: Listed) -> None:
    listed.platforms.forget_requests()
    again = listed.workflow.run(config=listed.config).succeeded()
    assert again.had_nothing_to_do, again.output
    assert listed.platforms.paths() == []


def test_a_missing_file_is_asked_again_when_it_is_due_and_no_other(
    listed: Listed, tmp_path: Path
) -> None:
    workflow = listed.workflow.copy(tmp_path / "copy")
    other = Listed(listed.platforms, workflow, listed.config, listed.addresses)
    path = "/zenodo.org/api/records/2002/files/b.txt/content"
    address = listed.platforms.add_zenodo(2002, [A, B])
    body = listed.platforms.bodies.pop(path)
    other.write(address)
    workflow.run("-R", "enumerate", config=other.config).succeeded()
    assert other.statuses() == ["error-platform-download"]
    listed.platforms.bodies[path] = body
    listed.platforms.forget_requests()
    (row,) = workflow.lines("data", "ingest/results.jsonl")
    state = workflow.json("data", "acquire.json")
    assert state["next_due"][:16] == row["retry_at"][:16], "retries obey the table of statuses"
    assert state["remaining"] == 0


def test_a_list_that_cannot_be_read_fails_the_enumeration_alone(
    listed: Listed, tmp_path: Path
) -> None:
    workflow = listed.workflow.copy(tmp_path / "copy")
    (workflow.folder / "datasets.txt").unlink()
    workflow.run("-R", "enumerate", config=listed.config).succeeded()
    how = workflow.json("data", "snapshot.json")
    assert (how["outcome"], how["method"]) == ("failed", "list")
    assert "datasets.txt: No such file or directory" in how["reason"]
