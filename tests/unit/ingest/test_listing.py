"""A list of datasets as a source of the acquire loop."""

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from centinel import snapshot
from centinel.acquire import Loop
from centinel.answers import Answer
from centinel.configuration import Source
from centinel.download import Interrupted
from centinel.http import Client
from centinel.ingest import database
from centinel.ingest.listing import write_results
from centinel.liveness import Refusal
from centinel.progress import Progress
from centinel.record import Json, Liveness, SnapshotReport
from centinel.sources.datasets import Datasets
from centinel.sources.source_kind import Enumeration
from centinel.store import Store
from tests.sites.dataset_platforms import DatasetPlatforms
from tests.sites.dataset_shapes import DataFile
from tests.unit.ingest.ingesting import statuses
from tests.unit.support import Clock, assert_valid, client, lines_of, source

A, B = DataFile("a.csv", b"1,2\n"), DataFile("b.csv", b"3,4,5\n")


@dataclass
class Listed:
    """A source whose list a test writes, and its jobs one after the other."""

    folder: Path
    platforms: DatasetPlatforms
    clock: Clock = field(default_factory=Clock)
    kind: Datasets = field(default_factory=Datasets)
    settings: Json = field(default_factory=dict)

    @property
    def store(self) -> Store:
        return Store(self.folder / "results", "data")

    @property
    def source(self) -> Source:
        ingest = {"hosts": self.platforms.hosts}
        given: dict[str, Any] = {"identifier": "data", "key": "datasets", "ingest": ingest}
        return source(str(self.folder / "list.txt"), **given, **self.settings)

    def write(self, *lines: str) -> None:
        """Writes the list."""
        (self.folder / "list.txt").write_text("\n".join(lines))

    def enumerate(self) -> SnapshotReport:
        """Takes a snapshot."""
        asking = client(self.store.incoming)
        return snapshot.take(self.store, self.source, self.kind, asking, self.clock)

    def acquire(self) -> Json:
        """Acquires what is due; returns the state that was left."""
        asking = client(self.store.incoming, max_bytes=self.source.max_bytes)
        progress = Progress("acquire", streams=())
        loop = Loop(self.store, self.source, self.kind, asking, progress, self.clock)
        loop.run(0)
        return dict(loop.counts)

    def rows(self) -> list[Json]:
        """Writes the results, and returns them."""
        write_results(self.store, self.source, clock=self.clock)
        rows = lines_of(self.store.ingest_results)
        assert_valid(rows, "ingest_result")
        return rows

    def run(self) -> list[Json]:
        """All three."""
        self.enumerate()
        self.acquire()
        return self.rows()


@pytest.fixture
def listed(tmp_path: Path, platforms: DatasetPlatforms) -> Listed:
    """A source whose list is not there yet."""
    return Listed(tmp_path, platforms)


def test_each_address_is_one_resource_and_each_line_one_row(listed: Listed) -> None:
    address = listed.platforms.add_zenodo(1002, [A])
    request = f'{{"ingest_type": "dataset", "base_url": "{address}", "link_source": "doi"}}'
    listed.write("# a comment", address, "", request, "no address", "10.5281/ZENODO.7")
    report = listed.enumerate()
    assert (report.method, report.outcome, report.found) == ("list", "ok", 2)
    assert report.figures == {"lines": 4, "bad_lines": 1, "repeated": 1}
    assert report.warnings == ["line 5: 'no address' is no http address and no DOI"]
    resources = [each["address"] for each in lines_of(listed.store.snapshot)]
    assert resources == ["https://doi.org/10.5281/zenodo.7", address]
    listed.acquire()
    rows = listed.rows()
    assert [each["status"] for each in rows] == [
        "success-file",
        "success-file",
        "bad-request",
        "not-found",
    ]
    assert rows[1]["request"]["link_source"] == "doi"


def test_a_list_that_is_not_there_fails_and_leaves_the_requests_of_the_snapshot(
    listed: Listed,
) -> None:
    listed.write(listed.platforms.add_zenodo(1002, [A]))
    assert listed.run()[0]["hit"]
    (listed.folder / "list.txt").unlink()
    report = listed.enumerate()
    assert (report.outcome, report.found) == ("failed", None)
    assert "No such file or directory: name a file that can be read" in (report.reason or "")
    assert [each["hit"] for each in listed.rows()] == [True]


def test_private_addresses_are_asked_only_where_the_list_names_one(
    listed: Listed, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = listed.platforms.add_dataverse("doi:10.7910/DVN/ABC123", [A])
    redirected = "http://public.example/data"
    listed.write(private, redirected)

    def resolved(host: str) -> bool:
        return host != "public.example"

    monkeypatch.setattr("centinel.addresses.is_private", resolved)
    asked: list[tuple[str, bool]] = []
    get = Client.get

    def noted(self: Client, address: str, *more: Any, **named: Any) -> Answer:
        asked.append((address, self.private_is_allowed))
        if address == redirected:
            return Refusal(Liveness.GONE, "http 404", 404)
        return get(self, address, *more, **named)

    monkeypatch.setattr(Client, "get", noted)
    assert [each["status"] for each in listed.run()] == ["success-file", "not-found"]
    assert {is_allowed for address, is_allowed in asked if address == redirected} == {False}
    assert {is_allowed for address, is_allowed in asked if address != redirected} == {True}


def test_what_is_left_out_or_not_asked_yet_says_so(listed: Listed) -> None:
    first, second = (listed.platforms.add_zenodo(each, [A, B]) for each in (1002, 1004))
    listed.write(first, second)
    listed.settings = {"exclude": ("/1004", r"/b\.csv")}
    rows = listed.run()
    assert [each["status"] for each in rows] == ["skip-url-blocklist"] * 2
    assert statuses(rows[0]) == {"a.csv": "success", "b.csv": "skip-url-blocklist"}
    assert rows[1]["manifest"] is None
    listed.settings = {"limit": 1}
    (listed.folder / "results").rename(listed.folder / "before")
    rows = listed.run()
    assert [each["status"] for each in rows] == ["success", "no-capture"]
    assert rows[1]["terminal_url"] == second, "the missing address"


class Stopping(Datasets):
    """A kind that is ended by a signal at a part."""

    def __init__(self, at: str) -> None:
        super().__init__()
        self.at = at

    def fetch_part(self, source: Source, client: Client, artifact: str, validators: Any) -> Answer:
        """Ends at the part."""
        if artifact.endswith(self.at):
            raise Interrupted
        return super().fetch_part(source, client, artifact, validators)


@pytest.mark.parametrize("at", ["/1002", "a.csv/content", "b.csv/content"])
def test_what_was_not_fetched_before_the_end_is_owed(listed: Listed, at: str) -> None:
    listed.write(listed.platforms.add_zenodo(1002, [A, B]))
    listed.enumerate()
    listed.kind = Stopping(at)
    listed.acquire()
    (row,) = listed.rows()
    assert (row["hit"], row["status"]) == (False, "no-capture")
    (state,) = lines_of(listed.store.resources)
    assert state["owed"]
    listed.kind = Datasets()
    listed.platforms.forget_requests()
    listed.acquire()
    (row,) = listed.rows()
    assert (row["hit"], row["status"]) == (True, "success")
    assert listed.platforms.asked("/zenodo.org/api/records/1002") == 0, "the manifest is known"


def test_a_revisit_is_conditional_and_sees_a_new_version_of_the_metadata(listed: Listed) -> None:
    address = listed.platforms.add_zenodo(1002, [A])
    listed.write(address)
    assert listed.run()[0]["file_count"] == 1
    listed.platforms.add_zenodo(1002, [A, B])
    listed.clock.move(timedelta(days=31))
    listed.platforms.forget_requests()
    listed.acquire()
    (row,) = listed.rows()
    assert (row["status"], row["file_count"]) == ("success", 2)
    again = [each for each in listed.platforms.requests if each.path.endswith("a.csv/content")]
    assert len(again) == 1
    assert "if-none-match" in again[0].headers


def test_what_was_a_hit_stays_one_when_its_page_is_gone(listed: Listed) -> None:
    listed.write(listed.platforms.add_zenodo(1002, [A]))
    before = listed.run()[0]
    listed.platforms.remove("/zenodo.org/records/1002")
    listed.clock.move(timedelta(days=31))
    listed.acquire()
    (row,) = listed.rows()
    assert row["hit"], "its bytes are here"
    assert row["manifest"][0]["observed"] == before["manifest"][0]["observed"]
    (state,) = lines_of(listed.store.resources)
    assert state["liveness"] == "gone"


def test_enumeration_asks_nothing(listed: Listed) -> None:
    listed.write(listed.platforms.add_zenodo(1002, [A]))
    assert isinstance(listed.kind.enumerate(listed.source, client(listed.folder)), Enumeration)
    assert listed.platforms.paths() == []


def test_a_database_that_cannot_be_had_leaves_the_files(
    listed: Listed, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed.write(listed.platforms.add_zenodo(1002, [A]))
    listed.enumerate()
    listed.acquire()
    monkeypatch.setenv(database.VARIABLE, "postgresql://me:hidden@127.0.0.1:1/none")
    with pytest.raises(database.DatabaseError, match=database.VARIABLE):
        listed.rows()
    assert [each["status"] for each in lines_of(listed.store.ingest_results)] == ["success-file"]
    monkeypatch.delenv(database.VARIABLE)
    assert listed.rows()[0]["hit"]
