"""What the council of Port Alder puts on paper: agendas, minutes and bylaws with their tables."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from tests.sites.server import page
from tests.sites.town.prose import dice, draw, paragraphs

COUNCILLORS = ("Councillor Calloway", "Councillor Ellery", "Councillor Pike")


@dataclass(frozen=True)
class Meeting:
    """One sitting of the council."""

    day: str
    spoken_day: str
    items: tuple[str, ...]
    """The business that is particular to this sitting."""
    vote: str


MEETINGS = (
    Meeting(
        "2026-01-12",
        "Monday, 12 January 2026",
        ("Sediment study of the inner basin", "Appointment of the youth committee"),
        "That the sediment study be received and that staff prepare a dredging permit",
    ),
    Meeting(
        "2026-01-26",
        "Monday, 26 January 2026",
        ("Draft budget 2026, first reading", "Grant for the seniors' woodworking shed"),
        "That the draft budget be given first reading with the amendment to the ferry reserve",
    ),
    Meeting(
        "2026-02-09",
        "Monday, 9 February 2026",
        ("Tender for the Cedar Street main", "Naming of the footbridge over Alder Creek"),
        "That the tender for the Cedar Street main be awarded and the footbridge be named Otter "
        "Crossing",
    ),
    Meeting(
        "2026-02-23",
        "Monday, 23 February 2026",
        ("Rezoning of 14 Quay Street, second reading", "Request for a crosswalk at the school"),
        "That the rezoning of 14 Quay Street proceed to a public hearing on the shoreline lot",
    ),
)


@dataclass(frozen=True)
class Bylaw:
    """A bylaw: its sections, and the table that it sets."""

    path: str
    number: str
    title: str
    sections: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    header: tuple[str, ...] = ()
    topic: str = "service"


BYLAWS = (
    Bylaw(
        "/bylaws/noise",
        "1184",
        "Noise Bylaw",
        (
            "No person shall make a noise that disturbs the quiet of a neighbour.",
            "A foghorn sounded by a vessel under way is exempt from section 1.",
            "A person who contravenes this bylaw is liable to the penalty in the schedule.",
        ),
        (("Leaf blower", "8:00 to 18:00", "$120"), ("Pile driving", "9:00 to 16:00", "$900")),
        ("Source", "Permitted hours", "Penalty"),
        "safety",
    ),
    Bylaw(
        "/bylaws/tree-protection",
        "1201",
        "Tree Protection Bylaw",
        (
            "No person shall cut a protected tree without a permit.",
            "A tree is protected if its trunk measures 30 centimetres or more at breast height.",
            "For each protected tree that is cut, two are planted on the same lot.",
        ),
        (("Red alder", "30 cm", "2"), ("Arbutus", "10 cm", "4"), ("Garry oak", "any", "6")),
        ("Species", "Protected from", "Replacement trees"),
        "nature",
    ),
    Bylaw(
        "/bylaws/parking",
        "1219",
        "Parking Bylaw",
        (
            "No vehicle shall be parked on the Ropewalk on a market day.",
            "A vehicle left for more than 72 hours may be towed at the expense of its owner.",
        ),
        # This one has no header cells: its first row is a row like the others.
        (
            ("Quay Street lot", "2 hours", "$1.50 an hour"),
            ("Ferry queue", "12 hours", "$9.00 a day"),
            ("Saltmarsh Drive", "no limit", "free"),
        ),
        topic="works",
    ),
    Bylaw(
        "/bylaws/animals",
        "1175",
        "Animal Control Bylaw",
        (
            "Every dog older than four months shall wear the brass tag of the current year.",
            "No more than six hens and no rooster shall be kept on a residential lot.",
        ),
        (("Dog, spayed or neutered", "$18"), ("Dog, other", "$45"), ("Replacement tag", "$6")),
        ("Licence", "Fee"),
        "nature",
    ),
    Bylaw(
        "/bylaws/fees",
        "1230",
        "Fees and Charges Bylaw",
        (
            "The fees in the schedule are due when the service is applied for.",
            "The treasurer may waive a fee of less than $25 where the cost to collect exceeds it.",
        ),
        (
            ("Building permit", "per $1,000 of value", "$11.40"),
            ("Search of the records", "per half hour", "$22.00"),
            ("Moorage, inner basin", "per metre and month", "$14.75"),
            ("Hall rental | weekend", "per day", "$310.00"),
        ),
        ("Service", "Unit", "Fee"),
        "money",
    ),
)


def _agenda(meeting: Meeting) -> bytes:
    routine = ("Call to order", "Adoption of the agenda", "Public question period")
    items = [*routine, *meeting.items, "Correspondence", "Adjournment"]
    listed = "\n".join(f"<li>{escape(item)}</li>" for item in items)
    notes = _paragraphs(f"agenda {meeting.day}", ("meeting", "planning"), 5)
    title = f"Agenda of the regular council meeting, {meeting.spoken_day}"
    body = f"""<h1>{escape(title)}</h1>
<p>Council chamber, Town Hall, 19:00. The meeting is open to the public.</p>
<ol>
{listed}
</ol>
<h2>Notes to the agenda</h2>
{notes}"""
    return page(f"{title} | Port Alder", body)


def _minutes(meeting: Meeting) -> bytes:
    source = dice(f"minutes {meeting.day}")
    mover = draw(source, COUNCILLORS)
    seconder = draw(source, [name for name in COUNCILLORS if name != mover])
    title = f"Minutes of the regular council meeting, {meeting.spoken_day}"
    sections = "\n".join(
        f"<h2>{number}. {escape(item)}</h2>\n"
        + _paragraphs(f"minutes {meeting.day} {item}", ("meeting", "money"), 2)
        for number, item in enumerate(meeting.items, start=1)
    )
    body = f"""<h1>{escape(title)}</h1>
<p>Present: Mayor Fenwick in the chair, Councillors Calloway, Ellery and Pike, and the clerk.
The meeting was called to order at 19:02.</p>
{sections}
<h2>Motion</h2>
<blockquote><p>{escape(meeting.vote)}.</p></blockquote>
<p>Moved by {mover}, seconded by {seconder}. <strong>CARRIED</strong>, three to one.</p>
<p>The meeting was adjourned at 21:37.</p>"""
    return page(f"{title} | Port Alder", body)


def _bylaw(bylaw: Bylaw) -> bytes:
    title = f"{bylaw.title} No. {bylaw.number}"
    sections = "\n".join(f"<li>{escape(text)}</li>" for text in bylaw.sections)
    remarks = _paragraphs(bylaw.path, (bylaw.topic, "meeting"), 4)
    body = f"""<h1>{escape(title)}</h1>
<p>Consolidated for convenience on 1 January 2026. The signed bylaw in the clerk's office is the
authority.</p>
<ol>
{sections}
</ol>
<h2>Schedule A</h2>
{table(bylaw.rows, bylaw.header)}
<h2>Notes by the clerk</h2>
{remarks}"""
    return page(f"{title} | Port Alder", body)


def table(rows: tuple[tuple[str, ...], ...], header: tuple[str, ...] = ()) -> str:
    """An HTML table; without a header, none of its cells claims to be one."""
    lines = ["<table>"]
    if header:
        names = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
        lines.append(f"<thead><tr>{names}</tr></thead>")
    lines.append("<tbody>")
    for row in rows:
        lines.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>")
    return "\n".join([*lines, "</tbody>", "</table>"])


def _paragraphs(seed: str, topics: tuple[str, ...], count: int) -> str:
    return "\n".join(
        f"<p>{escape(text, quote=False)}</p>" for text in paragraphs(seed, topics, count)
    )


def pages() -> dict[str, bytes]:
    """Agendas, minutes and bylaws, by path."""
    made = {f"/council/agendas/{meeting.day}": _agenda(meeting) for meeting in MEETINGS}
    made |= {f"/council/minutes/{meeting.day}": _minutes(meeting) for meeting in MEETINGS}
    return made | {bylaw.path: _bylaw(bylaw) for bylaw in BYLAWS}
