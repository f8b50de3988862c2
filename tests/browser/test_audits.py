"""The audits in a real browser: nothing is asked for, tables obey, and everybody can read them."""

from pathlib import Path

import pytest

from centinel.files import read_lines
from tests.browser.devtools import Page

pytestmark = pytest.mark.slow  # a browser, and an archive that is read by real readers

AUDITS = ("report.html", "town/report.html", "county/report.html", "datasets/report.html")
TOWN = "town/report.html"
SHOWN = "[...document.querySelector('#rows-{} tbody').rows].filter(row => !row.hidden)"


def shown(page: Page, table: str, cell: str = "row.textContent") -> list[str]:
    """Something of each row of a table that is not filtered away, in their order."""
    found: list[str] = page.run(f"{SHOWN.format(table)}.map(row => {cell})")
    return found


def type_filter(page: Page, table: str, text: str) -> None:
    """Writes in the filter of a table, in place of what is there."""
    page.run(f"document.querySelector('#rows-{table} input').select()")
    page.run(f"document.querySelector('#rows-{table} input').focus()")
    page.type(text)


def column(table: str, label: str) -> str:
    """The script's name for the button in the head of a column."""
    heads = f"[...document.querySelectorAll('#rows-{table} thead th')]"
    return f"{heads}.find(head => head.textContent.trim() === '{label}').firstElementChild"


@pytest.mark.parametrize("audit", AUDITS)
def test_an_audit_asks_for_nothing_and_complains_of_nothing(
    audit: str, results: Path, page: Page
) -> None:
    page.open(results / audit)
    page.run("document.querySelectorAll('button.sort').forEach(button => button.click())")
    assert page.requests == [(results / audit).as_uri()]
    assert page.complaints == []


def test_no_other_script_may_run(results: Path, page: Page) -> None:
    page.open(results / TOWN)
    assert page.run("document.querySelectorAll('button.sort').length") > 10
    added = "Object.assign(document.createElement('script'), {textContent: 'window.ran = true'})"
    page.run(f"document.body.append({added})")
    page.run("document.body.insertAdjacentHTML('beforeend', '<b onclick=\"ran = true\">x</b>')")
    page.run("document.querySelector('b').click()")
    assert page.run("window.ran") is None


def test_numbers_are_sorted_as_numbers_and_nothing_stands_last(results: Path, page: Page) -> None:
    page.open(results / TOWN)
    sizes = [line["size"] for line in read_lines(results / "town/artifacts.jsonl")]
    button, cell = column("artifacts", "Size"), "+row.cells[2].dataset.sort"
    page.run(f"{button}.click()")
    assert shown(page, "artifacts", cell) == sorted(sizes, reverse=True)
    assert page.run(f"{button}.parentElement.ariaSort") == "descending"
    page.run(f"{button}.click()")
    assert shown(page, "artifacts", cell) == sorted(sizes)
    assert page.run(f"{button}.parentElement.ariaSort") == "ascending"
    page.run(f"{column('artifacts', 'Reader')}.click()")
    assert page.run(f"{button}.parentElement.ariaSort") is None
    readers = shown(page, "artifacts", "row.cells[5].textContent.trim()")
    named = [reader for reader in readers if reader]
    assert readers == [*sorted(named), *[""] * (len(readers) - len(named))]


def test_a_keyboard_sorts(results: Path, page: Page) -> None:
    page.open(results / TOWN)
    button = column("resources", "Liveness")
    page.run(f"{button}.focus()")
    page.press("Enter")
    livenesses = shown(page, "resources", "row.cells[1].textContent")
    assert livenesses == sorted(livenesses)
    page.press("Space")
    assert shown(page, "resources", "row.cells[1].textContent") == livenesses[::-1]
    assert page.run(f"document.activeElement === {button}"), "the focus stays"
    assert page.run(f"getComputedStyle({button}).outlineStyle") == "solid", "and is seen"


def test_a_filter_takes_words_and_columns_and_says_how_many_are_left(
    results: Path, page: Page
) -> None:
    lines = list(read_lines(results / "town/resources.jsonl"))
    page.open(results / TOWN)
    said = "document.querySelector('#rows-resources output')"
    assert page.run(f"{said}.textContent") == f"{len(lines)} rows"
    assert page.run(f"{said}.ariaLive ?? {said}.tagName") == "OUTPUT", "which is read out"
    type_filter(page, "resources", "NEWS spring-1")
    wanted = [each["address"] for each in lines if "news/spring-1" in each["address"]]
    assert shown(page, "resources", "row.cells[0].textContent.trim()") == wanted
    assert page.run(f"{said}.textContent") == f"{len(wanted)} of {len(lines)} rows"
    type_filter(page, "resources", 'liveness=blocked reason:"http 4"')
    assert len(shown(page, "resources")) == sum(
        each["liveness"] == "blocked" and "http 4" in (each["reason"] or "") for each in lines
    )
    type_filter(page, "resources", "-liveness=live")
    assert len(shown(page, "resources")) == sum(each["liveness"] != "live" for each in lines)
    type_filter(page, "resources", f"{lines[0]['address']}news")
    assert all("/news" in each for each in shown(page, "resources")), "an address has a colon"
    type_filter(page, "resources", "nothing-like-this")
    assert page.run(f"{said}.textContent") == f"0 of {len(lines)} rows"
    page.press("Escape")
    assert page.run(f"{said}.textContent") == f"{len(lines)} rows"


def test_each_figure_leads_to_as_many_rows_as_it_says(results: Path, page: Page) -> None:
    for audit in AUDITS:
        page.open(results / audit)
        links = "[...document.querySelectorAll('main a[data-filter]')]"
        found = page.run(
            f"{links}.map(link => {{ link.click();"
            " const rows = document.querySelector(link.hash + ' tbody')?.rows ?? [];"
            " return [link.textContent, link.dataset.filter,"
            " [...rows].filter(row => !row.hidden).length]; })"
        )
        counts = [each for each in found if each[0].replace(",", "").isdecimal()]
        assert len(counts) > 10 or audit != TOWN
        assert [each for each in found if each[2] == 0] == [], "and none to an empty table"
        if audit != "report.html":  # in which a row is a source, and counts more than one
            wrong = [each for each in counts if int(each[0].replace(",", "")) != each[2]]
            assert wrong == []


def test_a_figure_of_all_sources_leads_to_the_sources_that_it_counts(
    results: Path, page: Page
) -> None:
    page.open(results / "report.html")
    wanted = {"complete": {"county", "school"}, "blocked": {"county", "town"}, "unread": {"town"}}
    for name, sources in wanted.items():
        page.run(f"document.querySelector('#glance-{name} .figure a').click()")
        assert set(shown(page, "sources", "row.cells[0].textContent")) == sources
    links = "[...document.querySelectorAll('#rows-sources a')]"
    assert "town/report.html#refusals" in page.run(f"{links}.map(a => a.getAttribute('href'))")


def test_the_first_key_leads_past_the_head_of_the_page(results: Path, page: Page) -> None:
    page.open(results / TOWN)
    page.press("Tab")
    assert page.run("document.activeElement.textContent") == "Skip to the audit"
    assert page.run("document.activeElement.getBoundingClientRect().left") >= 0
    page.press("Enter")
    assert page.run("document.activeElement.id") == "main"


@pytest.mark.parametrize("audit", AUDITS)
def test_a_phone_scrolls_no_page_sideways(audit: str, results: Path, page: Page) -> None:
    page.show(360, 740, is_phone=True)
    page.open(results / audit)
    page.run("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert page.run("document.documentElement.scrollWidth") == 360
    wide = page.run(
        "[...document.querySelectorAll('main *')].filter(each => !each.closest('.scroll, .chart')"
        " && each.getBoundingClientRect().right > 361).map(each => each.outerHTML.slice(0, 200))"
    )
    assert wide == []


def test_without_a_script_every_row_stands_there(results: Path, page: Page) -> None:
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    page.open(results / TOWN)
    page.call("Emulation.setScriptExecutionDisabled", value=False)
    lines = list(read_lines(results / "town/resources.jsonl"))
    assert len(shown(page, "resources")) == len(lines)
    assert page.run("document.querySelectorAll('button, input').length") == 0
    dead = page.run(
        "[...document.querySelectorAll('a[href^=\"#\"]')]"
        ".filter(link => !document.getElementById(link.hash.slice(1))).length"
    )
    assert dead == 0


def test_motion_stands_still_for_who_wants_that(results: Path, page: Page) -> None:
    page.open(results / TOWN)
    behaviour = "getComputedStyle(document.documentElement).scrollBehavior"
    assert page.run(behaviour) == "smooth"
    page.show(1280, 800, prefers_reduced_motion="reduce")
    assert page.run(behaviour) == "auto"


def test_pictures_are_kept(results: Path, page: Page, pictures: Path) -> None:
    for audit, name in (("report.html", "all"), (TOWN, "town"), ("datasets/report.html", "data")):
        page.show(1280, 800)
        page.open(results / audit)
        page.picture(pictures / f"{name}-desktop.png")
        page.picture(pictures / f"{name}-desktop-whole.png", is_whole=True)
        page.show(1280, 800, prefers_color_scheme="dark")
        page.picture(pictures / f"{name}-dark-whole.png", is_whole=True)
        page.show(390, 844, is_phone=True)
        page.picture(pictures / f"{name}-phone.png")
        page.picture(pictures / f"{name}-phone-whole.png", is_whole=True)
    assert (pictures / "town-phone.png").stat().st_size > 10_000
