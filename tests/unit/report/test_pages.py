"""The page of one source: what it says, and that strangers' text stays text."""

import re
from base64 import b64encode
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import lxml.html
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml.html import HtmlElement

from centinel.report import pages, source, wording
from centinel.report.summary import Summary
from centinel.report.summary import read as read_summary
from centinel.store import Store
from tests.unit.report.results import (
    PIPELINE,
    SITE,
    SOURCE,
    Results,
    blob_of,
    clock,
    discovery,
    record,
    snapshot,
    state,
)

SCRIPT = "<script>alert(1)</script>"


def page_of(store: Store) -> HtmlElement:
    source.write(store, SOURCE, PIPELINE, clock)
    return lxml.html.document_fromstring(store.report.read_bytes())


def words(element: HtmlElement) -> str:
    return " ".join(" ".join(element.itertext()).split())


def section(page: HtmlElement, name: str) -> str:
    return words(page.get_element_by_id(name))


def hostile(text: str, tmp_path: Path) -> Store:
    """A source in which a stranger wrote the same text wherever one can."""
    address = f"{SITE}{text}"
    results = Results(
        tmp_path,
        states=[
            state(address, "error", reason=text),
            state(f"{text}{SITE}", "blocked", reason=f"{text}!", owed=[address]),
        ],
    )
    results.add(address, title=text, notes=[f"note {text}", f"menu: {text}"], claims=(f"c{text}",))
    results.add(f"{address}?2", "pdf", "underivable", reason=f"{text}?", title=text)
    report = snapshot(
        outcome="failed",
        reason=f"r{text}",
        found=None,
        method=f"m{text}",
        notes=[text],
        warnings=[text],
        figures={f"f{text}": text},
    )
    store = results.write(report, warnings=[text], torn=[text])
    record(store, discovery())
    return store


def test_the_first_screen_says_what_needs_somebody_or_that_nothing_does(tmp_path: Path) -> None:
    results = Results(tmp_path, states=[state(SITE)])
    results.add(SITE)
    page = page_of(results.write(snapshot(found=1, new=1)))
    assert "Nothing needs you." in section(page, "glance")
    assert not page.xpath("//*[@id='attention']")
    assert page.findtext(".//h1") == "town"
    assert "Snapshot taken 2026-03-04 05:06 UTC" in words(page)
    assert "Report made 2026-03-05 09:30 UTC" in words(page)
    assert "Pipeline versions: table of kinds 1; html 1; pdf 2; audio 1." in words(page)


def test_at_least_is_said_of_a_cut_snapshot(tmp_path: Path) -> None:
    results = Results(tmp_path, states=[state(SITE), state(SITE + "b", None)])
    cut = snapshot(found=1234, truncated=True, new=1234, vanished=None)
    page = page_of(results.write(cut, remaining=1))
    figures = section(page, "key-figures")
    assert "Published at least 1,234 addresses found" in figures
    assert "new at least 1,234" in figures
    assert "vanished unknown" in figures
    assert "never asked at least 1" in figures
    assert "remaining at least 1" in figures
    assert "Found at least 1,234" in section(page, "snapshot")


def test_failures_are_never_added_together(tmp_path: Path) -> None:
    counts = {"blocked": 14, "error": 17, "gone": 21}
    states = [
        state(f"{SITE}{liveness}/{number}", liveness, reason="because")
        for liveness, count in counts.items()
        for number in range(count)
    ]
    text = words(
        page_of(Results(tmp_path, states=states).write(snapshot(found=52))).find(".//main")
    )
    sums = {14 + 17, 14 + 21, 17 + 21}
    found = {int(each) for each in re.findall(r"(?<![\d:.-])\d+(?![\d:-])", text)}
    assert not sums & found


def test_capped_lists_say_how_many_more(tmp_path: Path) -> None:
    states = [state(f"{SITE}{n:03}", "blocked", reason="robots") for n in range(230)]
    results = Results(tmp_path, states=states)
    for number in range(30):
        results.add(f"{SITE}{number}", outcome="underivable", reason=f"reason{number}")
    for number in range(6):
        results.add(f"{SITE}same{number}", blob=blob_of("same"))
    page = page_of(results.write(snapshot(notes=[f"sitemap {n}" for n in range(23)])))
    assert "and 3 more in snapshot.json" in section(page, "snapshot")
    assert "and 225 more" in section(page, "refusals")
    assert "30 more blocked in tables/resources.csv" in section(page, "problems")
    assert "10 more groups, of 10 documents, in tables/underivable.csv" in section(
        page, "underivable"
    )
    assert "and 1 more" in section(page, "acquired")


def test_a_script_in_an_address_and_a_title_stays_text(tmp_path: Path) -> None:
    store = hostile(SCRIPT, tmp_path)
    page = page_of(store)
    assert [each.text for each in page.iter("script")] == [pages.environment().globals["script"]]
    policy = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    digest = b64encode(sha256(page.find(".//script").text.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy, "the one script that may run"
    assert SCRIPT in words(page.find(".//main"))
    assert SCRIPT.encode() not in store.report.read_bytes()


def test_links_are_http_or_relative_and_nothing_is_loaded(tmp_path: Path) -> None:
    results = Results(
        tmp_path,
        states=[
            state("javascript:alert(1)", "error", reason="r"),
            state("file:///etc/passwd", "gone", reason="r"),
            state("https://me:secret@town.example/", "blocked", reason="r"),
            state(f"{SITE}{'x' * 2000}", "blocked", reason="r"),
        ],
    )
    results.add(SITE + "a", text="javascript:alert(2)")
    results.add(SITE + "b", text="/etc/passwd")
    results.add(SITE + "c", text="../../etc/passwd")
    results.add(SITE + "d.pdf", "pdf", "underivable")
    store = results.write(snapshot())
    page = page_of(store)
    assert b"secret" not in store.report.read_bytes()
    assert "https://me:***@town.example/" in words(page)
    for link in page.xpath("//@href"):
        assert re.match(r"https?://town\.example/|#|data:,|[a-z./]+|javascript%3A", link)
        assert not link.startswith(("javascript:", "file:", "/"))
    assert "../../etc/passwd" not in page.xpath("//@href")
    assert not page.xpath("//@src | //link[@rel='stylesheet'] | //img | //iframe")
    blob = blob_of(SITE + "d.pdf")
    assert f"blobs/{blob[:2]}/{blob[2:4]}/{blob}" in page.xpath("//@href")
    assert f"underivable/pdf/v2/{blob[:2]}/{blob}.json" in page.xpath("//@href")


def test_the_page_can_be_read_by_everybody(tmp_path: Path) -> None:
    page = page_of(hostile("x", tmp_path))
    assert page.get("lang") == "en"
    assert page.xpath("//a[@class='skip']/@href") == ["#main"]
    for table in page.iter("table"):
        assert table.find("caption") is not None
        assert all(each.get("scope") in ("col", "row") for each in table.iter("th"))
    identifiers = page.xpath("//@id")
    assert len(identifiers) == len(set(identifiers))
    for target in page.xpath("//a[starts-with(@href, '#')]/@href"):
        assert target[1:] in identifiers
    levels = [int(each.tag[1]) for each in page.xpath("//h1 | //h2 | //h3")]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_an_empty_folder_and_a_failed_first_enumeration_have_pages(tmp_path: Path) -> None:
    empty = page_of(Store(tmp_path, "town"))
    assert "Urgent: complete" in section(empty, "glance")
    assert "No snapshot has been taken" in section(empty, "glance")
    failed = snapshot(
        outcome="failed", reason="http 503", found=None, truncated=None, new=None, vanished=None
    )
    page = page_of(Results(tmp_path).write(failed))
    assert "Published unknown addresses found" in section(page, "key-figures")
    assert "failed: http 503" in section(page, "snapshot")
    assert "Nothing was acquired." in section(page, "acquired")


def test_a_missing_snapshot_report_beside_a_cut_record_has_a_page(tmp_path: Path) -> None:
    store = Results(tmp_path, states=[state(SITE, None)]).write()
    record(store, discovery(truncated=True))
    page = page_of(store)
    assert "No snapshot has been taken" in section(page, "glance")
    assert "never asked at least 1" in section(page, "key-figures")


def test_tables_come_before_the_page_and_the_page_is_whole_or_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Results(tmp_path).write(snapshot())

    def broken(*_: object) -> str:
        raise RuntimeError("no page")

    monkeypatch.setattr(pages, "source_page", broken)
    with pytest.raises(RuntimeError):
        source.write(store, SOURCE, PIPELINE, clock)
    assert (store.tables / "underivable.csv").exists()
    assert not store.report.exists()


def test_the_summary_says_what_the_page_says(tmp_path: Path) -> None:
    results = Results(tmp_path, states=[state(SITE), state(SITE + "b", "blocked", reason="robots")])
    results.add(SITE)
    store = results.write(snapshot(found=2), remaining=0)
    source.write(store, SOURCE, PIPELINE, clock)
    summary = read_summary(store)
    assert isinstance(summary, Summary)
    assert (summary.live, summary.blocked, summary.texts, summary.found) == (1, 1, 1, 2)
    assert summary.attention == ["1 address is blocked, since 2026-03-04."]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> HtmlElement:
    """The page in which strangers wrote a plain word."""
    return page_of(hostile("plain", tmp_path_factory.mktemp("plain")))


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=st.text(st.characters(exclude_categories=()), max_size=60))
def test_no_text_breaks_the_page(
    text: str, plain: HtmlElement, tmp_path_factory: pytest.TempPathFactory
) -> None:
    page = page_of(hostile(text, tmp_path_factory.mktemp("hostile")))
    assert {each.tag for each in page.iter()} == {each.tag for each in plain.iter()}
    assert page.xpath("count(//table)") == plain.xpath("count(//table)")
    assert page.xpath("count(//section)") == plain.xpath("count(//section)")
    attributes = {name for each in page.iter() for name in each.attrib}
    assert attributes <= {name for each in plain.iter() for name in each.attrib}
    assert not page.xpath("//*[starts-with(normalize-space(@href), 'javascript:')]")
    kept = text.encode("utf-8", "replace").decode()
    shown = " ".join(wording.printable(kept).split())
    assert shown in words(page.find(".//main"))


@given(text=st.text(st.characters(exclude_categories=()), max_size=40))
def test_what_is_printable_can_be_written(text: str) -> None:
    shown = wording.printable(text)
    assert shown.encode().decode() == shown
    assert not re.search(r"[\x00-\x1f\x7f-\x9f]", shown)
