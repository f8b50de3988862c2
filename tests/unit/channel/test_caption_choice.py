"""Which caption track of a recording is kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel.record import Json
from centinel.sources.channel import captions
from tests.unit.support import PROPERTY


def tracks(*names: str, formats: tuple[str, ...] = ("vtt",), query: str = "") -> Json:
    """Tracks in these languages, each in these formats."""
    return {
        name: [{"ext": ext, "url": f"https://v.example/{name}.{ext}?{query}"} for ext in formats]
        for name in names
    }


def chosen(lang: str, *, manual: Json | None = None, automatic: Json | None = None) -> str | None:
    """The language of the track that is kept."""
    info = {"subtitles": manual, "automatic_captions": automatic}
    track = captions.choose(info, lang).track
    return track and track.language


@pytest.mark.parametrize(
    ("lang", "there", "wanted"),
    [
        ("en", ("en-US", "en", "de"), "en"),
        ("en", ("en-GB", "en-orig"), "en-orig"),
        ("en", ("en-US", "de"), "en-US"),
        ("en-US", ("en-GB", "en"), "en"),
        ("en", ("en_US",), "en_US"),
        ("EN", ("en",), "en"),
        ("en", ("eng-x", "end"), None),
    ],
)
def test_a_variant_is_the_language(lang: str, there: tuple[str, ...], wanted: str | None) -> None:
    assert chosen(lang, manual=tracks(*there)) == wanted


def test_what_people_wrote_goes_before_what_a_machine_heard() -> None:
    info = {"subtitles": tracks("en-US"), "automatic_captions": tracks("en")}
    track = captions.choose(info, "en").track
    assert track is not None
    assert (track.language, track.is_manual) == ("en-US", True)


@pytest.mark.parametrize(
    ("formats", "wanted"),
    [
        (("srv1", "ttml", "srt", "vtt", "json3"), "json3"),
        (("srt", "vtt"), "vtt"),
        (("srt", "ttml"), "srt"),
    ],
)
def test_the_format_with_the_times_of_words_is_taken_first(
    formats: tuple[str, ...], wanted: str
) -> None:
    track = captions.choose({"subtitles": tracks("en", formats=formats)}, "en").track
    assert track is not None
    assert track.format == wanted


def test_a_translation_by_a_machine_is_no_caption() -> None:
    translated = tracks("en", query="lang=es&tlang=en")
    found = captions.choose({"automatic_captions": translated}, "en")
    assert found.track is None
    assert found.notes == ("no captions in en: the sound is kept",)


def test_what_was_said_in_another_language_is_kept_and_said_so() -> None:
    automatic = {**tracks("es-orig", "es"), **tracks("en", query="tlang=en")}
    found = captions.choose({"automatic_captions": automatic, "language": "es"}, "en")
    assert found.track is not None
    assert found.track.language == "es"
    assert found.notes[1] == "no captions in en: those in the language that was spoken"


def test_captions_in_other_languages_alone_are_named() -> None:
    found = captions.choose({"subtitles": tracks("de", "fr")}, "en")
    assert found.track is None
    assert found.notes == ("no captions in en (there are: de, fr): the sound is kept",)


def test_the_language_is_found_out_where_that_is_wanted() -> None:
    assert chosen("auto", automatic=tracks("de-orig", "de")) == "de-orig"
    assert chosen("auto", manual=tracks("fr")) == "fr"
    assert chosen("auto") is None


def test_what_the_audience_wrote_is_no_caption() -> None:
    chat = {"live_chat": [{"ext": "json3", "url": "https://v.example/chat"}]}
    assert chosen("auto", manual=chat) is None


@PROPERTY
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["en", "ext", "url", "subtitles", "x"]), inner)
        ),
        max_leaves=8,
    ),
    st.sampled_from(["en", "auto", ""]),
)
def test_no_shape_of_the_vendors_answer_ends_the_choice(value: object, lang: str) -> None:
    info = {"subtitles": value, "automatic_captions": value, "language": value}
    assert isinstance(captions.choose(info, lang).notes, tuple)
