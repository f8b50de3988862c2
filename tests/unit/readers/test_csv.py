from collections.abc import Callable

import pytest

from centinel.readers.document import Document, GaveWay, Reading
from centinel.readers.plain import csv

Make = Callable[..., Document]


def read(make: Make, content: str | bytes, declared_type: str | None = None) -> Reading:
    return csv.read(make(content, "csv", declared_type))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_each_delimiter_is_detected(make: Make, delimiter: str) -> None:
    rows = [["Name", "Ward", "Vote"], ["Ann", "1", "yes"], ["Bob", "2", "no"]]
    content = "".join(delimiter.join(row) + "\r\n" for row in rows)
    assert read(make, content).text == (
        "| Name | Ward | Vote |\n| --- | --- | --- |\n| Ann | 1 | yes |\n| Bob | 2 | no |"
    )


def test_a_decimal_comma_is_not_the_delimiter(make: Make) -> None:
    assert "| Ann | 1,5 |" in read(make, "Name;Share\nAnn;1,5\nBob;2,25\nEve;3,125\n").text


def test_the_first_line_may_name_the_delimiter(make: Make) -> None:
    assert read(make, "sep=^\nName^Ward\nAnn^1\n").text.endswith(
        "| Name | Ward |\n| --- | --- |\n| Ann | 1 |"
    )


def test_a_declared_tab_is_believed(make: Make) -> None:
    text = read(make, "a,b\tc\n1,2\t3\n", "text/tab-separated-values").text
    assert "| a,b | c |" in text


def test_no_row_of_data_is_spent_as_a_header(make: Make) -> None:
    assert read(make, "2026,100\n2027,200\n").text == (
        "|  |  |\n| --- | --- |\n| 2026 | 100 |\n| 2027 | 200 |"
    )


def test_ragged_rows_are_padded_and_kept(make: Make) -> None:
    text = read(make, "Budget of the city\n\na,b,c\n1,2\n3,4,5,6\n").text
    assert text.splitlines()[2:] == [
        "| Budget of the city |  |  |  |",
        "| a | b | c |  |",
        "| 1 | 2 |  |  |",
        "| 3 | 4 | 5 | 6 |",
    ]


def test_empty_rows_are_left_out_and_counted(make: Make) -> None:
    reading = read(make, "a,b\n,,\n\n1,2\n")
    assert reading.notes == ("2 empty rows left out",)
    assert reading.text.count("\n") == 2


def test_cells_are_one_line_and_pipes_are_escaped(make: Make) -> None:
    text = read(make, 'Name,Text\nAnn,"first line\nsecond | line"\n').text
    assert text.endswith("| Ann | first line second \\| line |")


@pytest.mark.parametrize(("columns", "rows"), [(21, 5), (3, 201)])
def test_wide_or_long_tables_are_tab_separated_with_every_row(
    make: Make, columns: int, rows: int
) -> None:
    content = "".join(",".join(f"r{r}c{c}" for c in range(columns)) + "\n" for r in range(rows))
    lines = read(make, content).text.splitlines()
    assert lines[0] == lines[-1] == "```"
    assert lines[1:-1] == content.strip().replace(",", "\t").splitlines()


def test_the_largest_pipe_table_is_still_one(make: Make) -> None:
    content = "".join(",".join(f"c{c}" for c in range(20)) + "\n" for _ in range(200))
    assert len(read(make, content).text.splitlines()) == 201


def test_only_empty_cells_are_no_text(make: Make) -> None:
    with pytest.raises(GaveWay, match="only empty cells in 2 rows"):
        read(make, ",,\n , ,\n")


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_encodings_are_detected_and_marks_dropped(make: Make, codec: str) -> None:
    content = '"Name","Ort"\r\n"Jörg","Köln"\r\n'.encode(codec)
    assert read(make, content).text == "| Name | Ort |\n| --- | --- |\n| Jörg | Köln |"


def test_a_late_accent_decides_the_charset(make: Make) -> None:
    content = b"a,b\n" * 40_000 + "Café,x\n".encode("cp1252")
    reading = read(make, content)
    assert "Café\tx" in reading.text
    assert reading.notes == ("charset inferred: cp1252",)


def test_a_quote_that_is_never_closed_swallows_nothing(make: Make) -> None:
    content = 'item,size,price\n"5 inch pipe,1,2\n' + "".join(f"p{n},{n},9\n" for n in range(50))
    reading = read(make, content)
    assert "| p49 | 49 | 9 |" in reading.text
    assert reading.text.count("\n") == 52
    assert reading.notes == ("a quote is never closed: quotes were read as letters",)


def test_leading_zeros_and_fence_marks_are_kept(make: Make) -> None:
    content = "code,text\n" + "".join(f"00{n},```\n" for n in range(300))
    text = read(make, content).text
    assert text.startswith("````\ncode\ttext\n000\t```\n")
    assert text.endswith("\n````")


def test_binary_data_gives_way(make: Make) -> None:
    with pytest.raises(GaveWay, match="binary data"):
        read(make, b"PK\x03\x04\x00\x00\x00\x00" * 50)
