"""Which addresses are one recording, and which lists a channel's address stands for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel.sources.channel import places
from tests.unit.support import PROPERTY

WATCH = "https://www.youtube.com/watch?v=abcdefghij_"


@pytest.mark.parametrize(
    "address",
    [
        "https://www.youtube.com/watch?v=abcdefghij_",
        "http://youtube.com/watch?v=abcdefghij_&list=PL1&index=3",
        "https://m.youtube.com/watch?t=5&v=abcdefghij_#t=5",
        "https://music.youtube.com/watch?v=abcdefghij_",
        "https://youtu.be/abcdefghij_?si=x",
        "https://www.youtube.com/shorts/abcdefghij_",
        "https://www.youtube.com/live/abcdefghij_?feature=share",
        "https://www.youtube-nocookie.com/embed/abcdefghij_",
    ],
)
def test_the_addresses_of_one_video_are_one(address: str) -> None:
    assert places.recording(address) == WATCH


@pytest.mark.parametrize(
    ("address", "wanted"),
    [
        ("https://youtu.be/tooshort", "https://youtu.be/tooshort"),
        (
            "https://www.youtube.com/playlist?list=PL1",
            "https://www.youtube.com/playlist?list=PL1",
        ),
        ("https://town.example/shorts/abcdefghij_", "https://town.example/shorts/abcdefghij_"),
        ("HTTP://Town.example:80/a/../b.mp3#part", "http://town.example/b.mp3"),
        ("mailto:clerk@town.example", None),
    ],
)
def test_what_is_no_video_of_youtube_is_an_address_as_any(address: str, wanted: str | None) -> None:
    assert places.recording(address) == wanted


@pytest.mark.parametrize(
    "address",
    [
        "https://www.youtube.com/@town",
        "https://youtube.com/@town/",
        "http://m.youtube.com/@town?si=x",
    ],
)
def test_a_bare_channel_is_all_of_its_tabs(address: str) -> None:
    assert [(each.name, each.address) for each in places.tabs(address)] == [
        (name, f"https://www.youtube.com/@town/{name}") for name in ("videos", "streams", "shorts")
    ]


@pytest.mark.parametrize(
    "address",
    [
        "https://www.youtube.com/@town/streams",
        "https://www.youtube.com/playlist?list=PL1",
        "https://www.youtube.com/watch?v=abcdefghij_&list=PL1",
        "https://town.example/podcast.xml",
        "https://vimeo.example/@town",
    ],
)
def test_any_other_address_is_itself_alone(address: str) -> None:
    assert [each.address for each in places.tabs(address)] == [address]


@PROPERTY
@given(st.text(max_size=60))
def test_an_address_that_was_made_one_stays_as_it_is(text: str) -> None:
    for address in (text, f"https://www.youtube.com/{text}", f"https://youtu.be/{text}"):
        made = places.recording(address)
        assert made is None or places.recording(made) == made
