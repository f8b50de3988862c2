"""What was read can be searched and browsed, where that is asked for, and costs no run else."""

import os
from io import BytesIO
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from centinel.search.finding import find
from tests.sites.server import Answer
from tests.workflow.place import Place, html, refusal
from tests.workflow.running import Workflow

ASKED = ("results/.search", "results/town/.current")


def pdf_of_pages(*pages: str) -> Answer:
    """A PDF file with a sentence a page."""
    buffer = BytesIO()
    canvas = Canvas(buffer, invariant=1)
    for sentence in pages:
        canvas.drawString(72, 720, sentence)
        canvas.showPage()
    canvas.save()
    return Answer(buffer.getvalue(), "application/pdf")


def links(workflow: Workflow) -> dict[str, str]:
    """The texts at the ends of the links of `current/`."""
    root = workflow.source("town") / "current"
    found = (Path(folder, name) for folder, _, names in os.walk(root) for name in names)
    return {path.relative_to(root).as_posix(): path.read_text() for path in found}


@pytest.mark.slow
def test_a_word_is_found_on_its_page_until_its_document_is_gone(
    place: Place, tmp_path: Path
) -> None:
    place.add("/council", html("Council", words="The council meets on Mondays."))
    place.add(
        "/council/budget.pdf",
        pdf_of_pages("The roads of the town cost 120000", "The marina costs 25000 dollars a year"),
    )
    workflow = Workflow.make(tmp_path / "town", {"town": place.block()})

    plain = workflow.run().succeeded()
    assert not plain.jobs.keys() & {"search", "current"}
    report = workflow.source("town") / "report.html"
    made = report.stat().st_mtime_ns

    asked = workflow.run(*ASKED).succeeded()
    assert asked.jobs == {"search": 1, "current": 1}
    assert report.stat().st_mtime_ns == made, "the audit says the same"
    assert workflow.run(*ASKED).succeeded().had_nothing_to_do
    assert workflow.run().succeeded().had_nothing_to_do

    (found,) = find(workflow.results, "marina dollars")
    assert (found.page, found.kind) == (2, "pdf")
    assert found.places[0].address == place.at("/council/budget.pdf")
    assert found.places[0].blob == workflow.blobs("town")[found.places[0].address]
    assert "25000" in (workflow.results / found.places[0].text).read_text()
    host = place.address.removeprefix("http://")
    tree = links(workflow)
    assert sorted(tree) == [f"{host}/council.md", f"{host}/council/budget.pdf.md"]
    assert "The marina costs" in tree[f"{host}/council/budget.pdf.md"]

    place.set("/council/budget.pdf", refusal(404))
    place.listed.remove("/council/budget.pdf")
    workflow.run(*ASKED, "-R", "enumerate").succeeded()

    assert find(workflow.results, "marina") == []
    assert len(find(workflow.results, "council mondays")) == 1
    assert sorted(links(workflow)) == [f"{host}/council.md"]
