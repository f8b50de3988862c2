"""What a run has to make of each address of Port Alder."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Expectation:
    """The kind and the outcome of one address."""

    kind: str | None
    """None where nothing can be acquired."""
    outcome: str
    """text, waiting, underivable, refused, gone, denied or error."""
    words: tuple[str, ...] = ()
    """What has to stand in the text."""
    absent: tuple[str, ...] = ()
    """What must not stand in the text."""
    no_reader_yet: bool = False
    """Underivable only because no reader for the kind is installed."""
    enclosed_by: tuple[str, ...] = ()
    """The pages that lead to it; it is then in no sitemap."""
    is_scanned: bool = False
    """Its pages are pictures: text where tesseract is installed, else waiting."""


def _text(kind: str, *words: str, absent: tuple[str, ...] = ()) -> Expectation:
    return Expectation(kind, "text", words, absent)


def _later(kind: str, *words: str) -> Expectation:
    return Expectation(kind, "underivable", words, no_reader_yet=True)


HEARING = "/notices/shoreline-hearing"
REZONING = ("/notices/rezoning-14-quay-street", "/council/hearings/2026-03-16")

PAGES = {
    "/": _text("html", "a harbour town that keeps its records"),
    "/news/harbour-dredging-begins": _text("html", "A dredger will deepen the inner basin"),
    "/news/library-winter-hours": _text("html", "lending locker"),
    "/news/water-main-cedar-street": _text("html", "ductile iron", "house connections"),
    "/news/budget-open-house": _text("html", "wooden tokens"),
    "/news/ferry-landing-repairs": _text("html", "eleven fender piles"),
    "/news/new-pumper-engine": _text("html", "3,400 litres"),
    "/news/shoreline-cleanup": _text("html", "cast iron bathtub"),
    "/news/farmers-market-returns": _text("html", "Farmers' market", "Thirty-two growers"),
    "/departments/public-works": _text("html", "Sir Plough-a-Lot"),
    "/departments/parks": _text("html", "cedar boardwalk"),
    "/departments/finance": _text("html", "property tax notices"),
    "/departments/fire": _text("html", "thirty-one volunteers"),
    "/departments/library": _text("html", "nineteen fishing rods"),
    "/departments/planning": _text("html", "kitchen-table meetings"),
    "/council": _text("html", "Councillor Jonas Pike"),
    "/council/committees": _text("html", "Third Thursday, 16:30"),
    "/council/agendas/2026-01-12": _text("html", "Appointment of the youth committee"),
    "/council/agendas/2026-01-26": _text("html", "seniors' woodworking shed"),
    "/council/agendas/2026-02-09": _text("html", "Tender for the Cedar Street main"),
    "/council/agendas/2026-02-23": _text("html", "Request for a crosswalk"),
    "/council/minutes/2026-01-12": _text("html", "dredging permit", "CARRIED"),
    "/council/minutes/2026-01-26": _text("html", "ferry reserve"),
    "/council/minutes/2026-02-09": _text("html", "Otter Crossing"),
    "/council/minutes/2026-02-23": _text("html", "shoreline lot"),
    "/council/hearings/2026-03-16": _text("html", "net loft proposal"),
    "/bylaws/noise": _text("html", "foghorn", "Pile driving"),
    "/bylaws/tree-protection": _text("html", "Garry oak"),
    "/bylaws/parking": _text("html", "Quay Street lot", "Saltmarsh Drive"),
    "/bylaws/animals": _text("html", "brass tag"),
    "/bylaws/fees": _text("html", "Moorage, inner basin", "$14.75"),
    "/notices/shoreline-hearing": _text("html", "Notice of public hearing", absent=("pdfURL",)),
    "/notices/rezoning-14-quay-street": _text("html", "above a chandlery"),
    "/services/waste-collection": _text("html", "kitchen scraps bucket"),
    "/services/water-quality": _text("html", "coliform bacteria"),
    "/services/permits": _text("html", "a sauna always does", absent=("dDwtMTUw",)),
    "/about/history": _text("html", "Élodie Marchand", "2 400 €", "“smuggler’s cook”"),
    "/about/town-crest": _text("html", "Tide and Turn", absent=("base64", "iVBOR")),
    "/a-to-z": _text("html", "Burning permits"),
    "/events": Expectation("html", "underivable"),
}

REFUSALS = {
    "/staff/directory": Expectation(None, "refused"),
    "/news/parade-2019": Expectation(None, "gone"),
    "/news/moved-without-a-trace": Expectation(None, "gone"),
    "/private/personnel": Expectation(None, "denied"),
    "/services/tide-table": Expectation(None, "error"),
}

FILES = {
    "/media/finance/budget-2026.pdf": _text("pdf", "ferry reserve", "9,648,000"),
    "/media/finance/annual-report-2025.pdf": _text("pdf", "Potholes filled"),
    "/media/council/agenda-package-2026-02-23.pdf": _text("pdf", "Previous minutes"),
    "/media/planning/zoning-plan.pdf": _text("pdf", "Working waterfront"),
    "/media/reports/water-quality-2025.pdf": _text("pdf", "Turbidity"),
    "/media/reports/harbour-sediment-study.pdf": _text("pdf", "cannery shell"),
    "/media/bylaws/fee-schedule.pdf": _text("pdf", "Grave, upright marker"),
    "/download?id=204": _text("pdf", "opened in public on 3 April"),
    "/media/archive/deed-of-gift.pdf": Expectation(
        "pdf", "text", ("DEED OF GIFT", "high water mark"), is_scanned=True
    ),
    "/media/legal/settlements.pdf": Expectation("pdf", "underivable"),
    "/media/planning/development-guide.docx": _text("document", "Pre-application"),
    "/media/council/procedures.odt": _text("document", "Wen Hathersage"),
    "/media/ferry/terminal-options.pptx": _text("document", "a holding lot"),
    "/media/ferry/terminal-summary.odp": _text("document", "a holding lot"),
    "/media/harbour/rules.rtf": _text("document", "four knots", "café"),
    "/media/finance/cheque-register-2026.xlsx": _text("spreadsheet", "Gannet Hardware", "4007"),
    "/media/planning/permits-2026.ods": _text("spreadsheet", "B-2026-014"),
    "/data/building-permits.csv": _text("csv", "B-2026-060"),
    "/data/parking-counts.csv": _text("csv", "2026-01-31"),
    "/download?id=311": _text("csv", "swimmers"),
    "/data/moorage.tsv": _text("csv", "Heron, the pilot's launch"),
    "/media/proclamations/otter-week.txt": _text("text", "Otter Week", "naïve"),
    "/media/notices/ice-storm.txt": _text("text", "“Café Élodie”", "2 €"),
    "/media/guides/rain-barrel.md": _text("markdown", "200 litres"),
    "/data/permits.json": _text("json", "B-2026-001"),
    "/data/hydrants.geojson": _text("json", "H-24"),
    "/data/tenders.xml": _text("xml", "Supply of gravel, lot 12"),
    "/media/meetings/2026-02-09.vtt": _text("captions", "Otter Crossing"),
    "/media/meetings/2026-02-09.srt": _text("captions", "Otter Crossing"),
    "/media/sounds/foghorn.wav": Expectation("audio", "waiting"),
    "/media/meetings/2026-02-09.mp4": Expectation("video", "waiting"),
    "/media/images/tide-chart.png": Expectation("image", "underivable"),
    "/media/images/harbour-fog.jpg": Expectation("image", "underivable"),
    "/media/correspondence/petition.eml": _text("mail", "212 signatures", "signatures.csv"),
    "/media/council/hearing-package.zip": _text("zip-container", "otter-week.txt"),
    "/media/archive/minutes-1998.tar.gz": _text("archive", "minutes/1998-03.txt"),
    "/media/records/4471": _later("other"),
}

ENCLOSED = {
    "/media/notices/2026/shoreline-hearing-notice.pdf": Expectation(
        "pdf", "text", ("beside the net loft",), enclosed_by=(HEARING,)
    ),
    "/media/planning/rezoning-14-quay-street.pdf": Expectation(
        "pdf", "text", ("a covenant that keeps the chandlery",), enclosed_by=REZONING
    ),
    "/media/planning/letter-to-neighbours.docx": Expectation(
        "document", "text", ("Letter to neighbours",), enclosed_by=REZONING
    ),
}
