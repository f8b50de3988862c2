"""Audits of what is odd: hostile texts, no source, very many, and paper."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pypdfium2
import pytest

from centinel.configuration import Source
from centinel.report import overview, source
from centinel.store import Store
from tests.browser.devtools import Page
from tests.unit.report.results import (
    PIPELINE,
    SITE,
    SOURCE,
    Results,
    clock,
    configuration,
    snapshot,
    state,
)

pytestmark = pytest.mark.slow  # a browser

RIGHT_TO_LEFT = "\u202e"
HOSTILE = {
    "markup": "</script><script>document.title = 'taken'</script><img src=http://x.example/>",
    "direction": f"{RIGHT_TO_LEFT}gnirts a{RIGHT_TO_LEFT * 50}",
    "long": "x" * 10_000,
    "wide": "\N{CJK UNIFIED IDEOGRAPH-4E00}" * 400,
    "quotes": "\"' onmouseover='alert(1)' data-filter=\"",
}


def hostile(folder: Path, text: str) -> Store:
    """A source in which a stranger wrote the same text wherever one can."""
    address = f"{SITE}{text}"
    states = [state(address, "error", reason=text), state(f"{address}2", "blocked", reason=text)]
    results = Results(folder, states=[*states, *(state(f"{SITE}{n}") for n in range(9))])
    results.add(address, title=text, notes=[text], claims=(text,))
    results.add(f"{address}?2", "pdf", "underivable", reason=text, title=text)
    report = snapshot(
        outcome="failed", reason=text, found=None, method=text, notes=[text], figures={text: text}
    )
    store = results.write(report, warnings=[text], torn=[text])
    source.write(store, SOURCE, PIPELINE, clock)
    return store


def all_of(folder: Path, names: Sequence[str]) -> Path:
    """The audit of many sources, every third of which is in trouble."""
    for number, name in enumerate(names):
        liveness = "live" if number % 3 else "blocked"
        results = Results(folder, name, states=[state(SITE, liveness, reason="http 403")])
        results.write(snapshot(source=name, found=10**9 + number, new=number))
    sources: list[Source] = [replace(SOURCE, identifier=name) for name in names]
    overview.write(configuration(folder, *sources), clock)
    return folder / "report.html"


def widths(page: Page, path: Path) -> int:
    """How wide the page is on a phone of 360 points."""
    page.show(360, 740, is_phone=True)
    page.open(path)
    width: int = page.run("document.documentElement.scrollWidth")
    return width


@pytest.mark.parametrize("name", HOSTILE)
def test_what_strangers_wrote_stays_text_and_in_its_place(
    name: str, tmp_path: Path, page: Page
) -> None:
    path = hostile(tmp_path, HOSTILE[name]).report
    assert widths(page, path) == 360
    assert page.run("document.title") == "town: audit"
    assert page.requests == [path.as_uri()]
    assert page.complaints == []
    page.run("document.querySelectorAll('button.sort').forEach(button => button.click())")
    assert page.complaints == []


def test_two_hundred_sources_of_long_names_are_found_by_a_filter(
    tmp_path: Path, page: Page
) -> None:
    names = [f"source-{number:03d}-{'of-a-long-name-' * 4}"[:60] for number in range(200)]
    path = all_of(tmp_path, names)
    assert widths(page, path) == 360
    page.run("document.querySelector('#rows-sources input').focus()")
    page.type("-blocked=0")
    said = page.run("document.querySelector('#rows-sources output').textContent")
    assert said == "67 of 200 rows"
    text = page.run("document.querySelector('#attention').innerText")
    assert "17 more sources need attention" in text
    assert page.complaints == []


def test_no_source_at_all_has_a_page(tmp_path: Path, page: Page) -> None:
    path = all_of(tmp_path, [])
    assert widths(page, path) == 360
    assert "No source is enabled" in page.run("document.body.innerText")
    assert page.complaints == []


def printed(page: Page, path: Path) -> str:
    """The words on paper."""
    page.print(path)
    paper = pypdfium2.PdfDocument(path)
    return " ".join(" ".join(sheet.get_textpage().get_text_bounded().split()) for sheet in paper)


def test_paper_has_what_is_closed_and_says_what_a_filter_leaves(
    results: Path, page: Page, tmp_path: Path, pictures: Path
) -> None:
    page.open(results / "town/report.html")
    words = printed(page, tmp_path / "town.pdf")
    assert "Liveness over time: figures" in words, "which is closed on the screen"
    assert "Filter" not in words
    assert words.count("Artifact Kind Size Outcome") > 2, "a head stands on each sheet"
    assert page.run("document.querySelectorAll('details[open]').length") == 0, "closed again"
    page.run("document.querySelector('#glance-blocked .figure a').click()")
    assert "of which the filter was: liveness=blocked snapshot=yes" in printed(
        page, pictures / "town.pdf"
    )
