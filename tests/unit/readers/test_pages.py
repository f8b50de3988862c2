from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from centinel.readers.document import Document, GaveWay, HoldsNothing, Reader
from centinel.readers.pages import (
    AT_ONCE,
    MOST_CHARACTERS,
    MOST_LAST_RESORT,
    ByPage,
    PagedFunctionReader,
    Pages,
    read_by_page,
)

DOCUMENT = Document(Path("nowhere"), "pdf")
SCANNED = ((2, "scanned"),)


def reader(
    name: str,
    *texts: str,
    is_markdown: bool = False,
    unread: tuple[tuple[int, str], ...] | None = None,
    beside: tuple[tuple[int, str], ...] = (),
    title: str | None = None,
    notes: tuple[str, ...] = (),
) -> PagedFunctionReader:
    """Returns a reader that has these texts for the pages of any document."""
    pages = Pages(texts, title, notes, unread, beside)
    return PagedFunctionReader(
        name, frozenset({"pdf"}), lambda *_: pages, is_markdown=is_markdown, install=f"get {name}"
    )


@dataclass
class Last:
    """A reader of last resort that keeps what it was asked for."""

    texts: dict[int, str]
    confidence: float = 90.0
    count: int = 0
    asked: list[tuple[int, ...] | None] = field(default_factory=list)

    def reader(self) -> PagedFunctionReader:
        return PagedFunctionReader("last", frozenset({"pdf"}), self._read, is_last_resort=True)

    def _read(self, _: Document, wanted: tuple[int, ...] | None) -> Pages:
        self.asked.append(wanted)
        count = self.count or max(self.texts, default=0)
        texts = [self.texts.get(n, "") if n in (wanted or ()) else "" for n in range(1, count + 1)]
        sure = tuple((n, self.confidence) for n in wanted or () if n in self.texts)
        return Pages(tuple(texts), confidence=sure)


def by_page(readers: Sequence[PagedFunctionReader], missing: Sequence[Reader] = ()) -> ByPage:
    return read_by_page(DOCUMENT, readers, _attempt, missing)


def _attempt(_: Reader, function: Callable[[], Pages]) -> Pages | None:
    try:
        return function()
    except GaveWay:
        return None


def _raise(*_: object) -> Pages:
    raise GaveWay("broken")


BROKEN = PagedFunctionReader("broken", frozenset({"pdf"}), _raise)


def test_pages_stand_under_their_anchors_in_the_words_of_their_readers() -> None:
    marked = reader("marked", "# One", "", "# Three", is_markdown=True, title="Minutes")
    found = by_page([marked, reader("plain", "One", "Two", "Three")])
    assert found == ByPage(
        text=("<!-- page 1 -->\n\n# One\n\n<!-- page 2 -->\n\nTwo\n\n<!-- page 3 -->\n\n# Three"),
        title="Minutes",
        notes=("pages 1, 3 by marked; page 2 by plain", "marked: no text on page 2"),
        readers_by_page=("marked", "plain", "marked"),
        reader="marked",
        recovered_by_fallback=True,
    )


def test_one_page_has_no_anchor_and_one_reader_no_note() -> None:
    found = by_page([reader("plain", "One")])
    assert (found.text, found.notes, found.recovered_by_fallback) == ("One", (), False)


def test_the_reader_is_the_one_that_gave_most() -> None:
    found = by_page([reader("a", "One", "", ""), reader("b", "One", "Two, longer", "")])
    assert (found.reader, found.readers_by_page) == ("b", ("a", "b", None))


def test_a_reader_that_gave_way_costs_only_its_voice() -> None:
    assert by_page([BROKEN, reader("plain", "One")]).text == "One"


def test_readers_may_see_different_numbers_of_pages() -> None:
    found = by_page([reader("a", "One"), reader("b", "One", "Two")])
    assert found.readers_by_page == ("a", "b")


def test_a_document_that_nobody_opens_gives_way_and_is_not_given_to_the_last() -> None:
    last = Last({1: "One"})
    with pytest.raises(GaveWay, match="no other reader could open it"):
        by_page([BROKEN, last.reader()])
    assert last.asked == []


def test_the_last_resort_gets_only_pages_without_text() -> None:
    last = Last({2: "Seen"})
    found = by_page([reader("plain", "One", "", unread=SCANNED), last.reader()])
    assert last.asked == [(2,)]
    assert found.readers_by_page == ("plain", "last")
    assert found.notes == (
        "page 1 by plain; page 2 by last",
        "OCR of page 2 (scanned): mean confidence 90 of 100",
    )


def test_a_stamp_on_a_scanned_page_does_not_hide_the_page() -> None:
    last = Last({2: "The whole page, and Page 2 at its foot"})
    found = by_page([reader("plain", "A page of text", "Page 2", unread=SCANNED), last.reader()])
    assert last.asked == [(2,)]
    assert "The whole page" in found.text


def test_a_short_page_that_is_not_scanned_is_left_alone() -> None:
    last = Last({2: "?"})
    by_page([reader("plain", "A page of text", "Annex B", unread=()), last.reader()])
    assert last.asked == []


def test_a_stamp_stays_where_the_last_resort_reads_less() -> None:
    last = Last({2: "?"})
    found = by_page([reader("plain", "A page of text", "Page 2", unread=SCANNED), last.reader()])
    assert found.readers_by_page == ("plain", "plain")


def test_the_last_resort_is_asked_for_a_few_pages_at_a_time_and_not_for_too_many() -> None:
    count = MOST_LAST_RESORT + 10
    last = Last({n: f"Seen {n}" for n in range(1, count + 1)})
    unread = tuple((n, "scanned") for n in range(1, count + 1))
    found = by_page([reader("plain", *[""] * count, unread=unread), last.reader()])
    assert all(len(asked or ()) <= AT_ONCE for asked in last.asked)
    assert sum(name == "last" for name in found.readers_by_page) == MOST_LAST_RESORT
    assert (
        f"pages {MOST_LAST_RESORT + 1}-{count} of {count} need OCR (scanned): "
        f"no more than {MOST_LAST_RESORT} pages of a document are given to it"
    ) in found.notes


def test_scanned_pages_come_before_blank_ones() -> None:
    count = MOST_LAST_RESORT + 1
    last = Last({count: "Seen"})
    plain = reader("plain", *[""] * count, unread=((count, "scanned"),))
    assert by_page([plain, last.reader()]).readers_by_page[-1] == "last"


def test_pages_of_which_the_last_resort_is_not_sure_are_named() -> None:
    last = Last({2: "Seen"}, confidence=41.0)
    notes = by_page([reader("plain", "One", "", unread=SCANNED), last.reader()]).notes
    assert any(note.endswith("mean confidence 41 of 100, below 60 on page 2") for note in notes)


def test_a_last_resort_that_stands_alone_says_how_many_pages_there_are() -> None:
    last = Last({1: "One", 3: "Three"}, count=3)
    assert by_page([last.reader()]).readers_by_page == ("last", None, "last")
    assert last.asked == [(), (1, 2, 3)]


def test_scanned_pages_wait_for_a_reader_that_is_not_installed() -> None:
    missing = [Last({}).reader()]
    found = by_page([reader("plain", "One", "", unread=SCANNED)], missing)
    need = "page 2 of 2 needs OCR (scanned)"
    assert found.notes == (
        f"{need}: last is not installed here (to install it: {missing[0].install})",
    )
    with pytest.raises(GaveWay, match=r"^no text; page 2 of 2 needs OCR \(scanned\); no text on p"):
        by_page([reader("plain", "", "", unread=SCANNED)], missing)


def test_pages_with_nothing_on_them_wait_for_nobody() -> None:
    with pytest.raises(HoldsNothing, match="no text on pages 1-2 of 2"):
        by_page([reader("plain", "", " ", unread=())], [Last({}).reader()])


def test_pages_on_which_the_last_resort_found_nothing_are_said() -> None:
    last = Last({2: ""}, count=2)
    with pytest.raises(GaveWay, match=r"no text on page 1 of 2, by OCR neither; no text on page 2"):
        by_page([reader("plain", "", "", unread=SCANNED), last.reader()])


def test_lines_of_a_form_are_added_where_the_chosen_text_lacks_them() -> None:
    marked = reader("marked", "# Name and address of the owner", is_markdown=True)
    plain = reader(
        "plain",
        "Name and address of the owner\nMarsh",
        beside=((1, "Marsh"), (1, "owner")),
    )
    assert by_page([marked, plain]).text == "# Name and address of the owner\n\nMarsh"


def test_doubt_about_a_page_that_was_read_is_kept() -> None:
    marked = reader("marked", "", is_markdown=True, unread=((1, "suspected_garbled_text"),))
    notes = by_page([marked, reader("plain", "Words of the page")]).notes
    assert notes == (
        "marked: no text on page 1",
        "page 1 may be read badly or in part (suspected_garbled_text)",
    )


def test_a_page_of_which_a_reader_saw_nothing_is_not_doubted_for_that() -> None:
    marked = reader("marked", "", is_markdown=True, unread=((1, "no_text"),))
    notes = by_page([marked, reader("plain", "Words of the page")]).notes
    assert notes == ("marked: no text on page 1",)


def test_lost_characters_and_notes_of_the_readers_are_kept() -> None:
    found = by_page([reader("plain", "a \ufffd\ufffd", notes=("noticed",))])
    assert found.notes == ("encoding trouble: 2 characters without a meaning", "noticed")


def test_a_text_without_end_is_cut_and_says_so() -> None:
    found = by_page([reader("plain", "a" * 1000, "b" * (MOST_CHARACTERS + 1))])
    assert len(found.text) < MOST_CHARACTERS + 100
    assert found.notes == (f"cut on page 2 at {MOST_CHARACTERS} characters",)
