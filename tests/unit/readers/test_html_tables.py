from collections.abc import Callable

import pytest

from centinel.readers.document import Document
from centinel.readers.html import whole_page

Make = Callable[..., Document]


def text_of(make: Make, page: str) -> str:
    return whole_page.read(make(page)).text


def test_a_table_without_headers_keeps_every_row_as_a_row(make: Make) -> None:
    rows = "".join(f"<tr><td>8/{n}/2026</td><td>Tampa {n}</td></tr>" for n in range(1, 51))
    lines = text_of(make, f"<table>{rows}</table>").splitlines()
    assert lines[:3] == ["|  |  |", "| --- | --- |", "| 8/1/2026 | Tampa 1 |"]
    assert len(lines) == 52
    assert lines[-1] == "| 8/50/2026 | Tampa 50 |"


def test_a_row_of_header_cells_heads_the_table(make: Make) -> None:
    page = "<table><tr><th>Name</th><th>Ward</th></tr><tr><td>Ann</td><td>3</td></tr></table>"
    assert text_of(make, page) == "| Name | Ward |\n| --- | --- |\n| Ann | 3 |"


def test_one_header_cell_does_not_head_the_table(make: Make) -> None:
    page = "<table><tr><th>Ann</th><td>3</td></tr><tr><th>Bob</th><td>4</td></tr></table>"
    assert text_of(make, page) == "|  |  |\n| --- | --- |\n| Ann | 3 |\n| Bob | 4 |"


def test_a_pipe_in_a_cell_makes_no_column(make: Make) -> None:
    page = "<table><tr><td>a|b</td><td>c</td></tr><tr><td>d</td><td>e</td></tr></table>"
    assert "| a\\|b | c |" in text_of(make, page)


def test_short_rows_and_spans_are_padded(make: Make) -> None:
    page = "<table><tr><td colspan=3>Wide</td></tr><tr><td>1</td><td>2</td></tr></table>"
    lines = text_of(make, page).splitlines()
    assert lines[0] == "|  |  |  |"
    assert all(line.count("|") == 4 for line in lines)


def test_a_cell_is_one_line(make: Make) -> None:
    row = "<tr><td>a<br>b<p>c</p></td><td>\n d \n</td></tr>"
    page = f"<table>{row}<tr><td>1</td><td>2</td></tr></table>"
    assert "| a b c | d |" in text_of(make, page)


@pytest.mark.parametrize(
    "table",
    [
        "<table role=presentation><tr><td>{}</td><td>Side</td></tr></table>",
        "<table><tr><td>{}</td></tr></table>",
        "<table><tr><td>{}</td><td><table><tr><td>x</td><td>y</td></tr></table></td></tr></table>",
        "<table><tr><td>{}<ul><li>b</li></ul></td><td>Side</td></tr></table>",
    ],
)
def test_a_layout_table_becomes_blocks(make: Make, table: str) -> None:
    text = text_of(make, table.format("<h2>Section</h2><p>Text</p>"))
    assert text.startswith("## Section\n\nText")


def test_a_data_table_inside_a_layout_table_keeps_its_rows(make: Make) -> None:
    inner = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    text = text_of(make, f"<table><tr><td>Menu</td><td>{inner}</td></tr></table>")
    assert text == "Menu\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_a_page_laid_out_in_two_long_cells_is_prose(make: Make) -> None:
    prose = "The council met and voted on the matter. " * 20
    text = text_of(make, f"<table><tr><td>Menu</td><td>{prose}</td></tr></table>")
    assert "|" not in text


def test_a_table_of_empty_cells_is_no_text(make: Make) -> None:
    page = "<p>x</p><table><tr><td></td><td> </td></tr><tr><td></td><td></td></tr></table>"
    assert text_of(make, page) == "x"
