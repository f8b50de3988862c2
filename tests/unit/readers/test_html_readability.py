from collections.abc import Callable

import pytest

from centinel.readers.document import Document, GaveWay
from centinel.readers.html import readability

Make = Callable[..., Document]

MENU = (
    "<div id=m>"
    + "".join(f'<div><a href="/{n}">Office of number {n}</a></div>' for n in range(60))
    + "</div>"
)
PROSE = (
    "<p>The council approved the budget for the coming year after a hearing that lasted until "
    "midnight, and it asked the clerk to <a href='/vote'>publish the vote</a> that day.</p>"
)


def test_the_main_content_is_told_from_the_menu(make: Make) -> None:
    page = f"<body>{MENU}<div><h1>Budget</h1>{PROSE * 3}</div><div id=footer>Imprint</div></body>"
    text = readability.read(make(page)).text
    assert "[publish the vote](/vote)" in text
    assert "Office of number" not in text


def test_tables_of_the_main_content_are_kept(make: Make) -> None:
    rows = "".join(f"<tr><td>Ward {n}</td><td>{n * 100}</td></tr>" for n in range(5))
    text = readability.read(
        make(f"<body><h1>Wards</h1>{PROSE * 3}<table>{rows}</table></body>")
    ).text
    assert "|  |  |\n| --- | --- |\n| Ward 0 | 0 |\n" in text
    assert "| Ward 4 | 400 |" in text


def test_a_page_without_content_gives_way(make: Make) -> None:
    with pytest.raises(GaveWay, match="no main content found"):
        readability.read(make("<body><script>x()</script></body>"))


def test_a_short_article_gives_way_to_a_page_that_is_no_menu(make: Make) -> None:
    with pytest.raises(GaveWay, match=r"short article \(\d+ characters\), the whole page"):
        readability.read(make("<body><div>Kiosk</div><p>Open on Monday.</p></body>"))


def test_a_short_article_beside_a_menu_is_kept(make: Make) -> None:
    page = (
        f"<body>{MENU}<div><p>Denison Cemetery, opened 1880, has no more plots for sale.</p></div>"
    )
    reading = readability.read(make(page))
    assert "no more plots for sale" in reading.text
    assert "Office of number 59" not in reading.text
    assert any(note.endswith("beside a menu") for note in reading.notes)


def test_an_article_that_loses_the_documents_gives_way(make: Make) -> None:
    documents = "".join(
        f'<li><a href="/m{n}.pdf">Minutes of meeting {n}</a></li>' for n in range(30)
    )
    page = f"<body>{MENU}<h1>Minutes</h1><p>Here they are, all of them.</p><ul>{documents}</ul>"
    with pytest.raises(GaveWay, match="leaves out 30 of 30 links to documents"):
        readability.read(make(page))


def test_a_page_of_too_many_elements_is_left_to_the_others(make: Make) -> None:
    with pytest.raises(GaveWay, match="elements are too many for the extractor"):
        readability.read(make("<body>" + "<b>x</b>" * 50_001))


def test_one_lost_document_is_noted(make: Make) -> None:
    prose = "".join(PROSE.replace("budget", f"budget {n} of the city") for n in range(6))
    page = f"<body>{MENU}<h1>Vote</h1>{prose}<ul><li><a href='/form.pdf'>Form</a></li></ul></body>"
    reading = readability.read(make(page))
    assert "the main content leaves out 1 of 1 links to documents" in reading.notes


def test_a_small_part_of_a_page_of_prose_gives_way(make: Make) -> None:
    prose = "".join(PROSE.replace("budget", f"budget {n} of the city") for n in range(3))
    fields = "".join(f"<label>Field {n}: value number {n} of the permit</label>" for n in range(90))
    with pytest.raises(GaveWay, match=r"the main content is \d+% of a page of prose"):
        readability.read(make(f"<body><h1>Permit</h1>{prose}<fieldset>{fields}</fieldset></body>"))
