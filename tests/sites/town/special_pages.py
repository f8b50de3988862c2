"""The pages of Port Alder that are hard to read, each in the way in which real ones are."""

from __future__ import annotations

from base64 import b64encode
from html import escape

from tests.sites.server import NAVIGATION, page
from tests.sites.town.other_files import tide_chart
from tests.sites.town.pages import Story, story_body
from tests.sites.town.prose import paragraphs

SCRIPTED_NOTICE = "/media/notices/2026/shoreline-hearing-notice.pdf"
REZONING_REPORT = "/media/planning/rezoning-14-quay-street.pdf"
REZONING_LETTER = "/media/planning/letter-to-neighbours.docx"


def _scripted_notice() -> bytes:
    """Carries its document only in a script, as the viewers of document systems do."""
    body = f"""<h1>Notice of public hearing</h1>
<p>The notice opens below. If nothing appears, use the print button.</p>
<div id="viewer"></div>
<script>var pdfURL="{SCRIPTED_NOTICE}#view=Fit&amp;toolbar=1";
document.getElementById("viewer").setAttribute("data-document", pdfURL);</script>"""
    return page("Notice of public hearing: shoreline lot | Port Alder", body)


ENCLOSING = (
    Story(
        "/notices/rezoning-14-quay-street",
        "Rezoning of 14 Quay Street",
        "The owner of the former net loft asks for twelve apartments above a chandlery.",
        ("planning", "meeting"),
        ("The application", "Documents"),
        f'<ul><li><a href="{REZONING_REPORT}">Report to council (PDF)</a></li>'
        f'<li><a href="{REZONING_LETTER}">Letter to neighbours (Word)</a></li></ul>',
    ),
    Story(
        "/council/hearings/2026-03-16",
        "Public hearing, 16 March 2026",
        "Council hears everyone who believes that the net loft proposal affects them.",
        ("meeting", "planning"),
        ("How to be heard", "What council will read"),
        f'<p>Council has before it the <a href="{REZONING_REPORT}#page=2">staff report</a> and '
        f'the <a href="../../{REZONING_LETTER.lstrip("/")}">letter</a>.</p>',
    ),
)

HISTORY = """<h1>A short history of the town</h1>
<p>In 1871 Élodie Marchand opened a café on the quay, paid for with 2 400 € in today’s money. Her
résumé, preserved in the archive, lists “smuggler’s cook” among her trades – the first record of
anyone who lived here by choice.</p>
<p>The señor who built the lighthouse, Íñigo Ibáñez, asked for £300 and a façade of granite.</p>
"""

WASTE = Story(
    "/services/waste-collection",
    "Waste collection",
    "Carts are emptied every second week; the kitchen scraps bucket goes out every Wednesday.",
    ("service", "nature"),
    ("Calendar", "What goes where"),
    landmark="article",
)

WATER = Story(
    "/services/water-quality",
    "Drinking water",
    "The upper reservoir was free of coliform bacteria in all 104 samples of the past year.",
    ("service", "works"),
    ("Sampling", "Hardness"),
    landmark="",
)

LOGO = Story(
    "/about/town-crest",
    "The town crest",
    "The crest shows an alder leaf above three waves, and below it the motto Tide and Turn.",
    ("planning", "service"),
    ("What the parts mean", "Who may use it"),
)


def _history() -> bytes:
    """Served as windows-1252, which only the header of the answer says."""
    drawn = paragraphs("history", ("nature", "works"), 4)
    body = HISTORY + "\n".join(f"<p>{escape(text, quote=False)}</p>" for text in drawn)
    return (
        page("A short history | Port Alder", body)
        .replace(b'<meta charset="utf-8">\n', b"")
        .decode()
        .encode("windows-1252")
    )


def _web_form() -> bytes:
    """The whole body is one form, as WebForms writes it."""
    inside = story_body(
        Story(
            "/services/permits",
            "Permits",
            "A deck lower than sixty centimetres needs no permit; a sauna always does.",
            ("planning", "service"),
            ("Before you apply", "Inspections"),
        )
    )
    state = "dDwtMTUwNzk0MjE3Njs7PhtbnQ1b2R1Y3Rpb24gb2YgdGhlIHN0YXRl" * 6
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Permits | Port Alder</title></head>
<body>
<form method="post" action="./permits" id="aspnetForm">
<input type="hidden" name="__VIEWSTATE" id="__VIEWSTATE" value="{state}">
<div id="ctl00_Menu"><a href="/">Home</a> <a href="/a-to-z">A to Z</a></div>
<div id="ctl00_Content">
{inside}
<p><label>Permit number <input name="ctl00$Number"></label>
<input type="submit" value="Search"></p>
</div>
</form>
</body>
</html>
""".encode()


def _menu() -> bytes:
    """Almost nothing but links."""
    services = (
        ("/bylaws/animals", "Animal licences"),
        ("/departments/fire", "Burning permits"),
        ("/bylaws/parking", "Car parks"),
        ("/news/ferry-landing-repairs", "Ferry timetable"),
        ("/services/waste-collection", "Garbage and recycling"),
        ("/departments/library", "Library cards"),
        ("/bylaws/noise", "Noise complaints"),
        ("/bylaws/tree-protection", "Tree cutting"),
        ("/services/water-quality", "Water tests"),
    )
    entries = "\n".join(
        f'<li><a href="{path}">{escape(label)}</a></li>'
        for path, label in sorted({*services, *NAVIGATION[1:]}, key=lambda entry: entry[1])
    )
    body = f"<h1>A to Z of services</h1>\n<ul>\n{entries}\n</ul>"
    return page("A to Z of services | Port Alder", body, landmark="")


def _empty() -> bytes:
    """Has a title and nothing else: its content comes by script, from elsewhere."""
    return (
        b'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        b"<title>Calendar of events | Port Alder</title>"
        b'<script src="/assets/calendar.js" defer></script></head>'
        b"<body></body></html>\n"
    )


def _with_data_uri() -> bytes:
    """Carries an image inside the page, as a data: URI."""
    encoded = b64encode(tide_chart()).decode("ascii")
    image = f'<img alt="Alder leaf over waves" src="data:image/png;base64,{encoded}">'
    return page("The town crest | Port Alder", story_body(LOGO).replace("</h1>", f"</h1>\n{image}"))


def _story(story: Story) -> bytes:
    return page(f"{story.title} | Port Alder", story_body(story), landmark=story.landmark)


def pages() -> dict[str, bytes]:
    """The pages that test a reader, by path."""
    stories = (*ENCLOSING, WASTE, WATER)
    return {story.path: _story(story) for story in stories} | {
        "/notices/shoreline-hearing": _scripted_notice(),
        "/about/history": _history(),
        "/about/town-crest": _with_data_uri(),
        "/services/permits": _web_form(),
        "/a-to-z": _menu(),
        "/events": _empty(),
    }
