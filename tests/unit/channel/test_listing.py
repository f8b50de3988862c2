"""Which entries of a list are recordings."""

from hypothesis import given
from hypothesis import strategies as st

from centinel.sources.channel import listing, metadata
from tests.unit.support import PROPERTY

PAGE = "https://town.example/meeting"


def on_page(identifier: str | None) -> dict[str, object]:
    """One of several recordings on a page."""
    return {"id": identifier, "webpage_url": PAGE, "title": identifier, "formats": [{"url": PAGE}]}


def test_one_recording_is_a_list_of_one() -> None:
    listed = listing.read({"id": "a", "webpage_url": PAGE, "title": "Meeting"}, PAGE)
    assert [(each.address, each.title) for each in listed.resources.values()] == [(PAGE, "Meeting")]


def test_several_on_one_page_have_its_address_and_their_ids() -> None:
    answer = {"_type": "playlist", "entries": [on_page("a"), on_page("b c"), on_page(None)]}
    listed = listing.read(answer, PAGE)
    assert list(listed.resources) == [f"{PAGE}#a", f"{PAGE}#b%20c"]
    assert dict(listed.rejected) == {listing.NO_ADDRESS: 1}
    assert (listing.member(answer, "b c") or {})["title"] == "b c"
    assert listing.member(answer, "gone") is None
    assert listing.member(answer, None) is None


def test_lists_in_lists_are_followed() -> None:
    deep = {"_type": "playlist", "entries": [{"_type": "url", "url": f"{PAGE}/1"}]}
    answer = {"_type": "playlist", "entries": [deep, {"_type": "url", "url": f"{PAGE}/2"}]}
    assert list(listing.read(answer, PAGE).resources) == [f"{PAGE}/1", f"{PAGE}/2"]
    for _ in range(listing.DEEPEST + 1):
        deep = {"_type": "playlist", "entries": [deep]}
    assert listing.read(deep, PAGE).rejected == {listing.TOO_DEEP: 1}


def test_what_yt_dlp_carries_in_a_fragment_is_no_part_of_an_address() -> None:
    entry = {"_type": "url_transparent", "url": f"{PAGE}.mp3#__youtubedl_smuggle=%7B%7D"}
    listed = listing.read({"_type": "playlist", "entries": [entry]}, PAGE)
    assert list(listed.resources) == [f"{PAGE}.mp3"]


def test_durations_that_are_none_are_left_out() -> None:
    odd = (-1, 0, -0.0, None, True, "60", float("nan"), float("inf"))
    assert [metadata.seconds(each) for each in odd] == [None] * len(odd)
    assert metadata.seconds(61) == 61
    assert b'"duration"' not in metadata.reduced({"id": "a", "duration": -1})


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["_type", "entries", "url", "id", "ie_key", "title", "chapters", "tags"]
            ),
            inner | st.sampled_from(["playlist", "url", "Youtube"]),
        )
    ),
    max_leaves=10,
)


@PROPERTY
@given(st.dictionaries(st.sampled_from(["_type", "entries", "title", "formats", "tags"]), _JSON))
def test_every_entry_is_kept_or_counted(answer: dict[str, object]) -> None:
    answer = {**answer, "_type": "playlist"}
    listed = listing.read(answer, PAGE)
    entries = answer.get("entries")
    flat = [
        each
        for each in (entries if isinstance(entries, list) else ())
        if not (isinstance(each, dict) and each.get("_type") == "playlist")
    ]
    assert listed.seen >= len(flat)
    assert all(each.address.startswith("http") for each in listed.resources.values())
    assert metadata.reduced(answer).startswith(b"{")
