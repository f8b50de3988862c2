"""What is asked now, and when something may be asked next."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel.configuration import Source
from centinel.history import History
from centinel.known import Known
from centinel.planning import Filter, Plan, due_at, owed, plan, plan_on
from centinel.record import Resource, timestamp
from centinel.sources.website import Website
from tests.unit.support import DAY, NOON, PROPERTY, observation, source, status

TOWN = "https://town.example"
PAGE, OTHER, AGENDA, FEES = (f"{TOWN}/{name}" for name in ("a", "b", "z-agenda.pdf", "fees.pdf"))
EARLIEST = datetime.min.replace(tzinfo=UTC)


def known(liveness: str | None, **changes: Any) -> Known:
    """An artifact that was asked for at noon."""
    given: dict[str, Any] = {"liveness": liveness, "last_checked": timestamp(NOON)}
    if liveness not in ("live", None):
        given["consecutive_failures"] = 1
    return Known(PAGE, **{**given, **changes})


def planned(
    history: History, *addresses: str | Resource, at: datetime = NOON, block: Source | None = None
) -> Plan:
    """What is planned for a snapshot of these addresses."""
    resources = [each if isinstance(each, Resource) else Resource(each) for each in addresses]
    return plan(resources, history, block or source(), Website(), at)


def asked(made: Plan) -> list[str]:
    """The artifacts of a plan, in order."""
    return [task.artifact for task in made.tasks]


def history_of(*lines: Any) -> History:
    """A history of these lines."""
    history = History()
    for line in lines:
        history.add(line.to_json())
    return history


# When an artifact is due


@pytest.mark.parametrize(
    ("liveness", "days"), [("live", 30), ("error", 1), ("blocked", 7), ("gone", 30)]
)
def test_each_state_has_its_own_pause(liveness: str, days: int) -> None:
    assert due_at(known(liveness), source()) == NOON + days * DAY


def test_what_was_never_asked_is_due_at_once() -> None:
    assert due_at(Known(PAGE), source()) == EARLIEST
    assert due_at(known(None), source()) == EARLIEST
    assert due_at(known("live", last_checked=None), source()) == EARLIEST


@pytest.mark.parametrize(
    ("failures", "days"),
    [(1, 1), (2, 2), (3, 4), (4, 8), (9, 256), (10, 365), (11, 365), (10_000, 365)],
)
def test_the_pause_doubles_with_each_failure_in_a_row_up_to_a_year(
    failures: int, days: int
) -> None:
    assert due_at(known("error", consecutive_failures=failures), source()) == NOON + days * DAY


def test_a_block_sets_its_own_pauses() -> None:
    block = source(revisit=timedelta(hours=6), retry={"gone": timedelta(hours=2)})
    assert due_at(known("live"), block) == NOON + timedelta(hours=6)
    assert due_at(known("gone", consecutive_failures=2), block) == NOON + timedelta(hours=4)


def test_what_was_too_large_waits_like_a_live_one_unless_the_limit_was_raised() -> None:
    too_large = known("error", reason="too-large: 900 bytes or more", limit=500)
    assert due_at(too_large, source(max_bytes=500)) == NOON + 30 * DAY
    assert due_at(too_large, source(max_bytes=400)) == NOON + 30 * DAY
    assert due_at(too_large, source(max_bytes=501)) == NOON


def test_a_large_thing_of_an_unknown_limit_waits() -> None:
    too_large = known("error", reason="too-large", limit=None)
    assert due_at(too_large, source()) == NOON + 30 * DAY


@pytest.mark.parametrize(
    ("lastmod", "due"),
    [
        ("2026-03-02", datetime(2026, 3, 2, tzinfo=UTC)),
        ("2026-03-01T13:00:00Z", datetime(2026, 3, 1, 13, tzinfo=UTC)),
        ("2026-03-01T13:00:00+01:00", NOON + 30 * DAY),
        ("2026-03-01T12:30:00-01:00", datetime(2026, 3, 1, 13, 30, tzinfo=UTC)),
        ("2026-03-01", NOON + 30 * DAY),
        ("2026-02-01T00:00:00.123+00:00", NOON + 30 * DAY),
        ("2031-01-01", NOON + 30 * DAY),
        ("9999-12-31T23:59:59-12:00", NOON + 30 * DAY),
        ("0001-01-01T00:00:00+14:00", NOON + 30 * DAY),
        ("yesterday", NOON + 30 * DAY),
        ("Mon, 02 Mar 2026 09:00:00 GMT", NOON + 30 * DAY),
        ("", NOON + 30 * DAY),
        (None, NOON + 30 * DAY),
    ],
)
def test_a_live_page_is_due_when_it_says_that_it_changed(
    lastmod: str | None, due: datetime
) -> None:
    assert due_at(known("live"), source(), lastmod) == due


def test_a_failed_page_is_not_due_because_it_says_that_it_changed() -> None:
    assert due_at(known("gone"), source(), "2026-03-02") == NOON + 30 * DAY


@PROPERTY
@given(
    st.sampled_from(["live", "error", "blocked", "gone"]),
    st.integers(0, 10**6),
    st.none() | st.text() | st.datetimes().map(str) | st.dates().map(str),
)
def test_every_state_is_due_some_day(liveness: str, failures: int, lastmod: str | None) -> None:
    due = due_at(known(liveness, consecutive_failures=failures), source(), lastmod)
    assert NOON < due <= NOON + 365 * DAY


# What is planned


def test_new_addresses_are_asked_in_their_order_and_known_ones_later() -> None:
    history = history_of(observation(PAGE), status(FEES, "error"))
    made = planned(history, PAGE, OTHER, FEES, AGENDA)
    assert asked(made) == [OTHER, AGENDA]
    assert made.next_due == NOON + DAY


def test_new_addresses_go_before_what_is_due_again() -> None:
    history = history_of(observation(PAGE, NOON - 40 * DAY))
    assert asked(planned(history, PAGE, OTHER)) == [OTHER, PAGE]


def test_nothing_due_is_an_empty_plan() -> None:
    made = planned(history_of(observation(PAGE)), PAGE)
    assert (list(made.tasks), made.left_out) == ([], 0)
    assert made.next_due == NOON + 30 * DAY


def test_an_empty_snapshot_has_nothing_to_ask_and_nothing_due() -> None:
    made = planned(history_of(observation(PAGE)))
    assert (list(made.tasks), made.next_due, made.left_out) == ([], None, 0)


def test_what_has_become_due_is_asked_exactly_then() -> None:
    history = history_of(status(PAGE, "error"))
    assert asked(planned(history, PAGE, at=NOON + DAY - timedelta(microseconds=1))) == []
    assert asked(planned(history, PAGE, at=NOON + DAY)) == [PAGE]


def test_the_next_time_is_the_earliest_of_all() -> None:
    lines = [status(PAGE, "gone"), status(OTHER, "blocked"), status(FEES, "error")]
    for order in (lines, lines[::-1]):
        assert planned(history_of(*order), PAGE, OTHER, FEES).next_due == NOON + DAY


def test_a_page_that_says_it_changed_is_asked_again() -> None:
    history = history_of(observation(PAGE), observation(OTHER))
    at = NOON + 2 * DAY
    made = planned(history, Resource(PAGE, "2026-03-02"), Resource(OTHER, "2026-02-02"), at=at)
    assert asked(made) == [PAGE]


def test_filters_leave_out_and_count() -> None:
    block = source(match=("/z-", "fees"), exclude=("agenda",))
    made = planned(History(), PAGE, OTHER, AGENDA, FEES, block=block)
    assert (asked(made), made.left_out) == ([FEES], 3)


@pytest.mark.parametrize(
    ("match", "exclude", "takes"),
    [
        ((), (), True),
        (("council",), (), True),
        (("fees",), (), False),
        (("fees", "council"), (), True),
        ((), ("council",), False),
        (("council",), ("2026",), False),
        ((r"/council/\d+$",), (), True),
        ((), ("^/council",), True),
    ],
)
def test_expressions_are_searched_in_the_whole_address(
    match: tuple[str, ...], exclude: tuple[str, ...], takes: bool
) -> None:
    address = f"{TOWN}/council/2026"
    assert Filter(source(match=match, exclude=exclude)).takes(address) == takes


# Parts


def test_parts_that_were_never_asked_are_planned_with_their_page() -> None:
    history = history_of(observation(PAGE, parts=[FEES, AGENDA]), observation(FEES, resource=PAGE))
    made = planned(history, PAGE)
    assert asked(made) == [AGENDA]
    assert made.tasks[0].is_part
    assert made.tasks[0].resource.address == PAGE
    assert made.next_due == NOON + 30 * DAY


def test_a_part_that_failed_is_due_after_its_own_pause() -> None:
    history = history_of(observation(PAGE, parts=[FEES]), status(FEES, "error", resource=PAGE))
    assert planned(history, PAGE).next_due == NOON + DAY
    assert asked(planned(history, PAGE, at=NOON + DAY)) == [FEES]


def test_parts_that_are_filtered_are_not_planned() -> None:
    history = history_of(observation(PAGE, parts=[FEES, AGENDA]))
    assert asked(planned(history, PAGE, block=source(exclude=("agenda",)))) == [FEES]


def test_a_page_that_vanished_gives_no_parts() -> None:
    assert asked(planned(history_of(observation(PAGE, parts=[FEES])), OTHER)) == [OTHER]


@pytest.mark.parametrize("snapshot", [[PAGE, AGENDA], [AGENDA, PAGE]])
def test_a_new_part_that_is_also_published_is_planned_once_and_for_itself(
    snapshot: list[str],
) -> None:
    made = planned(history_of(observation(PAGE, parts=[AGENDA])), *snapshot)
    assert asked(made) == [AGENDA]
    assert made.tasks[0].resource.address == AGENDA
    assert not made.tasks[0].is_part


@pytest.mark.parametrize("snapshot", [[PAGE, AGENDA], [AGENDA, PAGE]])
def test_a_known_part_that_is_also_published_is_planned_once_and_for_itself(
    snapshot: list[str],
) -> None:
    history = history_of(observation(PAGE, parts=[AGENDA]), status(AGENDA, "error"))
    made = planned(history, *snapshot, at=NOON + DAY)
    assert asked(made) == [AGENDA]
    assert not made.tasks[0].is_part


def test_a_document_of_forty_pages_is_planned_once() -> None:
    pages = [f"{TOWN}/page-{number}" for number in range(40)]
    history = history_of(*(observation(page, parts=[FEES]) for page in pages))
    assert asked(planned(history, *pages)) == [FEES]


@pytest.mark.parametrize(
    ("line", "is_owed"),
    [
        (None, True),
        (status(FEES, "error"), True),
        (status(FEES, "error", reason="too-large: 9 bytes or more", limit=5), False),
        (status(FEES, "gone"), False),
        (status(FEES, "blocked"), False),
        (observation(FEES), False),
    ],
)
def test_a_part_is_owed_until_there_is_an_answer(line: Any, is_owed: bool) -> None:
    history = history_of(observation(PAGE, parts=[FEES]), *([line] if line else []))
    left = owed(history.known(PAGE), history, lambda _address: True)
    assert left == ([FEES] if is_owed else [])


def test_a_part_that_was_had_once_is_not_owed_when_it_fails_later() -> None:
    history = history_of(
        observation(PAGE, parts=[FEES]), observation(FEES), status(FEES, "error", NOON + DAY)
    )
    assert owed(history.known(PAGE), history, lambda _address: True) == []


def test_nothing_is_owed_that_is_left_out_or_was_never_seen() -> None:
    history = history_of(observation(PAGE, parts=[FEES]))
    assert owed(history.known(PAGE), history, lambda _address: False) == []
    assert owed(None, history, lambda _address: True) == []


# Properties

ADDRESSES = [f"{TOWN}/{name}" for name in ("a", "b", "c.pdf", "d.pdf")]
LINES = st.builds(
    lambda address, what, days, parts: (
        observation(address, NOON - days * DAY, parts=parts)
        if what == "observation"
        else status(address, what, NOON - days * DAY)
    ),
    st.sampled_from(ADDRESSES),
    st.sampled_from(["observation", "error", "blocked", "gone"]),
    st.integers(0, 60),
    st.lists(st.sampled_from(ADDRESSES), max_size=3),
)


@PROPERTY
@given(st.lists(LINES, max_size=8), st.lists(st.sampled_from(ADDRESSES), max_size=5))
def test_no_artifact_is_planned_twice_and_what_is_left_has_a_time(
    lines: list[Any], snapshot: list[str]
) -> None:
    history = history_of(*lines)
    made = planned(history, *sorted(snapshot))
    assert len(asked(made)) == len(set(asked(made)))
    new = {address for address in snapshot if history.known(address) is None}
    assert new <= set(asked(made))
    waiting = set(snapshot) - set(asked(made))
    assert (made.next_due is not None) or not waiting
    assert made.next_due is None or made.next_due > NOON


# A clock that was wrong


def test_what_was_seen_in_a_future_that_did_not_come_is_due() -> None:
    history = History()
    history.see(observation(PAGE, at=NOON + 400 * DAY))
    history.see(observation(OTHER, at=NOON + timedelta(hours=20)))
    assert asked(planned(history, PAGE, OTHER)) == [PAGE]


def test_what_is_left_of_few_tasks_is_what_the_whole_plan_says() -> None:
    later, block = NOON + DAY, source(exclude=("left-out",))
    addresses = [Resource(each) for each in (PAGE, OTHER, FEES, f"{TOWN}/left-out")]
    history = history_of(observation(PAGE), status(FEES, "error"))
    before = planned(history, *addresses, at=later, block=block)
    assert asked(before) == [OTHER, FEES]

    history.add(observation(OTHER, at=later, parts=[AGENDA]).to_json())
    history.add(status(FEES, "gone", at=later).to_json())

    left = plan_on(before, history, block, Website(), later)
    whole = planned(history, *addresses, at=later, block=block)
    assert asked(left) == asked(whole) == [AGENDA]
    assert left.left_out == whole.left_out == 1
    assert left.next_due == whole.next_due == NOON + 30 * DAY
