"""The rows in a page: a small table whole; of a large one some of each sort, the rest counted."""

from pathlib import Path

import lxml.html

from centinel.report import source
from centinel.report.rows import MOST_ROWS, rows_of
from centinel.store import Store
from tests.unit.report.results import PIPELINE, SITE, SOURCE, Results, clock, snapshot, state


def written(results: Results) -> Store:
    store = results.write(snapshot(found=len(results.states)))
    source.write(store, SOURCE, PIPELINE, clock)
    return store


def many(tmp_path: Path, count: int, title: str = "A title") -> Store:
    """Pages that are live, one that is blocked, one that has no text."""
    results = Results(tmp_path, states=[state(f"{SITE}{n:04}") for n in range(count)])
    results.states.append(state(f"{SITE}z", "blocked", reason="http 403"))
    for number in range(count):
        results.add(f"{SITE}{number:04}", title=title)
    results.add(f"{SITE}z", "pdf", "underivable")
    return written(results)


def test_a_small_table_is_there_whole_in_its_order(tmp_path: Path) -> None:
    rows = rows_of(many(tmp_path, 3))
    assert rows["resources"].is_whole
    assert [each["address"] for each in rows["resources"].shown] == [
        f"{SITE}{name}" for name in ("0000", "0001", "0002", "z")
    ]
    assert [each["outcome"] for each in rows["artifacts"].shown] == [*["text"] * 3, "underivable"]
    assert [each["reader"] for each in rows["artifacts"].shown] == [*["marked 2.3.1"] * 3, None]


def test_of_a_large_table_each_sort_is_there_and_the_rest_is_counted(tmp_path: Path) -> None:
    store = many(tmp_path, 700)
    resources = rows_of(store)["resources"]
    assert (len(resources.shown), resources.count, resources.rest) == (MOST_ROWS, 701, 201)
    assert resources.shown[-1]["liveness"] == "blocked"
    page = lxml.html.document_fromstring(store.report.read_bytes())
    said = " ".join(page.get_element_by_id("rows-resources").text_content().split())
    assert "500 of 701 rows are here, some of each liveness; 201 more are in" in said


def test_a_figure_leads_to_the_rows_that_are_all_there_else_to_the_file(tmp_path: Path) -> None:
    small = lxml.html.parse(many(tmp_path / "small", 3).report)
    assert "#rows-resources" in small.xpath("//*[@id='key-figures']//a/@href")
    large = lxml.html.parse(many(tmp_path / "large", 700).report)
    links = large.xpath("//*[@id='key-figures']//a/@href")
    assert "tables/resources.csv" in links
    assert "#rows-resources" not in links
    assert "#rows-underivable" in links, "of which there is one"


def test_an_artifact_that_was_not_read_has_a_row_that_says_so(tmp_path: Path) -> None:
    results = Results(tmp_path, states=[state(SITE)])
    results.add(SITE, outcome=None)
    (row,) = rows_of(written(results))["artifacts"].shown
    assert (row["outcome"], row["text"], row["is_recovered"]) == ("not read", None, False)


def test_long_texts_leave_room_for_fewer_rows(tmp_path: Path) -> None:
    store = many(tmp_path, 499, title="<&\"'\u202e" * 2000)
    artifacts = rows_of(store)["artifacts"]
    assert 0 < len(artifacts.shown) < MOST_ROWS
    assert artifacts.rest == 500 - len(artifacts.shown)
    assert store.report.stat().st_size < 3_000_000


def test_nothing_has_no_rows(tmp_path: Path) -> None:
    rows = rows_of(written(Results(tmp_path)))
    assert {name: (each.shown, each.count) for name, each in rows.items()} == dict.fromkeys(
        ("resources", "artifacts", "underivable"), ((), 0)
    )
