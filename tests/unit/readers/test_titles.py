import pytest

from centinel.readers.titles import sane_title


@pytest.mark.parametrize(
    "title", ["agenda.pdf", "C:\\docs\\x", "Slide 1", "2024", "  ", "þÿM", None]
)
def test_what_a_program_wrote_is_no_title(title: str | None) -> None:
    assert sane_title(title) is None


@pytest.mark.parametrize("title", ["Resolution No. 12.5", "City of X vs. Doe", "議事録"])
def test_what_a_person_wrote_is_a_title(title: str) -> None:
    assert sane_title(f" {title}\n") == title
