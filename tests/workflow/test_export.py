"""Exports are made where they are asked for by name, and leave the audit as it is."""

from pathlib import Path

import bagit
import orjson
import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.workflow.conftest import Archived
from tests.workflow.place import Place, publish
from tests.workflow.running import Workflow
from tests.workflow.test_records import faults_of

WARC = "results/town/export/town.warc.gz"
BAG = "results/town/export/town.bag"


def test_a_plain_run_makes_no_export(archived: Archived) -> None:
    assert not (archived.workflow.source("town") / "export").exists()
    assert {"warc", "bag"}.isdisjoint(archived.ran.jobs)


def test_a_source_is_exported_and_its_audit_stays(archived: Archived) -> None:
    workflow = archived.workflow
    ran = workflow.run(WARC, BAG).succeeded()
    assert {"warc", "bag"} <= set(ran.jobs) <= {"warc", "bag", "all"}
    assert archived.place.paths() == [], "an export asks nobody"
    assert workflow.reports() == {"report.html", "town/report.html"}
    assert workflow.run().succeeded().had_nothing_to_do
    _is_whole_warc(archived)
    bagit.Bag(str(workflow.folder / BAG)).validate()
    listed = orjson.loads((workflow.source("town") / "export" / "town.warc.json").read_bytes())
    contents = orjson.loads((workflow.folder / BAG / "data" / "contents.json").read_bytes())
    assert faults_of("warc_list", listed) == faults_of("bag_contents", contents) == []
    assert contents["blobs"] == len(set(workflow.blobs("town").values()))


def _is_whole_warc(archived: Archived) -> None:
    """Every artifact's bytes are in the file, at its address."""
    payloads = {}
    with (archived.workflow.folder / WARC).open("rb") as stream:
        for record in ArchiveIterator(stream, check_digests="raise"):
            if record.rec_type == "response":
                address = record.rec_headers.get_header("WARC-Target-URI")
                payloads[address] = record.content_stream().read()
    root = archived.workflow.source("town") / "blobs"
    kept = {
        address: (root / blob[:2] / blob[2:4] / blob).read_bytes()
        for address, blob in archived.workflow.blobs("town").items()
    }
    assert payloads == kept


@pytest.mark.slow
def test_an_export_that_is_asked_for_first_gets_the_source_first(archived: Archived) -> None:
    workflow = archived.workflow
    archived.place.add_pages(["/later"])
    workflow.run(WARC, "-R", "enumerate").succeeded()
    assert "town/report.html" not in workflow.reports(), "the audit is owed: a plain run makes it"
    listed = orjson.loads((workflow.source("town") / "export" / "town.warc.json").read_bytes())
    assert listed["records"]["response"] == len(workflow.blobs("town"))
    assert archived.place.at("/later") in workflow.blobs("town")
    assert workflow.run().succeeded().jobs["report"] == 1


@pytest.mark.slow
def test_what_is_there_is_exported_though_an_acquire_is_due(place: Place, tmp_path: Path) -> None:
    publish(place)
    workflow = Workflow.make(tmp_path / "run", {"town": place.block(limit=2)})
    workflow.run().succeeded()
    place.forget_requests()
    ran = workflow.run(WARC, "--allowed-rules", "warc").succeeded()
    assert set(ran.jobs) == {"warc"}
    assert place.paths() == []
    listed = orjson.loads((workflow.source("town") / "export" / "town.warc.json").read_bytes())
    assert listed["records"]["response"] == len(workflow.blobs("town")) < len(place.listed)
