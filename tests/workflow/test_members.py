"""Documents in an archive are read like any others, and never cost a request."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.sites.server import Answer
from tests.unit.readers.archives import zip_of
from tests.workflow.place import ENUMERATION, Place, csv, html, pdf
from tests.workflow.running import Workflow

MINUTES = pdf("Minutes of the council", "The motion was carried")
FEES = csv("permit,fee", "building,120", "dog,25")


def packet(*more: tuple[str, bytes]) -> Answer:
    """A zip of two documents, and more."""
    files = [("minutes.pdf", MINUTES.body), ("tables/fees.csv", FEES.body), *more]
    return Answer(zip_of(files), "application/zip")


def test_documents_in_an_archive_have_texts_and_cost_no_request(
    place: Place, tmp_path: Path
) -> None:
    place.add("/council", html("Council"))
    place.add("/packet.zip", packet())
    workflow = Workflow.make(tmp_path / "town", {"town": place.block()})

    ran = workflow.run().succeeded()

    assert sorted(place.fetched()) == ["/council", "/packet.zip"]
    at = place.at("/packet.zip")
    derived = workflow.derived("town")
    assert {name: (line["kind"], line["outcome"]) for name, line in derived.items()} == {
        place.at("/council"): ("html", "text"),
        at: ("zip-container", "text"),
        f"{at}!/minutes.pdf": ("pdf", "text"),
        f"{at}!/tables/fees.csv": ("csv", "text"),
    }
    texts = {
        name: (workflow.source("town") / line["text"]).read_text() for name, line in derived.items()
    }
    assert "The motion was carried" in texts[f"{at}!/minutes.pdf"]
    assert "| building | 120 |" in texts[f"{at}!/tables/fees.csv"]
    assert "- `tables/fees.csv`" in texts[at]
    assert ran.kinds_read == {"html": 1, "pdf": 1, "csv": 1, "zip-container": 1}

    report = (workflow.source("town") / "report.html").read_text()
    assert ">2 artifacts</a> are at an address of their own" in report

    place.forget_requests()
    assert workflow.run().succeeded().had_nothing_to_do
    assert place.paths() == []

    again = workflow.run("-R", "enumerate").succeeded()

    assert set(place.paths()) == ENUMERATION
    assert again.kinds_read == Counter()


@pytest.mark.slow
def test_only_the_new_member_of_a_changed_archive_is_read(place: Place, tmp_path: Path) -> None:
    place.add("/packet.zip", packet())
    workflow = Workflow.make(tmp_path / "town", {"town": place.block()})
    workflow.run().succeeded()
    before = workflow.times("town", "text/*/*/*/*.md")
    place.forget_requests()
    place.add("/packet.zip", packet(("tables/roads.csv", b"road,cost\r\nelm,7\r\n")))
    place.modified["/packet.zip"] = datetime.now(UTC).isoformat()

    ran = workflow.run("-R", "enumerate").succeeded()

    assert place.fetched() == ["/packet.zip"]
    assert ran.kinds_read == {"csv": 1, "zip-container": 1}
    after = workflow.times("town", "text/*/*/*/*.md")
    assert before.items() <= after.items()
    assert len(after) == len(before) + 2
    assert f"{place.at('/packet.zip')}!/tables/roads.csv" in workflow.derived("town")
