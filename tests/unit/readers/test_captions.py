"""Captions in the shapes in which they are published."""

import json

import pytest

from centinel.readers import reading
from centinel.readers.captions import captions
from centinel.readers.document import Document, GaveWay, Reading
from centinel.readers.timed_text import clock
from tests.unit.readers.conftest import Make


def read(make: Make, content: str | bytes, declared_type: str | None = None) -> Reading:
    return captions.read(make(content, "captions", declared_type))


YOUTUBE = """WEBVTT
Kind: captions
Language: en

00:00:00.080 --> 00:00:02.550 align:start position:0%
\x20
good<00:00:00.320><c> evening</c><00:00:00.640><c> everyone</c>

00:00:02.550 --> 00:00:02.560 align:start position:0%
good evening everyone
\x20

00:00:02.560 --> 00:00:05.110 align:start position:0%
good evening everyone
welcome<00:00:02.800><c> to</c><00:00:03.000><c> the</c><00:00:03.300><c> council</c>

00:00:05.110 --> 00:00:05.120 align:start position:0%
welcome to the council
\x20

00:00:05.120 --> 00:00:08.000 align:start position:0%
welcome to the council
[Music]

00:00:08.000 --> 00:00:08.010 align:start position:0%
[Music]
\x20

00:00:08.010 --> 00:00:10.000 align:start position:0%
[Music]
[Music]
"""


def test_what_automatic_captions_roll_on_is_said_once(make: Make) -> None:
    reading = read(make, YOUTUBE, "text/vtt")
    assert reading.text == "[00:00:00] good evening everyone welcome to the council [Music] [Music]"
    assert reading.title is None
    assert reading.notes == ("6 cues that repeat the one before merged",)


def test_a_line_that_grows_word_by_word_is_said_once(make: Make) -> None:
    cues = ["the motion", "the motion carries", "the motion carries five to two", "next item"]
    blocks = [
        f"00:00:0{number}.000 --> 00:00:0{number + 1}.000\n{cue}\n"
        for number, cue in enumerate(cues)
    ]
    reading = read(make, "\n".join(["WEBVTT\n", *blocks]))
    assert reading.text == "[00:00:00] the motion carries five to two next item"


def test_who_says_a_line_twice_is_believed(make: Make) -> None:
    votes = "".join(
        f"{number}\n00:00:{number:02d},000 --> 00:00:{number + 1:02d},000\nAye.\n\n"
        for number in range(1, 8)
    )
    assert read(make, votes).text == "[00:00:01] " + " ".join(["Aye."] * 7)


VTT = """WEBVTT - Council of May

NOTE title: no title of a recording

STYLE
::cue { color: red }

REGION
id:fred

intro
01:02.500 --> 01:04.000 line:0
<v.loud Mary Ann>Tom &amp; Jerry &lt;3</v>
<v Roger Bingham><i>We</i> <c.yellow>begin</c></v>

00:01:05.000 --> 00:01:06.000
&gt;&gt; Thank <00:01:05.500>you

00:01:07.000 --> 00:01:08.000

00:61 --> 00:02:00.000
This one has no time.

00:03:10.000 --> 00:03:12.000
After a pause.
"""


def test_webvtt_keeps_voices_and_marks_and_counts_what_is_broken(make: Make) -> None:
    reading = read(make, VTT, "text/vtt")
    assert reading.text.split("\n\n") == [
        "[00:01:02] Mary Ann: Tom & Jerry <3",
        "[00:01:02] Roger Bingham: We begin",
        "[00:01:05] >> Thank you",
        "[00:03:10] After a pause.",
    ]
    assert reading.title is None
    assert reading.notes == ("1 broken cues left out", "1 cues without text left out")


SRT = """1
00:00:01,000 --> 00:00:02,500
{\\an8}<font color="#ffff00">Café</font> déjà vu

2
00:00:03,000 --> 00:00:04,000
<b>is open.</b>
- Is it?

3
xx:00:05,000 --> 00:00:06,000
lost

4
00:00:07,000 --> 00:00:08,000


1999
"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_srt_in_any_encoding_and_with_any_line_ends(make: Make, encoding: str, end: str) -> None:
    reading = read(make, SRT.replace("\n", end).encode(encoding), "application/x-subrip")
    assert reading.text == "[00:00:01] Café déjà vu is open. - Is it? 1999"
    assert "1 broken cues left out" in reading.notes


def test_srt_without_numbers_is_read(make: Make) -> None:
    text = "00:00:01,000 --> 00:00:02,000\none\n\n00:00:02,000 --> 00:00:03,000\ntwo\n"
    assert read(make, text).text == "[00:00:01] one two"


TTML = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE tt [<!ENTITY bomb "boom">]>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter"
 xmlns:ttm="http://www.w3.org/ns/ttml#metadata" ttp:frameRate="25" ttp:tickRate="10000000">
<head><metadata><ttm:title>No title</ttm:title>
<ttm:agent xml:id="m" type="person"><ttm:name type="full">The Mayor</ttm:name></ttm:agent>
</metadata></head>
<body><div begin="10s">
<p begin="00:00:01.500" end="00:00:02.500">Caf\xe9<br/>open
<span tts:color="red" xmlns:tts="x">now</span></p>
<p begin="00:00:03:05" dur="1s" ttm:agent="m">I call<metadata>
<ttm:desc>x</ttm:desc></metadata> &amp; order</p>
<p begin="70000000t" dur="2s"><span>ticks &bomb;</span></p>
</div><div><p>no time</p><p begin="1m" end="61s"></p>
<p><span begin="90s" end="91s">spans</span> <span begin="92s" dur="500ms">timed</span></p>
</div></body></tt>
"""


def test_ttml_in_every_form_of_time_with_its_speakers(make: Make) -> None:
    reading = read(make, TTML.encode("latin-1"), "application/ttml+xml")
    assert reading.text.split("\n\n") == [
        "[00:00:11] Café open now",
        "[00:00:13] The Mayor: I call & order",
        "[00:00:17] ticks",
        "[00:01:30] spans timed",
    ]
    assert "1 broken cues left out" in reading.notes
    assert "1 cues without text left out" in reading.notes


def test_dfxp_of_an_older_draft_and_a_cut_file_are_read(make: Make) -> None:
    text = (
        '<tt xmlns="http://www.w3.org/2006/10/ttaf1"><body><div>'
        '<p begin="0:00:00.5" end="0:00:01">old</p>'
    )
    reading = read(make, text)
    assert reading.text == "[00:00:00] old"
    assert reading.notes == ("not well-formed XML: what could be parsed of it",)


def json3(*events: dict[str, object], **more: object) -> str:
    return json.dumps({"wireMagic": "pb3", **more, "events": list(events)})


def event(start: int, length: int, *words: str, **more: object) -> dict[str, object]:
    segments = [{"utf8": word} for word in words]
    return {"tStartMs": start, "dDurationMs": length, "segs": segments, **more}


TRACK = (
    {"tStartMs": 0, "dDurationMs": 9000, "id": 1, "wpWinPosId": 1},
    event(80, 4000, "good", " evening"),
    event(2550, 1450, "\n", aAppend=1),
    event(2560, 4000, ">> welcome", "\nall"),
    event(4000, 10, "\n", aAppend=1),
    {"segs": [{"utf8": "no time"}]},
)


def test_the_json_of_youtube_is_read_whatever_the_order_of_its_keys(make: Make) -> None:
    plain = json3(*TRACK)
    for text in (plain, json.dumps(json.loads(plain), sort_keys=True, indent=1)):
        reading = read(make, text, "application/json")
        assert reading.text == "[00:00:00] good evening >> welcome all"
        assert reading.notes == ("1 broken cues left out", "2 cues without text left out")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("WEBVTT\n\nNOTE nothing\n", "no cues"),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\n<c></c>\n", "no cues; 1 cues without text"),
        (json3(), "no cues"),
        (json3(event(0, 1, "\n")), "no cues"),
        ('{"formats": []}', "JSON without caption events"),
        ('{"events": 3', "invalid JSON"),
        ("<tt xmlns='http://www.w3.org/ns/ttml'><body/></tt>", "no cues"),
        ("<html><body>Not found</body></html>", "XML of <html>, no timed text"),
        ("<", "not XML"),
        ("Just words.", "neither WebVTT, SRT, TTML nor caption JSON"),
        (b"\x00\x01\x02" * 99, "binary data"),
    ],
)
def test_what_has_no_cue_gives_way(make: Make, content: str | bytes, reason: str) -> None:
    with pytest.raises(GaveWay, match=reason):
        read(make, content)


def test_a_recording_is_called_what_its_source_calls_it(make: Make) -> None:
    outcome = reading.read(make(VTT, "captions"), ["captions"], "Mayor Jane Castor 2026 Budget")
    assert outcome.text is not None
    assert outcome.text.startswith("# Mayor Jane Castor 2026 Budget\n\n[00:01:02] Mary Ann: ")


def test_speech_without_punctuation_and_with_a_long_gap_has_times_to_cite(make: Make) -> None:
    words = "and then we move to the next item on the list " * 3
    blocks = [
        f"{number + 1}\n{clock(start)},000 --> {clock(start + 4)},000\n{words}\n"
        for number, start in enumerate([*range(0, 60, 5), *range(3660, 3720, 5)])
    ]
    text = read(make, "\n".join(blocks)).text
    assert [paragraph[:10] for paragraph in text.split("\n\n")] == [
        "[00:00:00]",
        "[00:00:45]",
        "[01:01:00]",
        "[01:01:45]",
    ]


def test_the_real_files_are_read(make: Make) -> None:
    text = (
        "WEBVTT - This file has cues.\n\n14\n00:01:14.815 --> 00:01:18.114\n"
        "- What?\n- Where are we now?\n"
    )
    assert read(make, text).text == "[00:01:14] - What? - Where are we now?"


def test_a_reader_of_captions_stands_for_captions(make: Make) -> None:
    assert captions.kinds == {"captions"}
    document: Document = make(VTT, "captions")
    assert captions.read(document).text.startswith("[00:01:02] Mary Ann")
