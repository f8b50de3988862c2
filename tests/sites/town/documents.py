"""The office documents and PDFs of Port Alder, with the same bytes on every machine.

The libraries write the time of day into what they make, so containers are packed again with a
fixed one; and nothing is compressed, because what zlib makes differs from build to build.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from docx import Document as WordDocument
from docx.document import Document as WordFile
from docx.enum.style import WD_STYLE_TYPE
from odf import opendocument, text
from odf import table as odf_table
from odf.draw import Frame, Page, TextBox
from odf.style import MasterPage, PageLayout
from openpyxl import Workbook
from pptx import Presentation
from reportlab.lib import colors
from reportlab.lib.pagesizes import letter
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from tests.sites.town.other_files import zip_of
from tests.sites.town.prose import paragraphs

CLOCK = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*(<)")
PASSWORD = "low-tide"  # a password of a demo document, which nothing protects


@dataclass(frozen=True)
class Paper:
    """A paper of several pages: what it says first, its topics, and a table."""

    title: str
    lead: str
    topics: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    headings: tuple[str, ...] = ("Summary", "Findings", "Next steps")


PAPERS = {
    "/media/finance/budget-2026.pdf": Paper(
        "Budget 2026 and five-year plan",
        "The plan balances at $18.4 million and builds a ferry reserve of its own.",
        ("money", "works"),
        (
            ("Fund", "2025", "2026"),
            ("General", "9,210,000", "9,648,000"),
            ("Water", "2.1 M", "2.3 M"),
        ),
    ),
    "/media/finance/annual-report-2025.pdf": Paper(
        "Annual report 2025",
        "The year of the November storm, of the new seawall and of the lending locker.",
        ("safety", "service", "money"),
        (("Measure", "Target", "Reached"), ("Potholes filled", "900", "1,017")),
    ),
    "/media/council/agenda-package-2026-02-23.pdf": Paper(
        "Agenda package, 23 February 2026",
        "Reports and correspondence for the regular meeting of council.",
        ("meeting", "planning"),
        (("Item", "Report", "Pages"), ("4.1", "Rezoning of 14 Quay Street", "12")),
        ("Reports", "Correspondence", "Previous minutes"),
    ),
    "/media/planning/zoning-plan.pdf": Paper(
        "Zoning plan and explanatory notes",
        "The plan divides the town into eleven zones, from working waterfront to meadow.",
        ("planning", "nature"),
        (("Zone", "Use", "Height"), ("W1", "Working waterfront", "11 m"), ("R2", "Homes", "9 m")),
    ),
    "/media/reports/water-quality-2025.pdf": Paper(
        "Drinking water quality report 2025",
        "Turbidity stayed below one unit on 361 days; the four others followed heavy rain.",
        ("service", "works"),
        (("Parameter", "Limit", "Measured"), ("Turbidity", "1.0 NTU", "0.4 NTU")),
    ),
    "/media/reports/harbour-sediment-study.pdf": Paper(
        "Sediment study of the inner basin",
        "Cores from nine stations show clean sand above a layer of cannery shell.",
        ("nature", "works"),
        (("Station", "Depth", "Grain"), ("S1", "0.8 m", "sand"), ("S2", "1.4 m", "shell")),
    ),
    "/media/bylaws/fee-schedule.pdf": Paper(
        "Schedule of fees and charges",
        "Moorage, halls, graves and photocopies: what each of them costs from 1 January.",
        ("money", "service"),
        (("Service", "Fee"), ("Moorage per metre", "14.75"), ("Grave, upright marker", "1,250.00")),
    ),
    "/download?id=204": Paper(
        "Request for proposals: ticketing at the ferry landing",
        "Proposals are sealed, and opened in public on 3 April at noon.",
        ("money", "planning"),
        (("Criterion", "Points"), ("Price", "40"), ("References", "25")),
    ),
}

# These are in no sitemap; only pages lead to them.
ENCLOSED_PAPERS = {
    "/media/notices/2026/shoreline-hearing-notice.pdf": Paper(
        "Notice of public hearing: shoreline lot",
        "Council hears the public on 16 March 2026 about the lot beside the net loft.",
        ("planning", "meeting"),
        (("Date", "Time", "Place"), ("16 March 2026", "19:00", "Council chamber")),
    ),
    "/media/planning/rezoning-14-quay-street.pdf": Paper(
        "Report to council: rezoning of 14 Quay Street",
        "Staff recommend second reading, with a covenant that keeps the chandlery.",
        ("planning", "money"),
        (("Condition", "Secured by"), ("Public path", "right of way"), ("Chandlery", "covenant")),
    ),
}

ENCRYPTED = Paper(
    "Schedule of confidential settlements",
    "Withheld from the public version under section 21.",
    ("money",),
    (("File", "Amount"), ("24-031", "withheld")),
)


def pdf(paper: Paper, seed: str, encrypt: StandardEncryption | None = None) -> bytes:
    """A PDF of one page a heading, with a table on the first."""
    target = io.BytesIO()
    document = SimpleDocTemplate(
        target,
        pagesize=letter,
        title=paper.title,
        author="Town of Port Alder",
        invariant=1,
        pageCompression=0,
        encrypt=encrypt,
    )
    document.build(_story(paper, seed))
    return target.getvalue()


def _story(paper: Paper, seed: str) -> list[object]:
    styles = getSampleStyleSheet()
    grid = TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.grey)])
    story: list[object] = [
        Paragraph(paper.title, styles["Title"]),
        Paragraph(paper.lead, styles["BodyText"]),
        Table(paper.rows, style=grid, hAlign="LEFT", spaceBefore=12),
        Spacer(1, 12),
    ]
    for number, heading in enumerate(paper.headings):
        if number:
            story.append(PageBreak())
        story.append(Paragraph(heading, styles["Heading2"]))
        for drawn in paragraphs(f"{seed} {heading}", paper.topics, 4):
            story.append(Paragraph(drawn, styles["BodyText"]))
    return story


def packed_again(container: bytes) -> bytes:
    """The same zip entries with fixed times and properties."""
    entries = {}
    with zipfile.ZipFile(io.BytesIO(container)) as source:
        for name in source.namelist():
            content = source.read(name)
            if name == "docProps/core.xml":
                content = CLOCK.sub(rb"\g<1>2026-01-05T09:00:00Z\g<2>", content)
            entries[name] = content
    return zip_of(entries)


def _saved(save: Callable[[io.BytesIO], object]) -> bytes:
    target = io.BytesIO()
    save(target)
    return packed_again(target.getvalue())


def word(title: str, seed: str, rows: Sequence[Sequence[str]] = ()) -> bytes:
    """A docx with headings, paragraphs and a table."""
    document = _plain_word_document()
    document.core_properties.title = title
    document.core_properties.author = "Town of Port Alder"
    document.add_heading(title, level=0)
    for number, drawn in enumerate(paragraphs(seed, ("planning", "service"), 4)):
        if number % 2 == 0:
            document.add_heading(f"Part {number // 2 + 1}", level=1)
        document.add_paragraph(drawn)
    if rows:
        table = document.add_table(rows=0, cols=len(rows[0]))
        for row in rows:
            for cell, value in zip(table.add_row().cells, row, strict=True):
                cell.text = value
    return _saved(document.save)


def _plain_word_document() -> WordFile:
    """The library's template without its hundred table styles, which make 800 kB of it."""
    document = WordDocument()
    for style in list(document.styles):
        if style.type == WD_STYLE_TYPE.TABLE and style.name != "Normal Table":
            style.delete()
    relations = document.part.rels
    for name in [key for key, one in relations.items() if "stylesWithEffects" in one.reltype]:
        del relations[name]
    return document


def slides(title: str, points: Sequence[tuple[str, str]]) -> bytes:
    """A pptx of a title slide and one slide a point."""
    show = Presentation()
    show.core_properties.title = title
    first = show.slides.add_slide(show.slide_layouts[0])
    first.shapes.title.text = title
    first.placeholders[1].text = "Town of Port Alder"
    for heading, body in points:
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = heading
        slide.placeholders[1].text = body
    return _saved(show.save)


def open_text(title: str, seed: str) -> bytes:
    """An odt with a heading, paragraphs and a table."""
    document = opendocument.OpenDocumentText()
    document.text.addElement(text.H(outlinelevel=1, text=title))
    for drawn in paragraphs(seed, ("meeting", "nature"), 5):
        document.text.addElement(text.P(text=drawn))
    document.text.addElement(
        _open_table("Members", (("Name", "Seat"), ("Wen Hathersage", "Youth")))
    )
    return _saved(document.write)


def open_slides(points: Sequence[tuple[str, str]]) -> bytes:
    """An odp of one slide a point."""
    show = opendocument.OpenDocumentPresentation()
    layout = PageLayout(name="Screen")
    show.automaticstyles.addElement(layout)
    master = MasterPage(name="Town", pagelayoutname=layout)
    show.masterstyles.addElement(master)
    for heading, body in points:
        slide = Page(masterpagename=master, name=heading)
        for top, content in (("1cm", heading), ("5cm", body)):
            frame = Frame(width="22cm", height="3cm", x="2cm", y=top)
            box = TextBox()
            box.addElement(text.P(text=content))
            frame.addElement(box)
            slide.addElement(frame)
        show.presentation.addElement(slide)
    return _saved(show.write)


def _open_table(name: str, rows: Sequence[Sequence[str]]) -> object:
    made = odf_table.Table(name=name)
    made.addElement(odf_table.TableColumn(numbercolumnsrepeated=len(rows[0])))
    for row in rows:
        line = odf_table.TableRow()
        for value in row:
            cell = odf_table.TableCell(valuetype="string")
            cell.addElement(text.P(text=value))
            line.addElement(cell)
        made.addElement(line)
    return made


def open_sheets(sheets: Mapping[str, Sequence[Sequence[str]]]) -> bytes:
    """An ods of these sheets."""
    document = opendocument.OpenDocumentSpreadsheet()
    for name, rows in sheets.items():
        document.spreadsheet.addElement(_open_table(name, rows))
    return _saved(document.write)


def workbook() -> bytes:
    """An xlsx of several sheets with dates, numbers and a formula."""
    book = Workbook()
    ledger = book.active
    ledger.title = "Ledger"
    ledger.append(["Date", "Account", "Description", "Amount"])
    for number in range(1, 41):
        day = date(2026, 1 + number % 2, 1 + number % 28)
        ledger.append([day, 4000 + number, f"Cheque {7100 + number}", 125.5 * number])
    ledger.append([None, None, "Total", "=SUM(D2:D41)"])
    suppliers = book.create_sheet("Suppliers")
    for row in (["Supplier", "Since", "Local"], ["Gannet Hardware", date(2011, 5, 2), True]):
        suppliers.append(row)
    notes = book.create_sheet("Notes")
    notes["B3"] = "Cheques under $500 need one signature."
    return _saved(book.save)


RICH_TEXT = r"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Times New Roman;}}
{\info{\title Harbour rules}{\author Town of Port Alder}}
\f0\fs28\b Harbour rules for visiting boats\b0\fs24\par
Report to the harbour office on channel 66A before you pass the breakwater.\par
The speed limit inside the breakwater is four knots. No sewage is discharged in the basin.\par
Ask at the caf\'e9 for the key to the showers; the fee is two dollars.\par
}
"""

SLIDES = (
    ("Why a new terminal", "The queue blocks Quay Street on summer weekends."),
    ("Three options", "A booking system, a holding lot, or a second ramp."),
    ("What it costs", "Between $1.2 million and $7.9 million, before grants."),
)


def documents() -> dict[str, bytes]:
    """Every office document and PDF but the scanned one, by path."""
    made = {path: pdf(paper, path) for path, paper in (PAPERS | ENCLOSED_PAPERS).items()}
    lock = StandardEncryption(PASSWORD, ownerPassword="harbour-master", strength=128)
    made["/media/legal/settlements.pdf"] = pdf(ENCRYPTED, "settlements", lock)
    sheets = {
        "Permits": (("Number", "Street"), ("B-2026-014", "Mill Lane")),
        "Inspectors": (("A",),),
    }
    return made | {
        "/media/planning/letter-to-neighbours.docx": word("Letter to neighbours", "letter"),
        "/media/planning/development-guide.docx": word(
            "Guide to development permits", "guide", (("Step", "Weeks"), ("Pre-application", "2"))
        ),
        "/media/council/procedures.odt": open_text("Procedures of the committees", "procedures"),
        "/media/ferry/terminal-options.pptx": slides("Options for the ferry terminal", SLIDES),
        "/media/ferry/terminal-summary.odp": open_slides(SLIDES),
        "/media/harbour/rules.rtf": RICH_TEXT.encode("ascii"),
        "/media/finance/cheque-register-2026.xlsx": workbook(),
        "/media/planning/permits-2026.ods": open_sheets(sheets),
    }
