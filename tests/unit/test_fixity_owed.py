"""What was lost on disk is asked for again, once, unconditionally, and never blames an address."""

from datetime import datetime
from typing import Any

import pytest

from centinel.files import read_json
from centinel.fixity import verifying
from centinel.history import History, replay
from centinel.planning import plan
from centinel.record import Json, Liveness, Resource
from centinel.sources.website import Website
from centinel.store import Store
from centinel.turns import turn_of
from tests.sites.server import PUBLISHED, Answer, Site
from tests.unit.acquiring import DOCUMENT, PDF, asked, page, publish, run, states
from tests.unit.readers.archives import zip_of
from tests.unit.support import (
    DAY,
    NOON,
    Clock,
    observation,
    record_of,
    sha256,
    source,
    status,
    statuses_of,
)
from tests.unit.verifying import flip, verified

TOWN = "https://town.example"
AGENDA, FEES = f"{TOWN}/agenda.pdf", f"{TOWN}/fees.pdf"
ZIP = "application/zip"
FILES = [("may.pdf", b"%PDF-1.7 may"), ("fees.csv", b"a,b\n1,2\n")]


def published(store: Store, site: Site, clock: Clock) -> None:
    """A page with a document, both acquired."""
    site.set("/page", page("/fees.pdf"))
    site.set("/fees.pdf", DOCUMENT)
    publish(store, site, "/page")
    run(store, site, clock)
    site.forget_requests()


def lost_line(store: Store, site: Site) -> dict[str, str]:
    """How what the last check found lost was found, by path of its artifact."""
    line = record_of(store)[-1]
    assert line["type"] == "fixity"
    return {each["artifact"].removeprefix(site.address): each["found"] for each in line["lost"]}


def test_a_damaged_part_is_asked_again_at_once_and_is_whole_again(store: Store, site: Site) -> None:
    clock = Clock()
    published(store, site, clock)
    flip(store.blob(sha256(PDF)))
    clock.move(DAY)
    verified(store, clock)
    _, state = run(store, site, clock)
    assert asked(site) == ["/fees.pdf"]
    (request,) = (each for each in site.requests if each.path == "/fees.pdf")
    assert not {"if-none-match", "if-modified-since"} & request.headers.keys()
    assert store.blob(sha256(PDF)).read_bytes() == PDF
    assert store.damaged_blob(sha256(PDF)).exists()
    assert (state["remaining"], state["counts"]["stored"]) == (0, 1)
    clock.move(DAY)
    assert run(store, site, clock)[1]["counts"] == {}
    assert verified(store, clock).lost == []


def test_the_turn_moves_on_when_something_was_found_lost_and_only_then(
    store: Store, site: Site
) -> None:
    clock = Clock()
    published(store, site, clock)
    clock.move(DAY)
    verified(store, clock)
    assert turn_of(_state(store), clock()) == 0
    store.blob(sha256(PDF)).unlink()
    verified(store, clock)
    assert turn_of(_state(store), clock()) == 1
    _, state = run(store, site, clock, turn=1)
    assert turn_of(state, clock()) == 1


def _state(store: Store) -> Json:
    return read_json(store.acquire_state) or {}


def test_loss_is_no_evidence_about_an_address(store: Store, site: Site) -> None:
    clock = Clock()
    published(store, site, clock)
    store.blob(sha256(PDF)).unlink()
    verified(store, clock)
    known = replay(store).known(f"{site.address}/fees.pdf")
    assert known is not None
    assert (known.liveness, known.consecutive_failures) == (Liveness.LIVE, 0)
    assert statuses_of(store) == {}


def test_an_address_that_is_gone_meanwhile_is_asked_once_and_then_as_others_are(
    store: Store, site: Site
) -> None:
    clock = Clock()
    published(store, site, clock)
    flip(store.blob(sha256(PDF)))
    verified(store, clock)
    site.set("/fees.pdf", Answer(b"no", "text/plain", status=404))
    _, state = run(store, site, clock)
    assert asked(site) == ["/fees.pdf"]
    assert statuses_of(store)[f"{site.address}/fees.pdf"]["liveness"] == "gone"
    assert (state["remaining"], states(store, site)["/page"]["owed"]) == (0, [])
    clock.move(DAY)
    assert run(store, site, clock)[1]["counts"] == {}
    verified(store, clock)
    assert lost_line(store, site) == {"/fees.pdf": "damaged"}
    run(store, site, clock)
    assert asked(site) == ["/fees.pdf"] * 2


def test_a_lost_page_is_asked_again_and_its_parts_are_not(store: Store, site: Site) -> None:
    clock = Clock()
    published(store, site, clock)
    blob = sha256(page("/fees.pdf").body)
    store.blob(blob).unlink()
    verified(store, clock)
    run(store, site, clock)
    assert asked(site) == ["/page"]
    assert store.has_blob(blob)


def test_bytes_that_have_changed_at_their_address_are_new_bytes(store: Store, site: Site) -> None:
    clock = Clock()
    published(store, site, clock)
    store.blob(sha256(PDF)).unlink()
    verified(store, clock)
    site.set("/fees.pdf", Answer(b"%PDF-1.7 new fees", "application/pdf", modified=PUBLISHED + DAY))
    run(store, site, clock)
    assert not store.has_blob(sha256(PDF))
    shard = verified(store, clock)
    assert shard.missing == [sha256(PDF)]
    site.forget_requests()
    assert run(store, site, clock)[1]["counts"] == {}, "older bytes cannot be asked for"


def test_artifacts_with_the_same_bytes_are_all_asked_again(store: Store, site: Site) -> None:
    for path in ("/a.pdf", "/b.pdf"):
        site.set(path, DOCUMENT)
    publish(store, site, "/a.pdf", "/b.pdf")
    clock = Clock()
    run(store, site, clock)
    store.blob(sha256(PDF)).unlink()
    verified(store, clock)
    site.forget_requests()
    _, state = run(store, site, clock)
    assert asked(site) == ["/a.pdf", "/b.pdf"]
    assert (state["remaining"], replay(store).lost) == (0, {})


def test_a_lost_member_is_taken_out_of_its_archive_without_a_request(
    store: Store, site: Site
) -> None:
    site.set("/packet.zip", Answer(zip_of(FILES), ZIP))
    publish(store, site, "/packet.zip")
    clock = Clock()
    run(store, site, clock)
    member = sha256(FILES[0][1])
    flip(store.blob(member))
    verified(store, clock)
    site.forget_requests()
    _, state = run(store, site, clock)
    assert site.paths() == []
    assert store.blob(member).read_bytes() == FILES[0][1]
    assert state["remaining"] == 0


def test_a_lost_archive_and_its_lost_members_cost_one_request(store: Store, site: Site) -> None:
    site.set("/packet.zip", Answer(zip_of(FILES), ZIP))
    publish(store, site, "/packet.zip")
    clock = Clock()
    run(store, site, clock)
    for body in (zip_of(FILES), FILES[0][1]):
        store.blob(sha256(body)).unlink()
    verified(store, clock)
    site.forget_requests()
    _, state = run(store, site, clock)
    assert asked(site) == ["/packet.zip"]
    assert store.has_blob(sha256(FILES[0][1]))
    assert (state["remaining"], verified(store, clock).lost) == (0, [])


def test_members_of_an_archive_that_is_lost_and_gone_make_no_run_due(
    store: Store, site: Site
) -> None:
    site.set("/packet.zip", Answer(zip_of(FILES), ZIP))
    publish(store, site, "/packet.zip")
    clock = Clock()
    run(store, site, clock)
    for body in (zip_of(FILES), FILES[0][1]):
        store.blob(sha256(body)).unlink()
    verified(store, clock)
    site.set("/packet.zip", Answer(b"no", "text/plain", status=410))
    _, state = run(store, site, clock)
    assert (state["remaining"], state["turn"]) == (0, 0)


def test_what_nothing_names_any_more_is_asked_too(store: Store, site: Site) -> None:
    clock = Clock()
    published(store, site, clock)
    publish(store, site, "/other")
    site.set("/other", page())
    run(store, site, clock)
    for body in (PDF, page("/fees.pdf").body):
        store.blob(sha256(body)).unlink()
    verified(store, clock)
    site.forget_requests()
    _, state = run(store, site, clock)
    assert asked(site) == ["/fees.pdf", "/page"]
    assert (state["remaining"], verified(store, clock).lost) == (0, [])
    assert not states(store, site)["/page"]["in_snapshot"]


def test_what_the_source_leaves_out_is_not_asked_again(store: Store, site: Site) -> None:
    clock = Clock()
    published(store, site, clock)
    store.blob(sha256(PDF)).unlink()
    verified(store, clock)
    _, state = run(store, site, clock, exclude=("fees",))
    assert (asked(site), state["remaining"]) == ([], 0)


def test_a_run_that_is_cut_short_leaves_what_is_owed_again(store: Store, site: Site) -> None:
    for path in ("/a.pdf", "/b.pdf"):
        site.set(path, Answer(PDF + path.encode(), "application/pdf"))
    publish(store, site, "/a.pdf", "/b.pdf")
    clock = Clock()
    run(store, site, clock)
    for path in ("/a.pdf", "/b.pdf"):
        store.blob(sha256(PDF + path.encode())).unlink()
    verified(store, clock)
    _, state = run(store, site, clock, limit=1)
    assert (state["remaining"], state["turn"]) == (1, 1)
    _, state = run(store, site, clock, turn=1, limit=1)
    assert (state["remaining"], state["turn"], verified(store, clock).lost) == (0, 1, [])


@pytest.mark.parametrize("is_acquired_between", [False, True], ids=["again", "plain run between"])
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("step", ["_put_aside", "_make_due", "_say", "write_json"])
def test_a_kill_at_any_step_is_made_up(
    store: Store,
    site: Site,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    moment: str,
    is_acquired_between: bool,
) -> None:
    clock = Clock()
    published(store, site, clock)
    flip(store.blob(sha256(PDF)))
    doing = getattr(verifying, step)

    def killed(*given: Any) -> None:
        if moment == "after":
            doing(*given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(verifying, step, killed)
        with pytest.raises(KeyboardInterrupt):
            verified(store, clock)
    if is_acquired_between:
        run(store, site, clock)
    verified(store, clock)
    _, state = run(store, site, clock)
    assert store.blob(sha256(PDF)).read_bytes() == PDF
    assert store.damaged_blob(sha256(PDF)).exists()
    assert (state["remaining"], replay(store).lost, verified(store, clock).lost) == (0, {}, [])
    assert asked(site) == ["/fees.pdf"]


# The record replayed


def fixity_line(*lost: tuple[str, bytes]) -> Json:
    """A check that found bytes of artifacts missing."""
    found = [
        {"resource": each, "artifact": each, "blob": sha256(body), "found": "missing"}
        for each, body in lost
    ]
    return {"type": "fixity", "at": "2026-03-02T00:00:00Z", "lost": found}


def told(*lines: Json) -> History:
    """The history of these lines."""
    history = History()
    for line in lines:
        history.add(line)
    assert history.torn.places == []
    return history


SEEN = observation(AGENDA).to_json()
LOST = fixity_line((AGENDA, b"bytes"))


@pytest.mark.parametrize(
    ("lines", "lost"),
    [
        ((SEEN, LOST), {AGENDA: False}),
        ((SEEN, fixity_line((AGENDA, b"older bytes"))), {}),
        ((LOST,), {}),
        ((SEEN, LOST, SEEN), {}),
        ((SEEN, LOST, status(AGENDA, "gone").to_json()), {AGENDA: True}),
        ((SEEN, LOST, status(AGENDA, "error").to_json(), LOST), {AGENDA: False}),
        ((SEEN, LOST, status(AGENDA, "live", reason="not-modified").to_json()), {}),
        ((SEEN, LOST, status(FEES, "gone").to_json()), {AGENDA: False}),
    ],
)
def test_an_artifact_is_lost_until_it_is_seen_again(
    lines: tuple[Json, ...], lost: dict[str, bool]
) -> None:
    history = told(*(dict(line) for line in lines))
    assert history.lost == lost
    assert history.is_owed_again(AGENDA) is (lost.get(AGENDA) is False)


def test_a_check_that_cannot_be_understood_is_named_and_ends_nothing() -> None:
    history = History()
    history.add({"type": "fixity", "at": "2026-03-02T00:00:00Z"})
    assert history.torn.places == ["line 1: 'lost'"]


def test_the_index_keeps_what_is_lost(store: Store, site: Site) -> None:
    clock = Clock()
    published(store, site, clock)
    store.blob(sha256(PDF)).unlink()
    verified(store, clock)
    history = replay(store)
    lost = dict(history.lost)
    assert lost == {f"{site.address}/fees.pdf": False}
    history.keep(store)
    history.artifacts.close()
    again = replay(store)
    assert (again.lost, again.lines) == (lost, history.lines)


def test_many_resources_of_which_one_is_lost_are_one_task() -> None:
    addresses = [f"{TOWN}/{number:05d}.pdf" for number in range(2000)]
    history = told(*(observation(each).to_json() for each in addresses))
    history.add(fixity_line((addresses[700], b"bytes")))
    at: datetime = NOON + DAY
    made = plan(
        [Resource(each, title=each) for each in addresses], history, source(), Website(), at
    )
    assert [task.resource for task in made.tasks] == [
        Resource(addresses[700], title=addresses[700])
    ]
