from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel.readers.charset import charset_of, decode, is_binary, telling_sample

RUSSIAN = "Заседание городского совета состоялось в понедельник. " * 3
FRENCH = "Procès-verbal de la réunion du conseil municipal où étaient présents les élus"


def test_utf8_comes_before_a_declared_latin1() -> None:
    decoded = decode("Müller größe".encode(), "text/html; charset=iso-8859-1")
    assert decoded.text == "Müller größe"
    assert decoded.notes == ("charset declared as cp1252, read as utf-8",)


def test_a_declared_charset_is_used_where_the_bytes_are_not_utf8() -> None:
    decoded = decode(RUSSIAN.encode("koi8_r"), "text/plain; charset=koi8-r")
    assert (decoded.text, decoded.notes) == (RUSSIAN, ())


def test_a_meta_charset_counts_only_in_markup() -> None:
    page = f'<meta charset="windows-1251"><p>{RUSSIAN}</p>'.encode("cp1251")
    assert decode(page, markup=True).notes == ()
    assert RUSSIAN in decode(page, markup=True).text


def test_a_declaration_that_the_bytes_refute_is_noted_and_replaced_by_detection() -> None:
    decoded = decode(RUSSIAN.encode("cp1251"), "text/html; charset=utf-8")
    assert decoded.text == RUSSIAN
    assert decoded.notes == (
        "charset inferred: cp1251",
        "charset declared as utf-8, read as cp1251",
    )


@pytest.mark.parametrize("text", [FRENCH, FRENCH * 5, "Café Müller", "The City’s “budget” — § 5"])
def test_undeclared_western_text_is_windows_1252(text: str) -> None:
    decoded = decode(text.encode("cp1252"))
    assert (decoded.text, decoded.notes) == (text, ("charset inferred: cp1252",))


@pytest.mark.parametrize("codec", ["koi8_r", "cp1251", "cp1250", "cp932", "gb18030", "cp1256"])
def test_undeclared_text_of_other_scripts_is_detected(codec: str) -> None:
    samples = {
        "cp1250": "Příliš žluťoučký kůň úpěl ďábelské ódy. " * 3,
        "cp932": "これは日本語のテキストです。市議会の議事録。" * 3,
        "gb18030": "市议会会议记录，这是中文文本。" * 3,
        "cp1256": "في هذا النص العربي اجتماع المجلس البلدي " * 3,
    }
    text = samples.get(codec, RUSSIAN)
    assert decode(text.encode(codec)).text == text


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32"])
def test_unicode_is_known_by_its_mark_or_its_zeros(codec: str) -> None:
    assert decode("Minutes of the council, é".encode(codec)).text == "Minutes of the council, é"


def test_seven_bit_japanese_is_believed_when_declared() -> None:
    text = "これは日本語"
    assert decode(text.encode("iso2022_jp"), "text/html; charset=iso-2022-jp").text == text


def test_a_little_damage_does_not_change_the_charset() -> None:
    decoded = decode(("é" * 50).encode() + b"\xff end")
    assert decoded.encoding == "utf-8"
    assert decoded.text.endswith("\ufffd end")
    assert decoded.notes == ("1 places are no utf-8",)


def test_a_declared_codec_that_is_no_charset_is_ignored() -> None:
    assert decode(FRENCH.encode("cp1252"), "text/html; charset=base64").text == FRENCH


def test_zeros_are_binary_unless_they_are_utf16() -> None:
    assert is_binary(b"PK\x03\x04\x00\x00\x00\x08" * 20)
    assert not is_binary("plain text".encode("utf-16-le"))
    assert not is_binary(b"plain text")
    assert not is_binary(b"")


def test_the_sample_holds_the_lines_that_tell(tmp_path: Path) -> None:
    path = tmp_path / "late.csv"
    path.write_bytes(b"plain,line\n" * 50_000 + FRENCH.encode("cp1252") + b"\n")
    sample = telling_sample(path)
    assert len(sample) < 100_000
    assert charset_of(sample).encoding == "cp1252"


@given(st.binary(max_size=400), st.sampled_from([None, "a/b; charset=utf-16", "a/b; charset=idna"]))
def test_any_bytes_decode(data: bytes, declared_type: str | None) -> None:
    text = decode(data, declared_type, markup=True).text
    assert "\x00" not in text
    assert "\r" not in text
