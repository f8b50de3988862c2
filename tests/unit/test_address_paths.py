"""Every address has a path of its own, inside the tree, on every file system."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel.address_paths import path_of
from tests.unit.support import PROPERTY

LONG = "x" * 5000


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("https://www.tampa.gov/agendas/2026/a", "www.tampa.gov/agendas/2026/a.md"),
        ("https://www.tampa.gov/agendas/2026/a.pdf", "www.tampa.gov/agendas/2026/a.pdf.md"),
        ("https://www.tampa.gov/", "www.tampa.gov/index~.md"),
        ("https://www.tampa.gov", "www.tampa.gov.md"),
        ("http://www.tampa.gov/a", "www.tampa.gov~http/a.md"),
        ("http://127.0.0.1:8080/a", "127.0.0.1:8080/a.md"),
        ("https://127.0.0.1:8080/a", "127.0.0.1:8080~https/a.md"),
        ("https://h.org/Agenda.pdf", "h.org/Agenda.pdf~1.md"),
        ("https://h.org/agendA.pdf", "h.org/agendA.pdf~20.md"),
        ("https://h.org/caf%C3%A9/A%20b", "h.org/caf%C3%A9/A%20b~1.md"),
        ("https://h.org/a.md", "h.org/a.md.md"),
        ("https://h.org/a.md/b", "h.org/a.md~/b.md"),
        ("https://h.org/a/", "h.org/a/index~.md"),
        ("https://h.org/a/index", "h.org/a/index.md"),
        ("https://h.org//a", "h.org/~/a.md"),
        ("https://h.org/.well-known/security.txt", "h.org/.well-known/security.txt.md"),
        ("https://h.org/p.zip!/inner/t.csv", "h.org/p.zip!/inner/t.csv.md"),
        ("file:///minutes/a.pdf", "file~/minutes/a.pdf.md"),
        ("10.5281/zenodo.7", "other~/10.5281/zenodo.7.md"),
    ],
)
def test_an_address_is_a_path_that_reads_like_it(address: str, path: str) -> None:
    assert path_of(address) == path


@pytest.mark.parametrize(
    ("address", "begins"),
    [
        ("https://h.org/view.aspx?id=5&x=/a/b", "h.org/view.aspx_id=5_x=~h"),
        ("https://v.org/watch?v=abc#captions", "v.org/watch_v=abc_captions~h"),
        ("https://h.org/../../etc/passwd", "h.org/~h"),
        ("https://h.org/a\0b", "h.org/a_b~h"),
        ("https://h.org/~clerk/a", "h.org/_clerk~h"),
        ("https://h.org/%c3", "h.org/_c3~h"),
        (f"https://h.org/{LONG}", "h.org/xxxx"),
        ("https://h.org/" + "x/" * 3000 + "end", "h.org/end~w"),
        (f"https://h.org/{LONG}/{LONG}?{LONG}", "h.org/xxxx"),
        ("\ud800", "other~/_~h"),
    ],
)
def test_what_no_name_should_have_is_told_by_a_hash(address: str, begins: str) -> None:
    path = path_of(address)
    assert path.startswith(begins)
    assert_is_safe(path)


def assert_is_safe(path: str) -> None:
    """Relative, inside, and within what file systems take."""
    names = path.split("/")
    assert not {"", ".", ".."} & set(names)
    assert all(len(name.encode()) <= 255 for name in names)
    assert len(path.encode()) < 2000
    assert path.isprintable()
    assert path.isascii()
    assert [name.endswith(".md") for name in names] == [False] * (len(names) - 1) + [True]


SEGMENT = st.one_of(
    st.sampled_from(
        ["", ".", "..", "a", "A", "a.md", "A.MD", "a.md~", "~", "index~", "index", "p.zip!", "%2F"]
    ),
    st.sampled_from(["a~1", "%2f", "a?b=/c", "a#captions", "x" * 300, "\0", "é", "É", "a:1"]),
    st.text(max_size=6),
)
ADDRESS = st.builds(
    lambda scheme, segments: scheme + "/".join(segments),
    st.sampled_from(["https://", "http://", "file:///", "", "https://h.org/", "http://h.org:1/"]),
    st.lists(SEGMENT, max_size=5),
)


@PROPERTY
@given(st.one_of(ADDRESS, st.text()))
def test_no_address_leaves_the_tree(address: str) -> None:
    assert_is_safe(path_of(address))
    assert path_of(address) == path_of(address)


@PROPERTY
@given(st.lists(ADDRESS, unique=True, min_size=2, max_size=60))
def test_no_two_addresses_share_a_path_and_no_page_is_in_a_folders_way(
    addresses: list[str],
) -> None:
    paths = sorted(path_of(each).casefold() for each in addresses)
    assert len(set(paths)) == len(addresses)
    assert not any(later.startswith(f"{path}/") for path, later in pairwise(paths))
