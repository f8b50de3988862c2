"""Civic prose for an invented town: sentences of a topic, with the details drawn from a seed."""

from __future__ import annotations

import random
from collections.abc import Sequence

STREETS = (
    "Quay Street",
    "Cedar Street",
    "Lantern Road",
    "Mill Lane",
    "Gannet Avenue",
    "Ropewalk",
    "Orchard Terrace",
    "Kiln Road",
    "Saltmarsh Drive",
    "Chapel Hill",
    "Foundry Street",
    "Heron Crescent",
)
PLACES = (
    "the ferry landing",
    "Beacon Park",
    "the east seawall",
    "the community hall",
    "Alder Creek",
    "the fish market",
    "the upper reservoir",
    "the boat yard",
    "Lookout Point",
    "the old cannery",
    "the sports field",
    "the tidal pool",
)
PEOPLE = (
    "Marta Ellery",
    "Jonas Pike",
    "Idris Calloway",
    "Wen Hathersage",
    "Orla Fenwick",
    "Tomas Brandreth",
    "Priya Lorne",
    "Agnes Tolliver",
)
DEPARTMENTS = (
    "Public Works",
    "Finance",
    "Planning",
    "Parks and Shoreline",
    "Fire and Rescue",
    "the Clerk's Office",
    "the Harbour Office",
)
MONTHS = ("March", "April", "May", "June", "September", "October", "November")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
HOURS = ("8:30", "9:00", "10:15", "13:00", "14:30", "17:45", "19:00")

SENTENCES: dict[str, tuple[str, ...]] = {
    "works": (
        "Crews will close one lane of {street} from {hour} on while the trench is open.",
        "The contract was awarded to the lowest of {few} qualified bidders at ${thousands},000.",
        "A temporary stop for the number {few} bus will stand near {place} until the work is done.",
        "{department} expects the surface to be restored before the end of {month}.",
        "Residents of {street} receive a card in the door two days before their water is shut off.",
        "Inspectors measured {tens} metres of pipe, of which a third dates from before 1960.",
        "Access for emergency vehicles is kept open at all times along {street}.",
        "Noise is limited to the hours after {hour} and before dusk on working days.",
        "The old valve at {place} could not be closed by hand and has to be replaced first.",
        "Material from the excavation is stored at {place} and reused where it passes the test.",
        "If rain delays the paving, the crew moves to {street} and comes back within {few} days.",
        "Questions about driveways on {street} go to {person}, who supervises the site.",
    ),
    "money": (
        "The operating budget rises by {few} percent, mostly for wages, fuel and insurance.",
        "A household with an average assessment pays about ${tens} more than last year.",
        "Reserves stand at ${thousands},000, which is above the level that the policy asks for.",
        "{department} returned ${tens},000 that was not spent on the project at {place}.",
        "The grant covers {tens} percent of the cost, and the town pays the rest from reserves.",
        "Council set aside ${thousands},000 for work on {street} that could not start in {month}.",
        "The auditor, in a letter dated {month} {few}, raised no matter that needs correction.",
        "Fees for the use of {place} were last changed {few} years ago and no longer cover costs.",
        "Debt payments fall after {month}, when the loan for {place} is paid off.",
        "{person} explained that the figures are rounded to the nearest thousand dollars.",
        "A table at the end compares the estimate with what was spent in each quarter.",
        "Anyone may ask {department} for the ledger behind a line of the budget.",
    ),
    "meeting": (
        "The meeting begins at {hour} in the council chamber and is open to everyone.",
        "{person} spoke for {few} minutes about the state of {place}.",
        "Members asked {department} to come back in {month} with a cost for each option.",
        "A delegation from {street} presented a petition with {tens} signatures.",
        "The report was received, and the debate was put off to the second {weekday} of {month}.",
        "{person} declared an interest in the matter of {place} and left the room.",
        "Written comments reach the clerk until noon on the {weekday} before the meeting.",
        "The chair thanked the volunteers who repaired the benches near {place}.",
        "Staff confirmed that {few} properties on {street} are affected by the proposal.",
        "The recording is published within {few} working days, with captions.",
        "Members of the public who wish to speak sign up at the door before {hour}.",
        "The committee divided on the question of {place}, and the chair's vote decided it.",
    ),
    "service": (
        "The counter at Town Hall is open from {hour}, and the telephone line an hour earlier.",
        "Bring proof of address, for example a utility bill for your home on {street}.",
        "Most requests are answered within {few} working days, urgent ones on the same day.",
        "Collection on {street} moves to {weekday} in weeks with a public holiday.",
        "Payment is possible in cash, by card or by a cheque made out to the town.",
        "{department} sends a confirmation with a number that you need if you call again.",
        "There is no charge for residents over 65 or for children under {few}.",
        "An interpreter can be booked if you tell us {few} days ahead.",
        "Forms that are left in the box beside {place} are collected every {weekday}.",
        "If something was missed, report it before {hour} on the next working day.",
        "The van for residents who cannot travel stops at {place} every second {weekday}.",
        "{person} coordinates the service and can be reached through the main switchboard.",
    ),
    "safety": (
        "Crews answered {tens} calls in {month}, {few} of them at sea.",
        "Smoke alarms are fitted free of charge in homes on {street} and in the lanes behind it.",
        "The siren at {place} is tested on the first {weekday} of each month at {hour}.",
        "Open fires are banned within {tens} metres of {place} until further notice.",
        "{person} asks boaters to file a plan with the harbour office before they leave.",
        "The new radio reaches {place}, where the old one had no signal.",
        "Hydrants on {street} are flushed in {month}; the water may look brown for an hour.",
        "Volunteers train every {weekday} from {hour} and welcome people without experience.",
        "After the storm, {department} checked {few} culverts and cleared two of them.",
        "A shelter opens in the community hall when the wind forecast exceeds {tens} knots.",
        "The evacuation route follows {street} and avoids the low ground beside {place}.",
        "Parents collect their children at {place} if the school has to close early.",
    ),
    "nature": (
        "Volunteers planted {tens} willows along the bank above {place}.",
        "Water at {place} was sampled {few} times and met the standard on each occasion.",
        "Dogs are kept on a lead at {place} while the birds nest, from {month} on.",
        "The creek is shaded for {tens} metres more than it was when the count began.",
        "A fish ladder at {place} lets the spring run reach the gravel beds again.",
        "Eelgrass covers less ground near {place} than in the survey of {few} years ago.",
        "{department} mows the meadow on {street} only once, late in {month}.",
        "Fallen leaves may be left at the curb on {street} in paper bags, never in plastic.",
        "The path around {place} is closed at high tide and reopens about {few} hours later.",
        "{person} leads a walk from {place} on the last {weekday} of {month}.",
        "Invasive broom was cut by hand along {street}, and the stumps were covered.",
        "Oyster shells from the restaurants are cured for {few} months before they go back.",
    ),
    "planning": (
        "The site on {street} is zoned for homes of up to {few} storeys.",
        "Neighbours within {tens} metres were told by letter in {month}.",
        "The applicant offers {few} homes below market rent and a path to {place}.",
        "{department} finds that the proposal fits the community plan, with two conditions.",
        "A shadow study shows that the garden beside {place} keeps its sun until {hour}.",
        "Parking for {tens} bicycles replaces some of the spaces that the old bylaw asked for.",
        "The heritage register lists the warehouse on {street}, and its front wall has to stay.",
        "An agreement secures public access along the water from {place} to {street}.",
        "The hearing is held on a {weekday} in {month}, and everyone may speak once.",
        "{person} prepared the drawings, which can be seen at the counter from {hour}.",
        "Flood levels were raised by {few} tenths of a metre since the last approval here.",
        "The file stays open for comments until {few} days before the vote.",
    ),
}


class _Details(dict[str, str]):
    """Draws a detail each time that a sentence asks for one."""

    def __init__(self, dice: random.Random) -> None:
        super().__init__()
        self._dice = dice

    def __missing__(self, name: str) -> str:
        lists: dict[str, Sequence[str]] = {
            "street": STREETS,
            "place": PLACES,
            "person": PEOPLE,
            "department": DEPARTMENTS,
            "month": MONTHS,
            "weekday": WEEKDAYS,
            "hour": HOURS,
        }
        if name in lists:
            return draw(self._dice, lists[name])
        low, high = {"few": (3, 9), "tens": (12, 95), "thousands": (110, 980)}[name]
        return str(low + int(self._dice.random() * (high - low + 1)))


def dice(seed: str) -> random.Random:
    """A generator that depends on the seed alone."""
    return random.Random(seed)


def draw(source: random.Random, choices: Sequence[str]) -> str:
    """One of the choices; by `random()`, whose sequence Python promises to keep."""
    return choices[int(source.random() * len(choices))]


def paragraphs(seed: str, topics: Sequence[str], count: int, sentences: int = 4) -> list[str]:
    """So many paragraphs on these topics in turn; no sentence comes twice while others are left."""
    source = dice(seed)
    details = _Details(source)
    left: dict[str, list[str]] = {}
    made = []
    for number in range(count):
        topic = topics[number % len(topics)]
        lines = [_take(source, left, topic).format_map(details) for _ in range(sentences)]
        made.append(" ".join(line[0].upper() + line[1:] for line in lines))
    return made


def _take(source: random.Random, left: dict[str, list[str]], topic: str) -> str:
    if not left.get(topic):
        left[topic] = list(SENTENCES[topic])
    return left[topic].pop(int(source.random() * len(left[topic])))
