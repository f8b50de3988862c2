"""What vendors write, value by value."""

import pytest

from centinel.sources.platforms import values
from centinel.sources.platforms.asking import Secret
from centinel.sources.platforms.values import Unreadable


@pytest.mark.parametrize(
    ("stated", "moment"),
    [
        ("2017-07-31T23:46:47.397", "2017-07-31T23:46:47.397000Z"),
        ("2017-07-31T23:46:47Z", "2017-07-31T23:46:47.000000Z"),
        ("2017-07-31T23:46:47+02:00", "2017-07-31T21:46:47.000000Z"),
        (" 2017-07-31\n", "2017-07-31"),
        ("Tue, 07 Jan 2014 18:30:00 -0800", "2014-01-08T02:30:00.000000Z"),
        ("Tue, 07 Jan 2014 18:30:00 GMT", "2014-01-07T18:30:00.000000Z"),
        (1671554653000, "2022-12-20T16:44:13.000000Z"),
        (10**30, None),
        (True, None),
        (1.5, None),
        ("R/P1Y", None),
        ("2014-01-01/2015-01-01", None),
        ("yesterday", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("", None),
        (None, None),
        ({}, None),
    ],
)
def test_times_are_iso_8601_in_utc(stated: object, moment: str | None) -> None:
    assert values.moment(stated) == moment


@pytest.mark.parametrize(
    ("stated", "count"),
    [(7, 7), (0, 0), ("53", 53), (" 53 ", 53), (-1, None), (True, None), (7.0, None),
     ("many", None), ("9" * 30, None), (1 << 60, None), (None, None)],
)  # fmt: skip
def test_a_count_is_a_whole_number(stated: object, count: int | None) -> None:
    assert values.count(stated) == count


@pytest.mark.parametrize(
    ("stated", "identifier"),
    [(7, "7"), ("a b", "a b"), (" a ", "a"), (True, None), (1 << 70, None), ("", None), ([], None)],
)
def test_an_id_is_a_number_or_a_text(stated: object, identifier: str | None) -> None:
    assert values.identifier(stated) == identifier


def test_text_is_one_line_that_utf_8_can_hold() -> None:
    assert values.text(" a\r\n\tb ") == "a b"
    assert values.text("lone \ud800 surrogate") == "lone ? surrogate"
    assert values.text(7) is None


def test_json_is_read_as_vendors_write_it() -> None:
    assert values.parsed(b'\xef\xbb\xbf{"a": "x\ty", "b": NaN}')["a"] == "x\ty"
    assert values.parsed(b'"M\xfcller"') == "M\N{REPLACEMENT CHARACTER}ller"
    with pytest.raises(Unreadable, match="web page"):
        values.parsed(b"\xef\xbb\xbf\n <!DOCTYPE HTML>")
    with pytest.raises(Unreadable, match="schema changed: no JSON"):
        values.parsed(b"1" * 5000)


def test_files_are_whole_addresses_each_once() -> None:
    stated = ["/a.pdf", "https://o.example/b#p", None, "https://O.example/b", "mailto:x", 7, "/own"]
    found = values.files(stated, "https://t.example/x", ("https://t.example/own",))
    assert found.addresses == ("https://t.example/a.pdf", "https://o.example/b")
    assert found.notes == ("1 files have no http address: left out",)


def test_files_beyond_the_ceiling_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "MOST_PARTS", 2)
    found = values.files((f"/{number}" for number in range(5)), "https://t.example/", ())
    assert found.addresses == ("https://t.example/0", "https://t.example/1")
    assert found.notes == ("3 files more than 2 were not taken",)


def test_a_secret_is_not_shown_by_accident() -> None:
    assert "hunter2" not in repr(Secret("hunter2", "token", "https://t.example/"))
