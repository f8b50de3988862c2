"""What acquire sees of a page: its text, without what changes at each request."""

import pytest

from centinel.download import Body
from centinel.fingerprint import fingerprint
from centinel.webpage import WebPage, open_page, without_stamps

ADDRESS = "https://town.example/a"


def page(markup: str) -> WebPage:
    opened = open_page(markup.encode(), "text/html", ADDRESS)
    assert opened is not None
    return opened


def print_of(markup: str, *parts: str) -> str:
    """The fingerprint of a page that encloses these parts."""
    return fingerprint("html", body(markup), page(markup), parts)


def body(text: str) -> Body:
    import hashlib
    from pathlib import Path

    content = text.encode()
    return Body(Path(), hashlib.sha256(content).hexdigest(), len(content), content)


def test_text_leaves_out_scripts_styles_and_the_head() -> None:
    markup = (
        "<html><head><title>T</title><style>p{}</style></head><body>A <script>var a</script>B"
        "<noscript>C</noscript><p>D<template>E</template> F</p>G</body></html>"
    )
    assert page(markup).text == "A B D F G"
    assert page(markup).title == "T"


@pytest.mark.parametrize(
    "markup",
    [
        '<body><form><input type="hidden" name="csrf" value="{}">Ask the clerk</form></body>',
        '<head><meta name="csrf-token" content="{}"></head><body>Ask the clerk</body>',
        '<body>Ask the clerk<script>var token = "{}"</script></body>',
        "<body>Ask the clerk <small>request {}</small></body>",
    ],
)
def test_a_rotated_token_is_no_change(markup: str) -> None:
    first, second = (
        print_of(markup.format(token)) for token in ("9fk2Lm8sQ0vbTz71xWqe", "Zx81mmQp0aJk27TtYw3c")
    )
    assert first == second


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Served at 12:30:01", "Served at 12:31:59"),
        ("Rendered in 0.213 seconds", "Rendered in 0.9 seconds"),
        ("t=1764510000", "t=1764519999"),
        ("id 1b4e28ba-2fa1-11d2-883f-0016d3cca427", "id 2c4e28ba-2fa1-11d2-883f-0016d3cca427"),
    ],
)
def test_a_stamp_is_no_change(before: str, after: str) -> None:
    assert without_stamps(before) == without_stamps(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The meeting is at 7:00 pm", "The meeting is at 8:00 pm"),
        ("Budget: 1,250,000", "Budget: 1,350,000"),
        ("12 March 2026", "13 March 2026"),
        ("Bylaw 2026-114", "Bylaw 2026-115"),
    ],
)
def test_what_a_person_reads_is_a_change(before: str, after: str) -> None:
    assert print_of(f"<p>{before}</p>") != print_of(f"<p>{after}</p>")


def test_another_enclosed_document_is_a_change() -> None:
    markup = "<p>The agenda</p>"
    assert print_of(markup, "https://town.example/1.pdf") != print_of(
        markup, "https://town.example/2.pdf"
    )


def test_a_page_that_cannot_be_parsed_safely_is_not_opened() -> None:
    hostile = "<p " + " ".join(f"a{number}=1" for number in range(20_000)) + ">x</p>"
    assert open_page(hostile.encode(), "text/html", ADDRESS) is None
    assert open_page(b" " * 100, "text/html", ADDRESS) is None
    assert open_page(b"<p>x</p>" + b" " * (11 << 20), "text/html", ADDRESS) is None


def test_the_charset_is_the_readers() -> None:
    opened = open_page("<p>Müll</p>".encode("cp1252"), "text/html; charset=windows-1252", ADDRESS)
    assert opened is not None
    assert opened.text == "Müll"
