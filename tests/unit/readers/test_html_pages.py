"""What all three readers of HTML share: opening, cleaning, titles, tables."""

from collections.abc import Callable

import pytest

from centinel.readers.document import Document, GaveWay, Reader
from centinel.readers.html import READERS, whole_page
from centinel.readers.page import LARGEST_PAGE

Make = Callable[..., Document]


def text_of(make: Make, page: str | bytes, declared_type: str | None = None) -> str:
    return whole_page.read(make(page, "html", declared_type)).text


def test_what_is_no_text_is_dropped(make: Make) -> None:
    tags = [
        "script",
        "style",
        "noscript",
        "template",
        "svg",
        "button",
        "select",
        "datalist",
        "iframe",
        "object",
        "video",
    ]
    page = "".join(f"<{tag}>gone{tag}</{tag}>" for tag in tags)
    assert text_of(make, f"<body>{page}<p>Kept</p></body>") == "Kept"


@pytest.mark.parametrize(
    "attribute",
    [
        "hidden",
        'hidden=""',
        "aria-hidden=true",
        'style="display:none"',
        'style="color:red; DISPLAY : none"',
        "style='visibility: hidden'",
    ],
)
def test_hidden_elements_are_dropped_and_the_text_behind_them_stays(
    make: Make, attribute: str
) -> None:
    assert text_of(make, f"<p>a <span {attribute}>secret</span> b</p>") == "a b"


def test_a_hidden_wrapper_of_the_content_is_kept(make: Make) -> None:
    page = (
        '<body style="visibility:hidden"><div style="display:none"><main>Vote</main></div></body>'
    )
    assert text_of(make, page) == "Vote"


def test_what_search_in_page_finds_is_kept(make: Make) -> None:
    assert text_of(make, '<p hidden="until-found">Folded answer</p>') == "Folded answer"


def test_the_heading_of_an_accordion_is_kept(make: Make) -> None:
    page = "<h3><button>Who may vote?</button></h3><p>All.</p><button>Share</button>"
    assert text_of(make, page) == "### Who may vote?\n\nAll."


def test_a_consent_banner_is_dropped_and_a_page_about_cookies_is_not(make: Make) -> None:
    page = '<div class="cookie-banner">We use cookies</div><div class="cookies-topic">Recipes</div>'
    assert text_of(make, page) == "Recipes"


def test_a_menu_that_is_never_closed_does_not_swallow_the_page(make: Make) -> None:
    from centinel.readers.html import marked

    assert marked.read(make("<nav><a href=/>Home</a><main><p>Vote</p></main>")).text == "Vote"


def test_an_image_is_its_description(make: Make) -> None:
    page = '<p>Ward<img alt="map of ward 3" src="m.png">here<img src="x.gif" alt=""></p>'
    assert text_of(make, page) == "Ward map of ward 3 here"


def test_data_uris_are_removed_and_counted(make: Make) -> None:
    page = '<p>Minutes</p><img alt="Signature" src="data:image/png;base64,AAAA">'
    reading = whole_page.read(make(page))
    assert reading.text == "Minutes\n\nSignature"
    assert reading.notes == ("26 characters removed from 1 data URIs",)


def test_labels_do_not_run_together(make: Make) -> None:
    assert text_of(make, "<form><label>Name</label><label>Street</label></form>") == "Name Street"


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_page_over_the_limit_gives_way_with_both_sizes(make: Make, reader: Reader) -> None:
    page = make(b"<p>x</p>" + b" " * LARGEST_PAGE)
    with pytest.raises(GaveWay, match=f"page of {LARGEST_PAGE + 8} bytes is over the limit of"):
        reader.read(page)


def test_a_long_text_without_a_break_is_not_lost(make: Make) -> None:
    words = 400_000
    assert text_of(make, f"<p>{'word ' * words}</p>").count("word") == words


def test_deep_nesting_is_flattened_and_noted(make: Make) -> None:
    reading = whole_page.read(make("<div>" * 1500 + "deep text" + "</div>" * 1500 + "<p>after</p>"))
    assert reading.text == "deep text\n\nafter"
    assert reading.notes == ("what is nested deeper than 256 levels was flattened",)


def test_a_tag_with_too_many_attributes_gives_way(make: Make) -> None:
    attributes = " ".join(f'a{n}="x"' for n in range(11_000))
    with pytest.raises(GaveWay, match="a tag with 11000 attributes is over the limit of 10000"):
        text_of(make, f"<p {attributes}>x</p>")


def test_a_comparison_in_a_long_script_is_no_tag(make: Make) -> None:
    script = "if (a<b) " + "x = 1; " * 12_000
    assert text_of(make, f"<script>{script}</script><p>Text</p>") == "Text"


@pytest.mark.parametrize(
    ("head", "title"),
    [
        (
            '<meta property="og:title" content="Budget &amp;amp; vote"><title>x</title>',
            "Budget & vote",
        ),
        (
            '<meta property="og:title" content=" "><title> Budget\n 2026 &#039;</title>',
            "Budget 2026 '",
        ),
        ("<title></title>", "Heading one"),
    ],
)
def test_the_title_is_declared_or_the_first_heading(make: Make, head: str, title: str) -> None:
    page = (
        f"<head>{head}</head><body><svg><title>Icon</title></svg><h1>Heading <b>one</b></h1></body>"
    )
    assert whole_page.read(make(page)).title == title


def test_a_page_without_a_title_has_none(make: Make) -> None:
    assert whole_page.read(make("<title> </title><p>Text</p>")).title is None


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_pages_in_other_unicode_forms_are_read(make: Make, codec: str) -> None:
    page = "<html><head><title>Année</title></head><body><p>Décision du conseil</p></body></html>"
    assert text_of(make, page.encode(codec)) == "Décision du conseil"


def test_a_windows_page_is_not_garbled(make: Make) -> None:
    page = '<meta charset="iso-8859-1"><p>The City’s résumé</p>'.encode("cp1252")
    assert text_of(make, page) == "The City’s résumé"


def test_an_empty_body_gives_way(make: Make) -> None:
    with pytest.raises(GaveWay, match="the page shows no text"):
        text_of(make, "<html><head><title>Only a title</title></head><body></body></html>")
    with pytest.raises(GaveWay, match="no HTML in it"):
        text_of(make, "   ")
