"""What is damaged on disk is noticed, said, and loses nothing else."""

from pathlib import Path

from tests.workflow.conftest import Archived
from tests.workflow.running import Workflow


def _month(workflow: Workflow) -> Path:
    (month,) = (workflow.source("town") / "record").glob("*.jsonl")
    return month


def test_torn_last_line_of_the_record_is_said_and_loses_nothing(archived: Archived) -> None:
    month = _month(archived.workflow)
    before = month.read_bytes()
    torn = before.splitlines()[-1][:40]
    month.write_bytes(before + torn)
    archived.place.add_pages(["/news"])

    archived.workflow.run("-R", "enumerate").succeeded()

    after = month.read_bytes()
    assert after.startswith(before + torn + b"\n"), "the next line is a line of its own"
    number = len(before.splitlines()) + 1
    said = archived.workflow.json("town", "acquire.json")["torn"]
    assert said == [f"record/{month.name}:{number}"]
    assert archived.place.fetched() == ["/news"], "nothing that stands is asked again"
    assert len(archived.workflow.blobs("town")) == 7
    assert len(archived.workflow.derived("town")) == 7
    assert (
        f"{month.name}:{number}" in (archived.workflow.source("town") / "report.html").read_text()
    )
    assert archived.workflow.run().succeeded().had_nothing_to_do


def test_torn_line_that_named_an_artifact_has_it_acquired_again(archived: Archived) -> None:
    month = _month(archived.workflow)
    before = month.read_bytes()
    lost = archived.workflow.record("town")[-1]["artifact"]
    month.write_bytes(before[:-20])

    archived.workflow.run("-R", "enumerate").succeeded()

    assert [archived.place.at(path) for path in archived.place.fetched()] == [lost]
    assert len(archived.workflow.blobs("town")) == 6
    assert archived.workflow.texts("town").keys() == {
        line["text"].removeprefix("text/") for line in archived.workflow.derived("town").values()
    }


def test_damaged_blob_is_not_read_until_it_is_whole_again(archived: Archived) -> None:
    workflow, source = archived.workflow, archived.workflow.source("town")
    address = archived.place.at("/documents/budget.pdf")
    line = workflow.derived("town")[address]
    blob = source / "blobs" / line["blob"][:2] / line["blob"][2:4] / line["blob"]
    whole = blob.read_bytes()
    blob.write_bytes(whole.replace(b"stream", b"STREAM"))
    _forget(source, line["text"])

    workflow.run().succeeded()

    damaged = workflow.derived("town")[address]
    assert (damaged["outcome"], damaged["text"]) == ("underivable", None)
    assert "damaged" in damaged["reason"]
    assert not (source / line["text"]).exists()
    others = [each for each in workflow.derived("town").values() if each["artifact"] != address]
    assert {each["outcome"] for each in others} == {"text"}
    assert blob.exists(), "nothing removes from the blobs"
    blob.write_bytes(whole)
    _forget(source, line["text"])

    workflow.run().succeeded()

    assert workflow.derived("town")[address] == line


def _forget(source: Path, text: str) -> None:
    """Deletes a text, the lines of its kind and the report, as a person would to read again."""
    (source / text).unlink(missing_ok=True)
    (source / text).with_suffix(".json").unlink(missing_ok=True)
    for path in (source / "derived" / "pdf").rglob("*.jsonl"):
        path.unlink()
    (source / "report.html").unlink()


def test_missing_blob_is_said_and_acquired_again_when_it_is_asked_again(
    archived: Archived,
) -> None:
    workflow, address = archived.workflow, archived.place.at("/documents/fees.csv")
    digest = workflow.blobs("town")[address]
    blob = workflow.source("town") / "blobs" / digest[:2] / digest[2:4] / digest
    whole = blob.read_bytes()
    blob.unlink()
    workflow.write_sources({"town": archived.place.block(revisit="0s")})

    workflow.run("-R", "enumerate").succeeded()

    assert blob.read_bytes() == whole
    asked = {request.path: request.headers for request in archived.place.requests}
    assert "if-none-match" not in asked["/documents/fees.csv"]
    assert "if-none-match" in asked["/documents/budget.pdf"]
