import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel.readers.document import has_text
from centinel.readers.page_vote import MOST_CHARACTERS, Voice, decide, longest_cell, words_of

STORY = (
    "The council met on Monday at seven. It approved the budget of the harbour by five votes to "
    "two and put off the question of the ferry until the engineer has seen the old pier again."
)
MARKDOWN = f"# Minutes\n\n{STORY}"
PLAIN = f"Minutes\n{STORY}"


def marked(text: str) -> Voice:
    return Voice("marked", text, is_markdown=True)


def plain(text: str, reader: str = "plain") -> Voice:
    return Voice(reader, text)


def test_markdown_stands_where_a_plain_reader_confirms_it() -> None:
    assert decide([marked(MARKDOWN), plain(PLAIN)]).reader == "marked"


def test_a_plain_reader_stands_where_markdown_lacks_its_words() -> None:
    choice = decide([marked("# Minutes"), plain(PLAIN)])
    assert choice.reader == "plain"
    assert choice.passed_over == (("marked", "lacks words that plain readers have"),)


def test_a_plain_reader_stands_where_markdown_mixes_its_words() -> None:
    words = PLAIN.split()
    mixed = " ".join(words[::2] + words[1::2])
    choice = decide([marked(mixed), plain(PLAIN)])
    assert choice.passed_over == (("marked", "mixes the order of words"),)


def test_the_order_of_a_few_words_says_nothing() -> None:
    assert decide([marked("five to two was the vote"), plain("the vote was five to two")]) == (
        decide([marked("the vote was five to two"), plain("the vote was five to two")])
    )


def test_words_beside_those_of_the_plain_reader_do_not_count_as_another_order() -> None:
    words = PLAIN.split()
    with_names = " ".join(
        f"[name of field {number}] {word}" if number % 6 == 0 else word
        for number, word in enumerate(words)
    )
    assert decide([marked(with_names), plain(PLAIN)]).reader == "marked"


def test_a_page_folded_into_a_table_is_passed_over() -> None:
    table = f"| {STORY} {STORY} | b |\n|---|---|"
    choice = decide([marked(table), plain(f"{STORY} {STORY} b")])
    assert choice.reader == "plain"
    assert choice.passed_over == (("marked", "false table"),)


def test_one_confirmation_is_enough_where_the_other_reader_has_rubbish() -> None:
    rubbish = "x q z " * 3
    assert decide([marked(MARKDOWN), plain(rubbish, "a"), plain(PLAIN, "b")]).reader == "marked"


def test_a_confirmation_by_a_reader_that_lacks_most_of_the_page_is_none() -> None:
    choice = decide([marked("Minutes"), plain("Minutes", "a"), plain(PLAIN, "b")])
    assert choice.reader == "b"
    assert choice.passed_over[1] == ("a", "fewer words")


def test_the_first_plain_reader_is_preferred_where_two_have_as_much() -> None:
    mixed = " ".join(reversed(PLAIN.split()))
    assert decide([marked(""), plain(mixed, "a"), plain(PLAIN, "b")]).reader == "a"


@pytest.mark.parametrize("text", ["false | table", f"|{'x' * 500}|", "***", "¿"])
@pytest.mark.parametrize("is_markdown", [True, False])
def test_the_only_text_stands_whatever_it_looks_like(text: str, is_markdown: bool) -> None:
    voices = [plain("", "a"), Voice("b", text, is_markdown), plain(" \n", "c")]
    choice = decide(voices)
    assert choice.reader == "b"
    assert choice.passed_over == (("a", "no text"),)


def test_a_page_without_text_has_no_reader() -> None:
    assert decide([marked(" "), plain("\f")]).reader is None
    assert decide([]).reader is None


def test_marks_hyphens_ligatures_and_case_do_not_tell_words_apart() -> None:
    markdown = "## The <u>ﬁnal</u> *Vote*\n\n| [Harbour](http://x/y) | engi-\nneer |"
    assert words_of(markdown) == words_of("the final vote Harbour engineer")


def test_soft_hyphens_and_spaces_of_no_width_part_no_word() -> None:
    assert words_of("Mit\u00adarbei\u00ad\nter\u200bin") == ["mitarbeiterin"]


def test_scripts_without_spaces_are_compared_by_character() -> None:
    assert words_of("議事\n録") == words_of("議事録") == ["議", "事", "録"]


def test_escaped_bars_end_no_cell_and_lines_outside_tables_are_none() -> None:
    assert longest_cell("word " * 100 + "\n|a \\| b|c|") == len("a \\| b")


def test_megabytes_on_one_page_are_compared_by_their_beginning() -> None:
    text = "word " * (MOST_CHARACTERS // 2)
    began = time.monotonic()
    assert decide([marked(text), plain(text, "a"), plain(text + "x", "b")]).reader == "marked"
    assert time.monotonic() - began < 5


TEXTS = st.lists(
    st.sampled_from(
        ["vote", "five", "two", "|", "# ", "\n", "budget", "***", "é", "議", "a" * 301]
    ),
    max_size=40,
).map(" ".join)
VOICES = st.lists(st.tuples(TEXTS, st.booleans()), max_size=4).map(
    lambda texts: [Voice(str(number), *each) for number, each in enumerate(texts)]
)


@given(voices=VOICES)
def test_the_only_text_is_never_lost(voices: list[Voice]) -> None:
    choice = decide(voices)
    spoken = {voice.reader: voice for voice in voices if has_text(voice.text)}
    assert (choice.reader is None) == (not spoken)
    if choice.reader is not None:
        has_words = any(voice.words for voice in spoken.values())
        assert bool(spoken[choice.reader].words) or not has_words


@given(voices=VOICES)
def test_a_decision_stands_when_it_is_made_again_without_those_passed_over(
    voices: list[Voice],
) -> None:
    choice = decide(voices)
    assert decide(voices) == choice
    assert len(choice.passed_over) == [*[v.reader for v in voices], None].index(choice.reader)
    silent = [voice for voice in voices if has_text(voice.text)]
    assert decide(silent).reader == choice.reader


@given(text=TEXTS.filter(has_text), others=VOICES)
def test_a_plain_reader_with_the_most_words_is_only_passed_over_for_markdown(
    text: str, others: list[Voice]
) -> None:
    whole = Voice("whole", " ".join([text, *(voice.text for voice in others)]))
    choice = decide([whole, *others])
    assert choice.reader == "whole" or not whole.words
