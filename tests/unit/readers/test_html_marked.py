from collections.abc import Callable

import pytest

from centinel.readers.document import Document, GaveWay
from centinel.readers.html import marked

Make = Callable[..., Document]

MENU = (
    "<nav><ul>"
    + "".join(f'<li><a href="/{n}">Office {n}</a></li>' for n in range(30))
    + "</ul></nav>"
)
PROSE = (
    "<p>The council approved the budget for the coming year after a hearing that lasted until "
    "midnight, and it asked the clerk to publish the vote of every member on the same day.</p>"
)


@pytest.mark.parametrize(
    ("opening", "closing", "selector"),
    [
        ("<main>", "</main>", "main"),
        ("<main class='x'>", "</main>", "main"),
        ("<div role='main'>", "</div>", "[role=main]"),
        ("<div role=main>", "</div>", "[role=main]"),
        ('<div id="main-content">', "</div>", "#main-content"),
        ("<div id='main-content'>", "</div>", "#main-content"),
        ('<div class="main-content">', "</div>", ".main-content"),
        ("<div class='wide main-content left'>", "</div>", ".main-content"),
        ("<article>", "</article>", "article"),
    ],
)
def test_each_selector_is_found_however_it_is_written(
    make: Make, opening: str, closing: str, selector: str
) -> None:
    reading = marked.read(make(f"<body>{MENU}{opening}<h1>Vote</h1>{PROSE}{closing}</body>"))
    assert "approved the budget" in reading.text
    assert "Office 3" not in reading.text
    assert reading.notes == (f"marked region: {selector}",)


def test_the_widest_region_wins(make: Make) -> None:
    page = f"<main><p>Case number 17 of the record.</p><article>{PROSE}</article></main>"
    assert "Case number 17" in marked.read(make(page)).text


def test_an_empty_region_falls_to_the_next(make: Make) -> None:
    reading = marked.read(make(f"<main></main><article>{PROSE}</article>"))
    assert reading.notes == ("marked region: article",)


def test_a_page_without_a_region_gives_way(make: Make) -> None:
    with pytest.raises(GaveWay, match="declares no main region"):
        marked.read(make(f"<body>{PROSE}</body>"))


def test_a_region_of_nothing_but_navigation_gives_way(make: Make) -> None:
    with pytest.raises(GaveWay, match="holds no text"):
        marked.read(make(f"<main>{MENU}<aside>See also</aside></main><p>Outside</p>"))


def test_navigation_asides_and_footers_are_pruned_and_a_header_inside_is_kept(make: Make) -> None:
    page = (
        "<main><header><h1>Budget hearing</h1><p>By the clerk, 3 May 2026</p></header>"
        f"{PROSE}{MENU}<aside>Related pages</aside><footer>Share this</footer></main>"
    )
    text = marked.read(make(page)).text
    assert text.startswith("# Budget hearing\n\nBy the clerk, 3 May 2026")
    assert "Related pages" not in text
    assert "Share this" not in text
    assert "Office" not in text


def test_a_form_around_everything_is_no_form(make: Make) -> None:
    page = f"<form id=aspnetForm>{MENU}<main><form><h1>Minutes</h1>{PROSE * 5}</form></main></form>"
    assert "approved the budget" in marked.read(make(page)).text


def test_a_short_region_is_taken_whole(make: Make) -> None:
    record = "<h1>Denison Cemetery</h1><ul><li><a href=m>Map</a></li></ul>"
    page = f"<body>{MENU * 20}<main>{record}</main>"
    reading = marked.read(make(page))
    assert reading.text == "# Denison Cemetery\n\n- [Map](m)"


def test_links_keep_their_addresses_and_those_that_lead_nowhere_are_text(make: Make) -> None:
    page = (
        '<main><p>Read <a href="My File.pdf" title="t">the file</a>, <a href="../b?x=1&amp;y">b</a>'
        ', <a href="javascript:go()">go</a>, <a href="#">top</a>.</p></main>'
    )
    text = marked.read(make(page)).text
    assert text == "Read [the file](My%20File.pdf), [b](../b?x=1&y), go, top."


def test_a_base_changes_addresses_and_a_broken_one_does_not(make: Make) -> None:
    page = '<base href="{}"><main><a href="a.pdf">Agenda of May</a> <a href="#n">n</a></main>'
    with_base = marked.read(make(page.format("https://x.gov/docs/"))).text
    assert with_base == "[Agenda of May](https://x.gov/docs/a.pdf) [n](#n)"
    assert "(a.pdf)" in marked.read(make(page.format("http://[broken"))).text


def test_a_list_of_documents_is_not_lost_to_the_extractor(make: Make) -> None:
    documents = "".join(f'<li><a href="/m{n}.pdf">Minutes, part {n}</a></li>' for n in range(9))
    prose = "".join(PROSE.replace("budget", f"budget {n} of the city") for n in range(6))
    reading = marked.read(make(f"<main><h1>Minutes</h1>{prose}<ul>{documents}</ul></main>"))
    assert "- [Minutes, part 8](/m8.pdf)" in reading.text
    assert "taken whole: the extractor dropped 9 links to documents" in reading.notes


def test_text_that_the_extractor_would_drop_is_rescued(make: Make) -> None:
    fields = "".join(f"<label>Field {n}: value number {n} of the permit</label>" for n in range(40))
    reading = marked.read(make(f"<main>{PROSE * 2}<fieldset>{fields}</fieldset></main>"))
    assert "Field 39: value number 39 of the permit" in reading.text
    assert any(note.startswith("taken whole: the extractor kept ") for note in reading.notes)


def test_a_teaser_beside_the_article_is_not_the_region(make: Make) -> None:
    page = f"<div><article>Ad of the day</article></div><article><h1>Vote</h1>{PROSE * 3}</article>"
    text = marked.read(make(page)).text
    assert "approved the budget" in text
    assert "Ad of the day" not in text


def test_the_one_article_with_a_heading_is_the_page_own(make: Make) -> None:
    longer = PROSE.replace("budget", "levy") * 3
    page = f"<article><h1>Vote</h1>{PROSE}</article><article>{longer}</article>"
    text = marked.read(make(page)).text
    assert "approved the budget" in text
    assert "approved the levy" not in text


def test_a_list_of_articles_is_read_as_a_list(make: Make) -> None:
    items = "".join(f"<article><h2>Notice {n}</h2>{PROSE}</article>" for n in range(6))
    reading = marked.read(make(f"<body>{MENU}<div>{items}</div></body>"))
    assert all(f"## Notice {n}" in reading.text for n in range(6))
    assert "marked region: the list of articles" in reading.notes


def test_teasers_below_an_unmarked_text_give_way(make: Make) -> None:
    teasers = "".join(f"<article>Teaser {n} for you</article>" for n in range(6))
    with pytest.raises(GaveWay, match="6 articles, none of which is the page's own"):
        marked.read(make(f"<div>{PROSE * 9}</div><div>{teasers}</div>"))


def test_a_region_of_links_is_a_menu_and_keeps_its_text(make: Make) -> None:
    links = "".join(
        f'<li><a href="/very/long/address/{n}">Department {n}</a></li>' for n in range(60)
    )
    reading = marked.read(make(f"<main><ul>{links}</ul></main>"))
    assert "Department 59" in reading.text
    assert "menu: 100% of the text is link text" in reading.notes


def test_addresses_do_not_make_a_menu(make: Make) -> None:
    link = f'<a href="https://x.gov/{"a" * 900}">vote</a>'
    assert marked.read(make(f"<main>{PROSE}{link}</main>")).notes == ("marked region: main",)
