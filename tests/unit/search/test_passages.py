"""A passage is on one page, or from one second on, and nothing of a text is left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel.search.passages import LONG_ENOUGH, TOO_LONG, Passage, passages_of
from centinel.search.shared import (
    LEARNED_FROM,
    Shared,
    is_record_like,
    is_worth_learning,
    learned,
    sample,
)
from tests.unit.support import PROPERTY

MENU = "Home Departments Calendar Contact"
NONE = Shared()


def split(
    text: str, shared: Shared = NONE, *, is_paged: bool = False, is_timed: bool = False
) -> list[Passage]:
    lines = text.splitlines(keepends=True)
    return list(passages_of(lines, shared, is_paged=is_paged, is_timed=is_timed))


def test_pages_are_told_by_their_anchors() -> None:
    text = "# Budget\n\n<!-- page 2 -->\n\nRoads\n\nParks\n\n<!-- page 5 -->\n\nDebt\n"
    assert split(text, is_paged=True) == [
        Passage(1, None, "Budget", ""),
        Passage(2, None, "Roads\n\nParks", ""),
        Passage(5, None, "Debt", ""),
    ]


def test_a_text_of_one_page_has_no_anchor_and_is_on_page_one() -> None:
    assert split("Roads\n", is_paged=True) == [Passage(1, None, "Roads", "")]


def test_an_anchor_in_a_text_that_has_no_pages_is_a_quotation() -> None:
    assert split("<!-- page 9 -->\n\nRoads\n") == [
        Passage(None, None, "<!-- page 9 -->\n\nRoads", "")
    ]


def test_what_is_said_has_its_second() -> None:
    text = "# Meeting\n\n[00:00:07] Good evening\n\n[01:02:03] Motion carried\n"
    assert split(text, is_timed=True) == [
        Passage(None, None, "Meeting", ""),
        Passage(None, 7, "Good evening", ""),
        Passage(None, 3723, "Motion carried", ""),
    ]
    assert [each.second for each in split("[00:00:07] a log\n")] == [None]


def test_passages_end_with_a_paragraph_and_endless_paragraphs_with_a_line() -> None:
    paragraph = "words and words " * 50
    found = split("\n\n".join([paragraph] * 4))
    assert [len(each.body) > LONG_ENOUGH for each in found] == [True, True]
    rows = split("| a | b |\n" * 5000)
    assert len(rows) > 10
    assert max(len(each.body) for each in rows) < TOO_LONG + 2000


def test_marks_and_addresses_of_links_are_not_searched() -> None:
    (found,) = split("## **Fees** of [the clerk](https://town.example/clerk)\n")
    assert found.body == "Fees of the clerk"


def test_shared_lines_are_kept_apart_and_records_are_all_their_own() -> None:
    shared = Shared(frozenset({MENU, "| a | b |"}))
    (found,) = split(f"{MENU}\nThe dog tax is 25\n\n| a | b |\n", shared)
    assert (found.body, found.shared) == ("The dog tax is 25\n\n| a | b |", MENU)


def test_lines_of_five_documents_are_shared_and_short_ones_never() -> None:
    documents = [[MENU, MENU, "Page 1", f"own {number} of it"] for number in range(5)]
    assert learned(documents).lines == {MENU}
    assert learned(documents[:4]).lines == set()


def test_what_is_learned_from_is_bounded_and_spread() -> None:
    paths = [f"{number:05d}" for number in range(1234)]
    assert len(sample(paths)) <= LEARNED_FROM
    assert sample(paths)[-1] > "01200"
    assert sample(paths[:3]) == paths[:3]


@pytest.mark.parametrize(
    ("documents", "learned_from", "is_worth"),
    [(0, 0, False), (2, 0, True), (5, 4, True), (6, 5, False), (10, 5, True), (9999, 412, False)],
)
def test_lines_are_learned_again_when_the_source_has_doubled(
    documents: int, learned_from: int, is_worth: bool
) -> None:
    assert is_worth_learning(documents, learned_from) == is_worth


@pytest.mark.parametrize(
    ("paragraph", "is_record"),
    [
        (["| a | b |"], True),
        (["a;b;c", "d;e;f"], True),
        (["a, b, c, d", "e, f, g, h"], True),
        (["a;b;c"], False),
        (["a;b", "c;d"], False),
        (["a, b, c", "and more"], False),
        (["words", "more words"], False),
    ],
)
def test_rows_are_records(paragraph: list[str], is_record: bool) -> None:
    assert is_record_like(paragraph) == is_record


@PROPERTY
@given(
    st.lists(
        st.sampled_from(
            ["", "Roads", MENU, "<!-- page 3 -->", "[00:00:09] said", "| a |", "x" * 3000]
        ),
        max_size=30,
    )
)
def test_no_line_is_lost_and_none_is_in_two_passages(lines: list[str]) -> None:
    found = split("\n".join(lines), Shared(frozenset({MENU})), is_paged=True, is_timed=True)
    words = " ".join(f"{each.body} {each.shared}" for each in found).split()
    expected = " ".join(lines).replace("<!-- page 3 -->", "").replace("[00:00:09] ", "").split()
    assert sorted(words) == sorted(expected)
    assert all(each.body or each.shared for each in found)
