"""How figures are said."""

import pytest

from centinel.report import wording
from centinel.report.pages import href, path_href, shown_address


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (3_200_000_000, "3.2 GB"),
    ],
)
def test_sizes(count: int, said: str) -> None:
    assert wording.size(count) == said


@pytest.mark.parametrize(
    ("count", "at_least", "said"),
    [(None, True, "unknown"), (12345, False, "12,345"), (7, True, "at least 7"), (0, None, "0")],
)
def test_counts(count: int | None, at_least: bool | None, said: str) -> None:
    assert wording.counted(count, at_least) == said


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [(0, 0, "0%"), (0, 9, "0%"), (1, 1000, "<1%"), (999, 1000, ">99%"), (5, 5, "100%")],
)
def test_only_all_is_everything(part: int, whole: int, said: str) -> None:
    assert wording.percent(wording.share(part, whole)) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-03-04T05:06:07.000000Z", "2026-03-04 05:06 UTC"),
        ("2026-03-04T00:30:00+02:00", "2026-03-03 22:30 UTC"),
        ("yesterday", "yesterday"),
        (None, "unknown"),
    ],
)
def test_times(text: str | None, said: str) -> None:
    assert wording.time(text) == said


def test_an_address_is_masked_before_it_is_clipped() -> None:
    address = f"https://me:{'secret' * 40}@town.example/"
    assert "secret" not in shown_address(address, 40)


@pytest.mark.parametrize(
    ("address", "is_link"),
    [
        ("https://town.example/?a=<b>", True),
        ("HTTP://town.example/", True),
        ("javascript:alert(1)", False),
        ("javascript://town.example/%0aalert(1)", False),
        ("https:town.example", False),
        ("https://me:secret@town.example/", False),
        ("https://town.example/\x00", False),
        ("data:text/html,x", False),
        (f"https://town.example/{'x' * 1000}", False),
        (None, False),
    ],
)
def test_only_http_is_a_link(address: str | None, is_link: bool) -> None:
    assert (href(address) is not None) == is_link


@pytest.mark.parametrize(
    ("path", "link"),
    [
        ("text/html/v1/ab/x.md", "text/html/v1/ab/x.md"),
        ("a b#c.md", "a%20b%23c.md"),
        ("javascript:alert(1)", "javascript%3Aalert%281%29"),
        ("/etc/passwd", None),
        ("text/../../x", None),
        (None, None),
    ],
)
def test_paths_stay_below_the_page(path: str | None, link: str | None) -> None:
    assert path_href(path) == link
