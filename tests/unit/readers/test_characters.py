from centinel.readers.characters import fenced, normalise, one_line, plain_line, strip_data_uris


def test_every_line_end_becomes_a_newline() -> None:
    assert normalise("a\r\nb\rc\x0cd\x85e") == "a\nb\nc\nd\ne"


def test_control_characters_zeros_and_surrogates_go_and_tabs_stay() -> None:
    assert normalise("\ufeffa\x00b\x07\tc\x9f\ud800d") == "ab\tcd"


def test_text_of_ascii_alone_is_normalised_like_other_text() -> None:
    for number in range(128):
        text = f"a{chr(number)}\r\n{chr(number)}\rb{chr(number)}"
        assert "\u00e9" + normalise(text) == normalise("\u00e9" + text), number


def test_a_base64_image_goes_and_its_description_stays() -> None:
    stripped = strip_data_uris("![Seal of the city](data:image/png;base64,iVBORw0KGgo=) after")
    assert stripped.text == "![Seal of the city]() after"
    assert stripped.note == "34 characters removed from 1 data URIs"


def test_prose_that_says_data_is_kept() -> None:
    for prose in ("open data: budgets, minutes", "metadata:a,b", "data:1,2", "data:,x"):
        assert strip_data_uris(prose).text == prose
        assert strip_data_uris(prose).note is None


def test_a_base64_uri_ends_at_the_next_cell() -> None:
    assert strip_data_uris("a,data:image/gif;base64,R0lGOD==,b").text == "a,,b"


def test_a_title_of_white_space_is_none() -> None:
    assert one_line(" \n\t ") is None
    assert one_line(" Budget \n 2026 ") == "Budget 2026"


def test_a_line_reads_without_its_marks() -> None:
    assert plain_line("## **Budget** [2026](/b) _draft_ `x` 1\\. ") == "Budget 2026 draft x 1."
    assert plain_line("snake_case_name") == "snake_case_name"


def test_a_fence_is_longer_than_any_inside() -> None:
    assert fenced("a\n````\nb", "json") == "`````json\na\n````\nb\n`````"
