"""What is told from columns of the index is what looking each artifact up would tell."""

from collections.abc import Iterator
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centinel import planning
from centinel.configuration import Source
from centinel.files import to_bytes
from centinel.history import History
from centinel.planning import Filter, Plan, owed, plan
from centinel.record import Artifact, Resource, ResourceState, timestamp
from centinel.sources.website import Website
from centinel.states import state_lines
from tests.unit.support import DAY, NOON, PROPERTY, observation, source, status

TOWN = "https://town.example"
PAGES = [f"{TOWN}/{name}" for name in ("a", "a.zip", "b", "é")]
MEMBERS = [f"{TOWN}/a.zip!/x", f"{TOWN}/a.zip!/y.zip", f"{TOWN}/a.zip!/y.zip!/z"]
ARTIFACTS = [*PAGES, *MEMBERS, *(f"{page}#metadata" for page in PAGES[:3])]
AT = NOON + 40 * DAY
SEEDS = st.integers(0, 2**40)
CASES = 1000


class Described(Website):
    """A kind whose resources have their marker at another address."""

    def marker(self, resource: str) -> str:
        """Returns the address of the metadata."""
        return f"{resource}#metadata"


class Mixed(Website):
    """A kind that marks some of its resources elsewhere."""

    def marker(self, resource: str) -> str:
        """Returns the address of the metadata of one page."""
        return f"{resource}#metadata" if resource == PAGES[0] else resource


KINDS = (Website(), Website(), Described(), Mixed())

Case = tuple[History, list[Resource], Source, Website]


def case_of(seed: int) -> Case:
    """A record, a snapshot, bounds and a kind: most artifacts rest, which is what columns tell."""
    draw = Random(seed)
    steps = [_step(draw) for _ in range(draw.randint(4, 20))]
    pages = sorted(draw.choices(PAGES, k=draw.randint(2, 8)))
    lastmods = [None] * 16 + ["2026-03-02", "2026-04-09", "2027-01-01", "soon"]
    bounds: list[dict[str, Any]] = [{}, {}, {}, {"max_bytes": 5}, {"revisit": 9 * DAY}]
    bounds += [{"exclude": ("/b",)}, {"exclude": ("zip",)}, {"match": ("/[abc]",)}]
    resources = [Resource(page, draw.choice(lastmods)) for page in pages]
    return told(steps), resources, source(**draw.choice(bounds)), draw.choice(KINDS)


def _step(draw: Random) -> tuple[Any, ...]:
    artifacts = [*PAGES * 12, *ARTIFACTS]
    return (
        draw.choice(artifacts),
        draw.choice([None] * 15 + PAGES[:2]),
        draw.choice(["seen"] * 20 + ["live", "gone", "blocked", "error", "lost"]),
        draw.choices(artifacts, k=draw.choice([0, 0, 1, 1, 2])),
        draw.choice([20, 25, 30, 33, 35, 37, 39, 20, 25, 30, 33, 35, 37, 39, 41, 5, 60]),
        draw.choice([None] * 30 + [3600.0]),
        draw.choice([None] * 30 + ["one", "two"]),
        draw.choice(["answered", "too-large: 9"]),
    )


def told(steps: list[tuple[Any, ...]]) -> History:
    """The history that these steps tell."""
    history = History()
    for artifact, resource, what, parts, days, pause, holder, reason in steps:
        at = NOON + days * DAY
        more = {"resource": resource or artifact, "pause": pause, "unpacked_from": holder}
        if what == "lost":
            found = history.observed(artifact)
            lost = [{"artifact": artifact, "blob": found.blob}] if found else []
            history.add({"type": "fixity", "lost": lost})
        elif what == "seen":
            blob = "one" if len(parts) % 2 else "two"
            history.see(observation(artifact, at, parts=parts, blob=blob, **more))
        else:
            limit = 5 if reason != "answered" else None
            history.note(status(artifact, what, at, reason=reason, limit=limit, **more))
    return history


def plans(few: int, *arguments: Any) -> tuple[Plan, list[Any]]:
    """The plan, where so few resources are looked up one by one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "FEW_TASKS", few)
        made = plan(*arguments)
    return made, list(made.tasks)


@settings(PROPERTY, max_examples=CASES)
@given(SEEDS)
def test_a_plan_from_columns_is_the_plan_of_looking_each_up(seed: int) -> None:
    history, resources, bounded, kind = case_of(seed)
    arguments = (resources, history, bounded, kind, AT)
    wanted, wanted_tasks = plans(1000, *arguments)
    made, tasks = plans(-1, *arguments)
    assert tasks == wanted_tasks
    assert (made.next_due, made.left_out) == (wanted.next_due, wanted.left_out)


def wanted_states(
    resources: list[Resource], history: History, kind: Website, takes: Any
) -> Iterator[ResourceState]:
    """How each resource stands, by its entry."""
    published = {each.address for each in resources}
    asked = dict(history.artifacts.of_resources(kind.marker))
    for address in sorted(published | asked.keys()):
        known = asked.get(address) or history.known(kind.marker(address))
        yield ResourceState(
            address=address,
            liveness=known.liveness if known else None,
            since=known.since if known else None,
            consecutive_failures=known.consecutive_failures if known else 0,
            reason=known.reason if known else None,
            last_checked=known.last_checked if known else None,
            in_snapshot=address in published,
            owed=owed(known, history, takes),
            http_status=known.http_status if known else None,
        )


@settings(PROPERTY, max_examples=CASES)
@given(SEEDS)
def test_states_from_columns_are_those_of_the_entries(seed: int) -> None:
    history, resources, bounded, kind = case_of(seed)
    takes = Filter(bounded).takes
    wanted = [
        to_bytes(each.to_json()) + b"\n" for each in wanted_states(resources, history, kind, takes)
    ]
    assert list(state_lines(resources, history, kind, takes)) == wanted


@PROPERTY
@given(SEEDS)
def test_the_lines_of_artifacts_are_those_of_their_latest_observations(seed: int) -> None:
    history, *_ = case_of(seed)
    wanted = []
    for name, known in history.artifacts.items():
        seen = known.observation
        if seen is not None:
            fields = (getattr(seen, each) for each in Artifact.__slots__[1:-1])
            line = Artifact(name, *fields, seen.at)
            wanted.append(to_bytes(line.to_json()) + b"\n")
    assert list(history.artifacts.lines()) == wanted


def test_a_page_at_rest_is_passed_by_and_says_when_it_is_due() -> None:
    history = History()
    history.see(observation(PAGES[0], NOON, parts=[PAGES[2]]))
    history.see(observation(PAGES[2], NOON - DAY))
    rests = planning.Rests(history, source(), NOON + DAY)
    assert rests.passes(Resource(PAGES[0]))
    assert rests.next_due == NOON + 29 * DAY
    assert rests.passes(Resource(PAGES[2], timestamp(NOON + 3 * DAY)))
    assert rests.next_due == NOON + 3 * DAY
    assert not rests.passes(Resource(PAGES[3]))


def test_what_is_due_or_failed_or_owed_is_looked_up() -> None:
    history = History()
    history.see(observation(PAGES[0], NOON, parts=[PAGES[3]]))
    history.note(status(PAGES[1], "gone"))
    history.see(observation(PAGES[2], NOON - timedelta(days=30)))
    rests = planning.Rests(history, source(), NOON + DAY)
    assert not any(rests.passes(Resource(each)) for each in PAGES[:3])
    assert rests.next_due is None
