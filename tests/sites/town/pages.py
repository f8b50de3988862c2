"""The ordinary pages of Port Alder: news, departments, the council and what the town is."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from tests.sites.server import page
from tests.sites.town.prose import paragraphs


@dataclass(frozen=True)
class Story:
    """A page in outline: what is particular to it; the rest is drawn from its topics."""

    path: str
    title: str
    lead: str
    topics: tuple[str, ...]
    headings: tuple[str, ...]
    extra: str = ""
    landmark: str = "main"


NEWS = (
    Story(
        "/news/harbour-dredging-begins",
        "Harbour dredging begins in April",
        "A dredger will deepen the inner basin from 14 April, so that the fishing fleet can leave "
        "at low tide again for the first time in six years.",
        ("works", "nature"),
        ("What will change for boat owners", "Where the sediment goes"),
        '<p>The full <a href="/media/reports/harbour-sediment-study.pdf">sediment study</a> '
        "was received by council in January.</p>",
    ),
    Story(
        "/news/library-winter-hours",
        "Library keeps its winter hours until March",
        "The reading room closes at 18:00 on weekdays, but the new lending locker beside the door "
        "hands out reserved books around the clock.",
        ("service", "money"),
        ("How the lending locker works", "Why the hours are shorter"),
    ),
    Story(
        "/news/water-main-cedar-street",
        "Water main on Cedar Street is replaced",
        "The cast iron main of 1957 broke four times last year. A ductile iron pipe takes its "
        "place between Mill Lane and Chapel Hill.",
        ("works", "service"),
        ("Shut-offs", "Traffic and parking"),
        "<ul><li>Stage one: Mill Lane to Kiln Road</li><li>Stage two: Kiln Road to Chapel Hill</li>"
        "<li>Stage three: house connections</li></ul>",
    ),
    Story(
        "/news/budget-open-house",
        "Open house on the 2026 budget",
        "Residents can question the treasurer about the draft budget on 21 January, and vote with "
        "wooden tokens on which three projects should come first.",
        ("money", "meeting"),
        ("What is on the table", "How to take part"),
    ),
    Story(
        "/news/ferry-landing-repairs",
        "Ferry landing reopens after repairs",
        "Divers replaced eleven fender piles that the November storm had cracked. The sailing "
        "schedule is back to six crossings a day.",
        ("works", "safety"),
        ("What the divers found", "Sailings"),
    ),
    Story(
        "/news/new-pumper-engine",
        "Fire hall receives a new pumper",
        "Engine 3 carries 3,400 litres of water and a foam system. It replaces a truck that had "
        "served for twenty-six years and goes to the volunteer museum.",
        ("safety", "money"),
        ("What it can do", "How it was paid for"),
    ),
    Story(
        "/news/shoreline-cleanup",
        "Shoreline cleanup brings in two tonnes",
        "One hundred and forty volunteers filled two containers with rope, floats and bottles. The "
        "oddest find was a cast iron bathtub.",
        ("nature", "service"),
        ("What was found", "The next cleanup"),
    ),
    Story(
        "/news/farmers-market-returns",
        "Farmers' market returns to the Ropewalk",
        "Thirty-two growers have booked a stall for the first Saturday in May. Cheese from the "
        "goats of Saltmarsh Drive is sold for the first time.",
        ("service", "planning"),
        ("Stalls and parking", "Rules for sellers"),
    ),
)

DEPARTMENTS = (
    Story(
        "/departments/public-works",
        "Public Works",
        "The department looks after 84 kilometres of roads, two reservoirs, nine pumping stations "
        "and the snow plough that children named Sir Plough-a-Lot.",
        ("works", "safety"),
        ("Roads", "Water and sewers"),
    ),
    Story(
        "/departments/parks",
        "Parks and Shoreline",
        "Fourteen parks, the cedar boardwalk and the tidal pool are in the care of a crew of nine.",
        ("nature", "service"),
        ("Parks", "The boardwalk"),
    ),
    Story(
        "/departments/finance",
        "Finance",
        "The treasurer keeps the accounts, sends the property tax notices in May and answers for "
        "what the town owes and owns.",
        ("money", "service"),
        ("Property tax", "Purchasing"),
    ),
    Story(
        "/departments/fire",
        "Fire and Rescue",
        "Six officers and thirty-one volunteers cover the town, the islands in the bay and the "
        "first ten miles of the coastal highway.",
        ("safety", "works"),
        ("Volunteers", "Burning permits"),
        '<p>Hydrants and fire halls are on the <a href="https://maps.portalder.example/apps/fire">'
        "town's map</a>. Alerts are posted at <a "
        'href="https://www.facebook.com/portalderfire">our page</a> too.</p>',
    ),
    Story(
        "/departments/library",
        "Library",
        "The library lends books, snowshoes, a telescope and nineteen fishing rods.",
        ("service", "meeting"),
        ("Borrowing", "Rooms"),
    ),
    Story(
        "/departments/planning",
        "Planning",
        "Planners guide what is built, and where, under the community plan that was adopted "
        "after two years of kitchen-table meetings.",
        ("planning", "nature"),
        ("Applications", "The community plan"),
        '<p>Zoning, parcels and flood levels are on the <a href="https://maps.portalder.example/'
        "apps/zoning\">town's map</a>; plans before 1998 are with the "
        '<a href="https://archives.heron-district.example/collections/port-alder">district archives'
        "</a>.</p>",
    ),
)

COUNCIL = (
    Story(
        "/council",
        "Mayor and council",
        "Mayor Orla Fenwick and six councillors were sworn in on 3 November 2025 for a term of "
        "four years.",
        ("meeting", "money"),
        ("How council works", "Write to council"),
        "<ul><li>Mayor Orla Fenwick</li><li>Councillor Idris Calloway</li>"
        "<li>Councillor Marta Ellery</li><li>Councillor Jonas Pike</li></ul>",
    ),
    Story(
        "/council/committees",
        "Committees",
        "Five committees advise council: finance, harbour, heritage, youth and the committee of "
        "the whole, which meets without its ties.",
        ("meeting", "planning"),
        ("Terms of reference", "Vacancies"),
        "<dl><dt>Harbour committee</dt><dd>First Tuesday, 17:00</dd>"
        "<dt>Heritage committee</dt><dd>Third Thursday, 16:30</dd></dl>",
    ),
)

HOME = Story(
    "/",
    "Port Alder: a harbour town that keeps its records",
    "Welcome to the town's own site. Notices, agendas, minutes, bylaws and the documents behind "
    "them are published here on the day on which they are signed.",
    ("service", "meeting", "nature"),
    ("Today at Town Hall", "From the council"),
)

STORIES = (HOME, *NEWS, *DEPARTMENTS, *COUNCIL)


def story_body(story: Story, count: int = 6) -> str:
    """The inside of a story's page: heading, lead, and sections of drawn paragraphs."""
    drawn = [
        f"<p>{escape(text, quote=False)}</p>"
        for text in paragraphs(story.path, story.topics, count)
    ]
    share = -(-len(drawn) // len(story.headings))
    parts = [f"<h1>{escape(story.title)}</h1>", f"<p>{escape(story.lead, quote=False)}</p>"]
    for number, heading in enumerate(story.headings):
        parts.append(f"<h2>{escape(heading)}</h2>")
        parts.extend(drawn[number * share : (number + 1) * share])
    return "\n".join([*parts, story.extra]).strip()


def story_page(story: Story, count: int = 6) -> bytes:
    """The page of a story."""
    summary = f'<meta property="og:title" content="{escape(story.title)}">'
    title = f"{story.title} | Port Alder"
    return page(title, story_body(story, count), landmark=story.landmark, head_html=summary)


def pages() -> dict[str, bytes]:
    """The ordinary pages, by path."""
    return {story.path: story_page(story) for story in STORIES}
