"""The figures on the pages are those of the record, counted here by other means."""

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import orjson
import pytest

from centinel.files import read_lines
from centinel.journal import read_snapshot
from centinel.report.wording import size
from centinel.store import Store
from tests.browser.devtools import Page

pytestmark = pytest.mark.slow  # a browser, and an archive that is read by real readers

WORDS = "document.querySelector('{}').innerText.replace(/\\s+/g, ' ').trim()"


def seen(page: Page, selector: str) -> str:
    """What a person reads in a part of the page."""
    found: str = page.run(WORDS.format(selector))
    return found


def facts(page: Page, card: int) -> dict[str, str]:
    """The figures of one of the cards, by their names."""
    cards = f"document.querySelectorAll('.card')[{card}]"
    pairs = f"[...{cards}.querySelectorAll('dl div')].map(each => each.innerText.split('\\n'))"
    named: list[list[str]] = page.run(f"{pairs}.map(each => each.filter(text => text.trim()))")
    whole = page.run(f"{cards}.querySelector('.figure').innerText.trim()")
    return {"": whole, **dict(named)}


def table(page: Page, caption: str) -> list[list[str]]:
    """The cells of a table's rows."""
    tables = "[...document.querySelectorAll('table')]"
    found = f"{tables}.find(each => each.caption.textContent.trim() === '{caption}')"
    rows: list[list[str]] = page.run(
        f"[...{found}.tBodies[0].rows].map(row => [...row.cells].map(each => each.innerText))"
    )
    return rows


def is_of_an_address(line: dict[str, Any]) -> bool:
    """Whether a line of the record says how an address lives, and not one of its parts."""
    answers = ("observation", "status")
    is_answer: bool = line["type"] in answers and line["artifact"] == line["resource"]
    return is_answer


class Record:
    """A source's record, read line by line."""

    def __init__(self, results: Path, source: str) -> None:
        self.store = Store(results, source)
        self.lines: list[dict[str, Any]] = [
            orjson.loads(line)
            for month in sorted(self.store.record.glob("*.jsonl"))
            for line in month.read_bytes().splitlines()
        ]
        self.taken = [line for line in self.lines if line["type"] == "discovery"]

    def listed(self, at: int) -> set[str]:
        """The addresses of a snapshot that was kept."""
        return {each.address for each in read_snapshot(self.store, self.taken[at]["snapshot"])}

    def states(self) -> Counter[str]:
        """How many addresses of the newest snapshot are in which state."""
        last: dict[str, str] = {}
        for line in self.lines:
            if is_of_an_address(line):
                last[line["resource"]] = line.get("liveness", "live")
        return Counter(last.get(address, "never asked") for address in self.listed(-1))

    def blobs(self) -> dict[str, tuple[str, int]]:
        """The newest bytes of each artifact, and their size."""
        observed = (line for line in self.lines if line["type"] == "observation")
        return {line["artifact"]: (line["blob"], line["size"]) for line in observed}

    def derived(self) -> list[dict[str, Any]]:
        """What reading gave."""
        files = self.store.derived.glob("*/v*/*.jsonl")
        return [line for path in sorted(files) for line in read_lines(path)]


def test_what_is_published_and_how_it_lives(results: Path, page: Page) -> None:
    record = Record(results, "town")
    page.open(results / "town/report.html")
    before, after = record.listed(-2), record.listed(-1)
    assert facts(page, 0) == {
        "": str(len(after)),
        "new": str(len(after - before)),
        "vanished": str(len(before - after)),
    }
    states = record.states()
    names = ("gone", "blocked", "error", "never asked")
    assert facts(page, 1) == {
        "": str(states["live"]),
        **{each: str(states[each]) for each in names},
    }
    rows = {row[0]: row[1] for row in table(page, "Liveness of addresses")}
    assert rows == {name: str(states[name]) for name in ("live", *names)}


def test_blocked_since(results: Path, page: Page) -> None:
    record = Record(results, "town")
    since: dict[str, str] = {}
    for line in record.lines:
        if not is_of_an_address(line):
            continue
        if line.get("liveness") == "blocked":
            since.setdefault(line["resource"], line["at"])
        else:
            since.pop(line["resource"], None)
    page.open(results / "town/report.html")
    assert f"Since {min(since.values())[:10]}" in seen(page, "#glance-blocked")
    assert seen(page, "#glance-blocked .figure") == str(len(since))


def test_what_is_kept_and_read(results: Path, page: Page) -> None:
    record = Record(results, "town")
    blobs, derived = record.blobs(), record.derived()
    page.open(results / "town/report.html")
    kept = facts(page, 2)
    assert kept[""] == str(len(blobs))
    assert kept["on disk"] == size(sum(dict(blobs.values()).values()))
    outcomes = Counter(line["outcome"] for line in derived)
    recovered = sum(line["recovered_by_fallback"] for line in derived if line["outcome"] == "text")
    assert facts(page, 3) == {
        "": str(outcomes["text"]),
        "underivable": str(outcomes["underivable"]),
        "waiting": str(outcomes["waiting"]),
        "recovered": str(recovered),
    }
    assert outcomes["underivable"] > 1, "there is something to compare"


def test_kinds_and_sizes_and_readers(results: Path, page: Page) -> None:
    record = Record(results, "town")
    derived, blobs = record.derived(), record.blobs()
    sizes: dict[str, dict[str, int]] = defaultdict(dict)
    for line in derived:
        sizes[line["kind"]].update([blobs[line["artifact"]]])
    page.open(results / "town/report.html")
    kinds = Counter(line["kind"] for line in derived)
    shown = {row[0]: (row[1], row[4]) for row in table(page, "Artifacts by kind")}
    assert shown == {
        kind: (str(count), size(sum(sizes[kind].values()))) for kind, count in kinds.items()
    }
    texts = [line for line in derived if line["outcome"] == "text"]
    readers = Counter(
        (f"{line['reader']} {line['reader_version']}", line["kind"], str(line["version"]))
        for line in texts
    )
    rows = table(page, "Readers that gave text, by kind and pipeline version")
    assert {tuple(row[:3]): int(row[3]) for row in rows} == dict(readers)


def test_what_changed_and_over_time(results: Path, page: Page) -> None:
    record = Record(results, "town")
    events = [
        line for line in read_lines(record.store.changes) if line["at"] > record.taken[-2]["at"]
    ]
    page.open(results / "town/report.html")
    rows = table(page, "What changed, the newest first")
    assert Counter(row[1] for row in rows) == Counter(line["event"] for line in events)
    page.run("document.querySelectorAll('details').forEach(each => each.open = true)")
    points = table(page, "Published and kept over time: figures")
    published = {row[0][:10]: row[1] for row in points}
    found = {line["at"][:10]: str(line["found"]) for line in record.taken}
    assert found.items() <= published.items()


def test_the_row_of_a_source_among_all_says_what_its_own_audit_says(
    results: Path, page: Page
) -> None:
    page.open(results / "report.html")
    caption = "Each source: its newest snapshot, and what became of it"
    rows = {row[0]: row for row in table(page, caption)}
    for source in ("town", "county"):
        record = Record(results, source)
        states = record.states()
        numbers = [text.removeprefix("at least ") for text in rows[source][8:13]]
        names = ("live", "gone", "blocked", "error", "never asked")
        assert numbers == [str(states[name]) for name in names]
    assert rows["county"][4] == "at least 3", "a snapshot that was cut says so"
    assert rows["school"][2] == "never run"


def test_fixity(results: Path, page: Page) -> None:
    blobs = {blob for blob, _ in Record(results, "town").blobs().values()}
    kept = {path.name for path in (results / "town/blobs").rglob("*") if len(path.name) == 64}
    page.open(results / "town/report.html")
    (row,) = table(page, "When each part was last verified")
    assert row[2:] == [str(len(kept)), "0", "0"]
    assert blobs <= kept
    assert "Unknown 1 file that no line of the record names" in seen(page, "#fixity")
    assert "blobs/left.behind" in seen(page, "#fixity")
    page.open(results / "county/report.html")
    assert "URGENT" in seen(page, "#glance-verified").upper()
    assert "Lost now 1 artifact whose" in seen(page, "#fixity")
    ((artifact, found, blob),) = table(page, "Artifacts whose bytes are not here")
    assert found == "damaged"
    assert Record(results, "county").blobs()[artifact][0] == blob


def test_datasets_by_status(results: Path, page: Page) -> None:
    page.open(results / "datasets/report.html")
    lines = read_lines(Store(results, "datasets").ingest_results)
    statuses = Counter(line["status"] for line in lines)
    rows = {row[0]: int(row[2]) for row in table(page, "Requests by status")}
    assert rows == dict(statuses)
