"""Blobs are verified where that is asked for; what is lost comes back with the next plain run."""

from pathlib import Path

import bagit
import orjson
import pytest

from tests.workflow.conftest import Archived
from tests.workflow.place import refusal
from tests.workflow.running import Workflow, wait_until
from tests.workflow.sabotage import Sabotage
from tests.workflow.test_records import faults_of

VERIFIED = "results/town/.verified"
ALWAYS = ("verify={after: 0s}",)
BUDGET, MINUTES, FEES = "/documents/budget.pdf", "/documents/minutes.pdf", "/documents/fees.csv"


def blob_of(archived: Archived, path: str) -> Path:
    """Where the blob of a path lies."""
    digest = archived.workflow.blobs("town")[archived.place.at(path)]
    return archived.workflow.source("town") / "blobs" / digest[:2] / digest[2:4] / digest


def damage(blob: Path) -> bytes:
    """Changes one bit of a blob; returns its bytes before."""
    whole = blob.read_bytes()
    blob.write_bytes(bytes([whole[0] ^ 1]) + whole[1:])
    return whole


def checks(workflow: Workflow) -> list[dict[str, object]]:
    """The lines of the record that say what was verified."""
    lines = [line for line in workflow.record("town") if line["type"] == "fixity"]
    assert [fault for line in lines for fault in faults_of("record_line", line)] == []
    return lines


def test_a_plain_run_verifies_nothing(archived: Archived) -> None:
    assert {"verify", "verified"}.isdisjoint(archived.ran.jobs)
    assert not (archived.workflow.source("town") / "fixity").exists()


def test_a_verification_asks_nobody_and_the_next_plain_run_tells_it(archived: Archived) -> None:
    workflow = archived.workflow
    ran = workflow.run(VERIFIED).succeeded()
    assert ran.jobs == {"verify": 1, "verified": 1}
    assert (ran.own_lines, archived.place.paths()) == ([], [])
    assert workflow.reports() == {"report.html", "town/report.html"}
    assert workflow.run(VERIFIED).succeeded().had_nothing_to_do
    told = workflow.run().succeeded()
    assert told.jobs == {"report": 1, "overview": 1, "all": 1}
    assert workflow.run().succeeded().had_nothing_to_do
    assert workflow.run(VERIFIED).succeeded().had_nothing_to_do
    found = workflow.json("town", "fixity/0-of-1.json")
    assert faults_of("fixity", found) == []
    assert (found["files"], found["damaged"], found["missing"], found["unknown"]) == (6, [], [], [])
    assert [line["files"] for line in checks(workflow)] == [6]


def test_what_is_lost_is_set_aside_said_asked_again_and_whole_again(archived: Archived) -> None:
    workflow, root = archived.workflow, archived.workflow.source("town")
    budget, minutes, fees = (blob_of(archived, path) for path in (BUDGET, MINUTES, FEES))
    whole = {budget: damage(budget), minutes: minutes.read_bytes(), fees: fees.read_bytes()}
    minutes.write_bytes(whole[minutes][:-100])
    fees.unlink()
    stray = root / "blobs" / "notes.txt"
    stray.write_text("somebody's")
    texts, states = workflow.texts("town"), workflow.states("town")

    ran = workflow.run("results/.verified").succeeded()

    assert ran.jobs == {"verify": 1, "verified": 1, "all_verified": 1}
    (said,) = ran.own_lines
    assert "2 damaged, 1 missing, 1 unknown: results/town/fixity/0-of-1.json" in said
    assert not any(blob.exists() for blob in whole)
    assert budget.with_name(f"{budget.name}.damaged").stat().st_size == len(whole[budget])
    assert minutes.with_name(f"{minutes.name}.damaged").read_bytes() == whole[minutes][:-100]
    (line,) = checks(workflow)
    assert {each["artifact"]: each["found"] for each in line["lost"]} == {  # type: ignore[attr-defined]
        archived.place.at(BUDGET): "damaged",
        archived.place.at(MINUTES): "damaged",
        archived.place.at(FEES): "missing",
    }
    assert workflow.texts("town") == texts

    mended = workflow.run().succeeded()

    assert sorted(archived.place.fetched()) == sorted([BUDGET, MINUTES, FEES])
    assert {blob: blob.read_bytes() for blob in whole} == whole
    assert "extract" not in mended.jobs
    assert workflow.texts("town") == texts
    assert workflow.states("town").keys() == states.keys()
    assert {state["liveness"] for state in workflow.states("town").values()} == {"live"}
    assert workflow.run().succeeded().had_nothing_to_do
    again = workflow.run("results/.verified", config=ALWAYS).succeeded()
    assert again.jobs == {"verify": 1, "verified": 1, "all_verified": 1}
    assert "0 damaged, 0 missing, 1 unknown" in again.own_lines[0]
    assert stray.read_text() == "somebody's"
    assert len(checks(workflow)) == 2


def test_an_address_that_is_gone_meanwhile_leaves_its_text(archived: Archived) -> None:
    workflow, address = archived.workflow, archived.place.at(BUDGET)
    line = workflow.derived("town")[address]
    blob = blob_of(archived, BUDGET)
    damage(blob)
    archived.place.set(BUDGET, refusal(404))
    workflow.run(VERIFIED).succeeded()

    workflow.run().succeeded()

    assert archived.place.fetched() == [BUDGET]
    assert workflow.states("town")[address]["liveness"] == "gone"
    assert workflow.derived("town")[address] == line
    assert (workflow.source("town") / line["text"]).exists()
    assert blob.name[:12] in (workflow.source("town") / "tables" / "artifacts.csv").read_text()
    assert workflow.run().succeeded().had_nothing_to_do
    assert not blob.exists()


@pytest.mark.slow
def test_what_was_damaged_before_it_was_read_is_read_once_it_is_whole(archived: Archived) -> None:
    workflow, address = archived.workflow, archived.place.at(BUDGET)
    source, line = workflow.source("town"), workflow.derived("town")[address]
    damage(blob_of(archived, BUDGET))
    for path in (source / line["text"], (source / line["text"]).with_suffix(".json")):
        path.unlink()
    for path in (source / "derived" / "pdf").rglob("*.jsonl"):
        path.unlink()
    (source / "report.html").unlink()
    workflow.run().succeeded()
    unread = workflow.derived("town")[address]
    assert (unread["outcome"], unread["underivable"]) == ("underivable", None)

    workflow.run(VERIFIED).succeeded()
    ran = workflow.run().succeeded()

    assert ran.kinds_read["pdf"] == 1
    assert workflow.derived("town")[address] == line
    assert workflow.run().succeeded().had_nothing_to_do


def test_a_kill_between_setting_aside_and_the_record_is_made_up(
    archived: Archived, tmp_path: Path
) -> None:
    workflow, blob = archived.workflow, blob_of(archived, BUDGET)
    aside = blob.with_name(f"{blob.name}.damaged")
    whole = damage(blob)
    sabotage = Sabotage.make(
        tmp_path / "sabotage", "verify.py", "record/*.jsonl", stands_still=True
    )
    with workflow.started(VERIFIED, environment=sabotage.environment) as running:
        wait_until(lambda: sabotage.has_happened, "the job comes to the record")
        running.kill()
    assert aside.exists()
    assert not blob.exists()
    assert checks(workflow) == []

    ran = workflow.run(VERIFIED).succeeded()

    assert "1 damaged, 0 missing, 0 unknown" in ran.own_lines[0]
    assert [line["damaged"] for line in checks(workflow)] == [[blob.name]]
    workflow.run().succeeded()
    assert archived.place.fetched() == [BUDGET]
    assert blob.read_bytes() == whole
    assert workflow.run().succeeded().had_nothing_to_do


def test_a_verification_that_failed_is_made_up_when_it_is_asked_for_again(
    archived: Archived, tmp_path: Path
) -> None:
    workflow, blob = archived.workflow, blob_of(archived, BUDGET)
    workflow.run("results/.verified").succeeded()
    before = workflow.json("town", "fixity/0-of-1.json")
    damage(blob)
    sabotage = Sabotage.make(tmp_path / "sabotage", "verify.py", "record/*.jsonl")
    failed = workflow.run(
        "results/.verified", "--forcerun", "verify", environment=sabotage.environment
    ).failed()
    assert "No space left on device" in failed.own_lines[0]
    assert workflow.json("town", "fixity/0-of-1.json") == before, "what was found before it"

    made_up = workflow.run("results/.verified").succeeded()

    assert made_up.jobs == {"verify": 1, "verified": 1, "all_verified": 1}
    assert "1 damaged" in made_up.own_lines[0]
    assert workflow.run("results/.verified").succeeded().had_nothing_to_do


@pytest.mark.slow
def test_a_run_verifies_no_more_shards_than_it_may(archived: Archived) -> None:
    workflow = archived.workflow
    artifacts = workflow.source("town") / "artifacts.jsonl"
    artifacts.write_bytes(artifacts.read_bytes() + b"\n" * 300_000)  # as many have
    bounded = ("verify={shards: 7}",)
    counts = [workflow.run(VERIFIED, config=bounded).succeeded().jobs["verify"] for _ in range(4)]
    assert counts == [7, 7, 2, 0]
    lines = checks(workflow)
    assert len({line["shard"] for line in lines}) == len(lines) == 16
    assert sum(int(str(line["files"])) for line in lines) == 6


@pytest.mark.slow
def test_what_a_run_acquires_while_it_verifies_is_neither_missing_nor_unknown(
    archived: Archived,
) -> None:
    workflow = archived.workflow
    archived.place.add_pages([f"/later/{number}" for number in range(40)])
    ran = workflow.run("all", VERIFIED, "-R", "enumerate").succeeded()
    assert ran.jobs["verify"] == 1
    assert ran.own_lines == []
    found = workflow.json("town", "fixity/0-of-1.json")
    assert (found["missing"], found["unknown"]) == ([], [])
    workflow.run().succeeded()
    assert workflow.run().succeeded().had_nothing_to_do


@pytest.mark.slow
def test_exports_say_which_bytes_were_lost(archived: Archived) -> None:
    workflow, blob = archived.workflow, blob_of(archived, BUDGET)
    damage(blob)
    missing = blob_of(archived, FEES)
    missing.unlink()
    workflow.run(VERIFIED).succeeded()
    archived.place.set(BUDGET, refusal(404))
    archived.place.set(FEES, refusal(404))
    folder = workflow.source("town") / "export"
    workflow.run("results/town/export/town.warc.gz", "results/town/export/town.bag").succeeded()
    listed = orjson.loads((folder / "town.warc.json").read_bytes())
    bag = bagit.Bag(str(folder / "town.bag"))
    bag.validate()
    contents = orjson.loads((folder / "town.bag" / "data" / "contents.json").read_bytes())
    for each in (listed, contents):
        said = {fault["blob"]: fault["reason"] for fault in each["without_bytes"]}
        assert said == {blob.name: "damaged", missing.name: "missing"}


@pytest.mark.parametrize(
    "target", ["results/nowhere/.verified", "results/nowhere/fixity/0-of-1.verified"]
)
def test_a_source_that_is_not_there_is_one_line(archived: Archived, target: str) -> None:
    ran = archived.workflow.run(target).failed()
    assert ran.own_lines == [
        "centinel: sources.yaml: no source 'nowhere': add a block, or ask for one that is there"
    ]


def test_a_source_without_a_block_is_verified_by_name(archived: Archived) -> None:
    workflow, blob = archived.workflow, blob_of(archived, BUDGET)
    workflow.write_sources({"another": archived.place.block()})
    damage(blob)
    ran = workflow.run(VERIFIED).succeeded()
    assert ran.jobs == {"verify": 1, "verified": 1}
    assert "1 damaged" in ran.own_lines[0]


def test_a_source_of_which_nothing_was_acquired_has_nothing_to_verify(
    archived: Archived, tmp_path: Path
) -> None:
    workflow = Workflow.make(tmp_path / "new", {"town": archived.place.block()})
    assert workflow.run(VERIFIED).succeeded().jobs == {"verified": 1}
    assert archived.place.paths() == []
    workflow.run().succeeded()
    assert workflow.run(VERIFIED).succeeded().jobs == {"verify": 1, "verified": 1}
