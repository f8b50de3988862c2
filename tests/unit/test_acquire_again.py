"""A second acquire job asks only for what is due, and says when the next one is."""

from datetime import timedelta
from pathlib import Path

import pytest

from centinel.record import Json, timestamp
from centinel.store import Store
from centinel.turns import read_turn, turn_of
from tests.sites.server import PUBLISHED, Answer, Site, entity_tag
from tests.unit.acquiring import DOCUMENT, asked, page, publish, run, states
from tests.unit.support import (
    DAY,
    NOON,
    PAGE,
    Clock,
    assert_valid,
    lines_of,
    observed_in,
    record_of,
    sha256,
    statuses_of,
)

# A first run


# What is known already


def test_a_page_that_did_not_change_is_a_status_and_no_observation(
    store: Store, site: Site
) -> None:
    site.set("/page", Answer(b"text", PAGE))
    publish(store, site, "/page")
    clock = Clock()
    run(store, site, clock)
    clock.move(30 * DAY)
    _, state = run(store, site, clock)
    assert site.requests[-1].headers["if-none-match"] == entity_tag(b"text")
    assert len(observed_in(store)) == 1
    status = statuses_of(store)[site.address + "/page"]
    assert (status["liveness"], status["reason"], status["http_status"]) == (
        "live",
        "not-modified",
        304,
    )
    assert status["since"] == timestamp(NOON)
    assert state["counts"]["unchanged"] == 1
    line = states(store, site)["/page"]
    assert (line["liveness"], line["last_checked"]) == ("live", timestamp(clock.at))


def test_changed_bytes_are_a_second_observation(store: Store, site: Site) -> None:
    site.set("/page", Answer(b"old text", PAGE))
    publish(store, site, "/page")
    clock = Clock()
    run(store, site, clock)
    site.set("/page", Answer(b"new text", PAGE, modified=PUBLISHED + DAY))
    clock.move(30 * DAY)
    _, state = run(store, site, clock)
    assert [line["blob"] for line in record_of(store)] == [sha256(b"old text"), sha256(b"new text")]
    (artifact,) = lines_of(store.artifacts)
    assert (artifact["blob"], artifact["observed_at"]) == (sha256(b"new text"), timestamp(clock.at))
    assert state["counts"]["changed"] == 1
    assert store.blob(sha256(b"old text")).exists()


def test_only_white_space_that_changed_is_no_change(store: Store, site: Site) -> None:
    site.set("/page", Answer(b"one  two", PAGE))
    publish(store, site, "/page")
    clock = Clock()
    run(store, site, clock)
    site.set("/page", Answer(b"one\n two\n", PAGE))
    clock.move(30 * DAY)
    _, state = run(store, site, clock)
    assert len(observed_in(store)) == 2
    assert "changed" not in state["counts"]


def test_bytes_that_are_not_there_any_more_are_asked_for_again(store: Store, site: Site) -> None:
    site.set("/page", Answer(b"text", PAGE))
    publish(store, site, "/page")
    clock = Clock()
    run(store, site, clock)
    store.blob(sha256(b"text")).unlink()
    clock.move(30 * DAY)
    run(store, site, clock)
    assert "if-none-match" not in site.requests[-1].headers
    assert store.blob(sha256(b"text")).read_bytes() == b"text"


def test_an_unasked_304_is_an_error(store: Store, site: Site) -> None:
    site.set("/page", Answer(status=304))
    publish(store, site, "/page")
    run(store, site)
    assert statuses_of(store)[site.address + "/page"]["liveness"] == "error"


def test_a_page_that_vanished_from_the_snapshot_is_kept_and_said(store: Store, site: Site) -> None:
    site.set("/page", Answer(b"text", PAGE))
    publish(store, site, "/page")
    run(store, site)
    publish(store, site)
    run(store, site)
    line = states(store, site)["/page"]
    assert (line["in_snapshot"], line["liveness"]) == (False, "live")
    assert len(lines_of(store.artifacts)) == 1


def test_a_larger_limit_makes_what_was_too_large_due(store: Store, site: Site) -> None:
    site.set("/large", Answer(bytes(2000), "application/pdf"))
    publish(store, site, "/large")
    run(store, site, max_bytes=1000)
    status = statuses_of(store)[site.address + "/large"]
    assert_valid([status], "record_line")
    assert (status["size"], status["limit"]) == (2000, 1000)
    run(store, site, max_bytes=1500)
    assert statuses_of(store)[site.address + "/large"]["limit"] == 1500
    run(store, site, max_bytes=1500)
    assert site.asked("/large") == 2
    run(store, site, max_bytes=3000)
    assert observed_in(store) == [site.address + "/large"]


# Turns


@pytest.mark.parametrize(
    ("state", "turn"),
    [
        (None, 0),
        ({}, 0),
        ({"turn": 4, "next_due": None}, 4),
        ({"turn": 4, "next_due": timestamp(NOON + timedelta(microseconds=1))}, 4),
        ({"turn": 4, "next_due": timestamp(NOON)}, 5),
        ({"turn": 4, "next_due": timestamp(NOON - DAY)}, 5),
        ({"turn": 4, "next_due": None, "written_at": timestamp(NOON + DAY)}, 4),
        ({"turn": 4, "next_due": None, "written_at": timestamp(NOON + 2 * DAY)}, 5),
    ],
)
def test_the_turn_moves_once_something_has_become_due(state: Json | None, turn: int) -> None:
    assert turn_of(state, NOON) == turn


def test_the_turn_of_a_source_that_was_never_acquired_is_the_first(tmp_path: Path) -> None:
    assert read_turn(Store(tmp_path, "town")) == 0


def test_a_run_that_finished_leaves_its_turn_and_the_next_time(store: Store, site: Site) -> None:
    site.set("/live", Answer(b"x", PAGE))
    publish(store, site, "/gone", "/live")
    _, state = run(store, site, turn=7)
    assert (state["turn"], state["remaining"]) == (7, 0)
    assert state["next_due"] == timestamp(NOON + 30 * DAY)


def test_a_run_over_nothing_has_no_next_time(store: Store, site: Site) -> None:
    publish(store, site)
    _, state = run(store, site)
    assert (state["turn"], state["next_due"], state["remaining"]) == (0, None, 0)
    assert (store.artifacts.read_bytes(), store.resources.read_bytes()) == (b"", b"")


@pytest.mark.parametrize("turn", [0, 3])
def test_a_limit_leaves_the_rest_to_the_next_turn(store: Store, site: Site, turn: int) -> None:
    paths = [f"/{name}" for name in "abcde"]
    for path in paths:
        site.set(path, page(f"{path}.pdf"))
        site.set(f"{path}.pdf", DOCUMENT)
    publish(store, site, *paths)
    _, state = run(store, site, turn=turn, limit=2)
    assert asked(site) == ["/a", "/a.pdf", "/b", "/b.pdf"]
    assert (state["turn"], state["remaining"]) == (turn + 1, 3)
    _, state = run(store, site, turn=turn + 1, limit=2)
    _, state = run(store, site, turn=turn + 2, limit=2)
    assert (state["turn"], state["remaining"], len(observed_in(store))) == (turn + 2, 0, 10)


def test_no_time_to_acquire_asks_nothing_and_leaves_everything(store: Store, site: Site) -> None:
    publish(store, site, "/a", "/b")
    _, state = run(store, site, acquire_for=timedelta(0))
    assert site.requests == []
    assert (state["turn"], state["remaining"], state["counts"]) == (1, 2, {})
    assert [line["liveness"] for line in lines_of(store.resources)] == [None, None]


def test_what_filters_leave_out_is_counted_and_not_left(store: Store, site: Site) -> None:
    site.set("/a", page("/x.pdf", "/y.pdf"))
    site.set("/x.pdf", DOCUMENT)
    publish(store, site, "/a", "/calendar/1", "/calendar/2")
    _, state = run(store, site, exclude=("/calendar/", "y.pdf"))
    assert asked(site) == ["/a", "/x.pdf"]
    assert (state["left_out"], state["remaining"], state["turn"]) == (2, 0, 0)
    assert states(store, site)["/a"]["owed"] == []
