"""The first screen of a source: ten figures, and a sentence each."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from centinel import changes
from centinel.files import write_lines
from centinel.fixity import Lost, Shard
from centinel.record import timestamp
from centinel.report.fixity import Fixity
from centinel.report.fixity import Shard as Verified
from centinel.report.glance import Glance, Level, _verified
from centinel.store import Store
from tests.unit.report.results import (
    AT,
    BEFORE,
    NOW,
    SITE,
    SOURCE,
    Results,
    discovery,
    figures,
    record,
    snapshot,
    state,
)


def glance(store: Store, name: str) -> Glance:
    return next(each for each in figures(store).glance if each.name == name)


def said(store: Store, name: str) -> tuple[str, str, Level]:
    found = glance(store, name)
    return found.figure, found.sentence, found.level


def test_it_has_ten_figures_in_one_order(tmp_path: Path) -> None:
    found = figures(Results(tmp_path).write()).glance
    assert [each.name for each in found] == [
        "complete",
        "new",
        "changed",
        "vanished",
        "blocked",
        "unread",
        "owed",
        "waiting",
        "stale",
        "verified",
    ]
    assert all(each.sentence.endswith((".", ")")) for each in found)


def test_where_all_is_well_nothing_is_marked(tmp_path: Path) -> None:
    results = Results(tmp_path, states=[state(SITE)])
    results.add(SITE)
    store = results.write(snapshot(found=1, new=0, vanished=0))
    record(store, discovery(at=BEFORE, snapshot=None), discovery(snapshot=None))
    found = figures(store)
    assert {each.level for each in found.glance} == {Level.OK}
    assert found.attention == ()
    assert [each.figure for each in found.glance] == [
        "yes",
        "none",
        "none",
        "none",
        "none",
        "none",
        "none",
        "none",
        "1 day",
        "never",
    ]


def test_a_source_without_a_snapshot_knows_nothing(tmp_path: Path) -> None:
    store = Results(tmp_path).write()
    complete = ("unknown", "No snapshot has been taken: 0 addresses are known.", Level.URGENT)
    assert said(store, "complete") == complete
    assert said(store, "new") == ("unknown", "There is no snapshot to compare.", Level.OK)
    assert said(store, "vanished")[0] == "unknown"
    assert said(store, "stale") == ("unknown", "There is no snapshot.", Level.OK)


def test_a_failed_enumeration_says_why_and_what_stands(tmp_path: Path) -> None:
    failed = snapshot(outcome="failed", reason="http 503", found=None, new=None, vanished=None)
    store = Results(tmp_path, states=[state(SITE)]).write(failed)
    record(store, discovery(at=BEFORE, found=1))
    assert said(store, "complete") == (
        "failed",
        "The enumeration failed (http 503): the snapshot of 2026-02-01, of 1 address, stands.",
        Level.URGENT,
    )
    sentence = "The enumeration failed: there is nothing to compare."
    assert said(store, "new") == ("unknown", sentence, Level.OK)
    assert said(store, "stale")[0] == "32 days"


def test_a_failed_first_enumeration_has_nothing_to_stand_in_for_it(tmp_path: Path) -> None:
    store = Results(tmp_path).write(snapshot(outcome="failed", reason="http 503", found=None))
    sentence = "The enumeration failed (http 503), and there is no earlier snapshot."
    assert said(store, "complete") == ("failed", sentence, Level.URGENT)


def test_a_cut_snapshot_is_at_least(tmp_path: Path) -> None:
    cut = snapshot(found=1204, truncated=True, new=3, vanished=None)
    store = Results(tmp_path).write(cut, remaining=12)
    record(store, discovery(at=BEFORE), discovery(truncated=True))
    assert said(store, "complete") == (
        "cut short",
        "At least 1,204 addresses; how many more is not known.",
        Level.URGENT,
    )
    assert said(store, "new")[:2] == ("at least 3", "Compared with the snapshot of 2026-02-01.")
    sentence = "This snapshot is cut short: what it lacks may still be there."
    assert said(store, "vanished") == ("unknown", sentence, Level.OK)
    sentence = "At least 12 requests remain: the next plain run goes on."
    assert said(store, "owed") == ("at least 12", sentence, Level.NOTICE)


def test_after_a_cut_snapshot_nobody_knows_what_is_new(tmp_path: Path) -> None:
    store = Results(tmp_path).write(snapshot(found=4, new=None, vanished=None))
    sentence = "The snapshot before was cut short: what it lacked may have been there."
    assert said(store, "new") == ("unknown", sentence, Level.OK)


def test_an_empty_snapshot_is_urgent(tmp_path: Path) -> None:
    figure, sentence, level = said(Results(tmp_path).write(snapshot(found=0)), "complete")
    assert (figure, level) == ("empty", Level.URGENT)
    assert sentence == "The snapshot of 2026-03-04 holds 0 addresses: nothing was found."


def test_of_a_first_snapshot_everything_is_new(tmp_path: Path) -> None:
    store = Results(tmp_path).write(snapshot(found=3, new=3, vanished=0))
    record(store, discovery())
    assert said(store, "new")[:2] == ("3", "It is the first snapshot: everything in it is new.")
    sentence = "It is the first snapshot: nothing can have vanished."
    assert said(store, "vanished") == ("none", sentence, Level.OK)


def test_what_vanished_is_marked_and_said_to_be_kept(tmp_path: Path) -> None:
    store = Results(tmp_path).write(snapshot(found=3, new=0, vanished=2))
    record(store, discovery(at=BEFORE), discovery())
    sentence = "In the snapshot of 2026-02-01, and not any more; what was kept stays."
    assert said(store, "vanished") == ("2", sentence, Level.NOTICE)


def change(event: str, at: str = AT, artifact: str = SITE, **more: Any) -> changes.Change:
    return changes.Change(at, SITE, artifact, event, more.get("before"), more.get("after"))


def test_a_document_that_changed_twice_is_one_document(tmp_path: Path) -> None:
    store = Results(tmp_path).write(snapshot())
    record(store, discovery(at=BEFORE), discovery())
    old = change("changed", "2026-01-01T09:00:00.000000Z")
    lines = [old, change("changed"), change("changed"), change("changed", artifact=SITE + "b")]
    write_lines(store.changes, lines)
    sentence = "Came with other content since 2026-02-01; what was kept before stays."
    assert said(store, "changed") == ("2", sentence, Level.OK)


def test_blocked_says_since_when_and_why(tmp_path: Path) -> None:
    states = [state(SITE)]
    for number in range(3):
        since = f"2026-01-1{number}T09:00:00.000000Z"
        reason = "http 403" if number else "robots.txt denies it"
        states.append(state(f"{SITE}{number}", "blocked", reason=reason, since=since))
    store = Results(tmp_path, states=states).write(snapshot(found=4))
    sentence = "Since 2026-01-10, where it has lasted longest; most often, 2 of 3: http 403."
    assert said(store, "blocked") == ("3", sentence, Level.NOTICE)


def test_where_everything_is_blocked_it_is_a_block_and_urgent(tmp_path: Path) -> None:
    states = [state(SITE, "blocked", reason="http 403", since=BEFORE)]
    store = Results(tmp_path, states=states).write(snapshot(found=1))
    sentence = (
        "Since 2026-02-01: http 403. "
        "This is everything that was asked: a block, not an empty source."
    )
    assert said(store, "blocked") == ("1", sentence, Level.URGENT)


def test_what_could_not_be_read_says_why(tmp_path: Path) -> None:
    results = Results(tmp_path)
    results.add(SITE + "a.pdf", "pdf", "underivable", reason="PDF is encrypted")
    assert said(results.write(snapshot()), "unread") == (
        "1",
        "It was tried and gave no text: PDF is encrypted.",
        Level.NOTICE,
    )
    results.add(SITE + "b.pdf", "pdf", "underivable", reason="PDF is encrypted")
    results.add(SITE + "c.pdf", "pdf", "underivable", reason="no text")
    sentence = "They were tried and gave no text; most often, 2 of 3: PDF is encrypted."
    assert said(results.write(snapshot()), "unread")[1] == sentence


def test_owed_parts_and_what_remains_are_not_added(tmp_path: Path) -> None:
    states = [state(SITE, owed=[SITE + "a.pdf", SITE + "b.pdf"])]
    store = Results(tmp_path, states=states).write(snapshot(found=1), remaining=7)
    sentence = (
        "2 enclosed documents are owed, on 1 page: neither fetched nor refused for good. "
        "7 requests remain: the next plain run goes on."
    )
    assert said(store, "owed") == ("2", sentence, Level.NOTICE)


def test_what_remains_is_unknown_before_the_first_acquire_ended(tmp_path: Path) -> None:
    store = Results(tmp_path).write(snapshot())
    store.acquire_state.unlink()
    sentence = "How much remains is not known: no acquire has ended yet."
    assert said(store, "owed") == ("unknown", sentence, Level.NOTICE)


def test_recordings_wait_and_need_nobody(tmp_path: Path) -> None:
    results = Results(tmp_path)
    results.add(SITE + "a.mp3", "audio", "waiting", reason="not transcribed yet")
    sentence = "1 recording waits for a transcript."
    assert said(results.write(snapshot()), "waiting") == ("1", sentence, Level.OK)
    results.add(SITE + "b.pdf", "pdf", "waiting", reason="pdftotext is missing")
    results.add(SITE + "c", outcome=None)
    assert said(results.write(snapshot()), "waiting") == (
        "3",
        "1 recording waits for a transcript. "
        "1 document waits for a program or a model that is not installed here. "
        "1 document has not been read at the version that is wanted.",
        Level.NOTICE,
    )


def test_an_old_snapshot_is_marked(tmp_path: Path) -> None:
    old = timestamp(NOW - SOURCE.revisit - timedelta(days=1))
    store = Results(tmp_path).write(snapshot(taken_at=old))
    sentence = f"The snapshot of {old[:10]}: time for a new one (-R enumerate)."
    assert said(store, "stale") == (f"{SOURCE.revisit.days + 1} days", sentence, Level.NOTICE)


def test_a_snapshot_from_a_clock_that_ran_ahead_has_no_age(tmp_path: Path) -> None:
    ahead = timestamp(NOW + timedelta(days=300))
    store = Results(tmp_path).write(snapshot(taken_at=ahead))
    found = figures(store)
    assert (found.stale.taken_at, found.stale.age, found.stale.is_old) == (ahead, None, False)
    figure, sentence, level = said(store, "stale")
    assert (figure, level) == ("unknown", Level.NOTICE)
    assert "which is still to come: a clock is wrong" in sentence


@pytest.mark.parametrize(
    ("found", "figure", "sentence", "level"),
    [
        (
            Fixity((Verified("0-of-1", AT, 5, 0, 0),), 1, AT, 0, 0),
            "2026-03-04",
            "5 files were checked, and had the bytes that they were kept with.",
            Level.OK,
        ),
        (
            Fixity((Verified("0-of-2", AT, 5, 0, 0),), 2, None, 0, 0),
            "in part",
            "1 of 2 parts checked, the last on 2026-03-04.",
            Level.NOTICE,
        ),
        (
            Fixity((Verified("0-of-1", AT, 5, 1, 2),), 1, AT, 0, 3),
            "2026-03-04",
            "Of 5 files, 1 damaged and 2 missing. The bytes of 3 artifacts are not here now.",
            Level.URGENT,
        ),
        (
            Fixity((Verified("0-of-1", AT, 5, 1, 0),), 1, AT, 0, 0),
            "2026-03-04",
            "Of 5 files, 1 damaged and 0 missing. All of them are whole again.",
            Level.NOTICE,
        ),
    ],
    ids=["whole", "in part", "lost", "mended"],
)
def test_verifying_is_said_as_it_ended(
    found: Fixity, figure: str, sentence: str, level: Level
) -> None:
    assert _verified(found) == Glance(
        "verified", "Verified", figure, sentence, "fixity", None, level
    )


def test_lost_bytes_need_somebody_first(tmp_path: Path) -> None:
    results = Results(tmp_path, states=[state(SITE)])
    results.add(SITE)
    store = results.write(snapshot(found=1))
    lost = {"blob": "ab" * 32, "found": "damaged", "resource": SITE, "artifact": SITE}
    damaged = ["ab" * 32]
    shard = Shard("0-of-1", AT, 1, 10, damaged, unknown=["blobs/x"], unknown_files=1, lost=[lost])
    store.fixity.mkdir(parents=True)
    write_lines(store.fixity / "0-of-1.json", [shard])
    found = figures(store)
    named = (Lost(**lost),), ("blobs/x",)
    assert found.fixity == Fixity((Verified("0-of-1", AT, 1, 1, 0),), 1, AT, 1, 1, *named)
    assert found.needs[0].text == "The bytes of 1 artifact are damaged or missing on disk."
    assert found.needs[0].urgent


def test_nothing_is_said_twice_on_one_screen(tmp_path: Path) -> None:
    states = [
        state(SITE, "blocked", reason="http 403"),
        state(SITE + "b", "error", reason="http 500"),
        state(SITE + "c", owed=[SITE + "c.pdf"]),
    ]
    results = Results(tmp_path, states=states)
    results.add(SITE + "d.pdf", "pdf", "underivable")
    results.add(SITE + "e.pdf", "pdf", "waiting", reason="pdftotext is missing")
    found = figures(results.write(snapshot(found=3, vanished=1), remaining=1, put_off=1))
    assert [each.text for each in found.attention] == [
        "1 address answered with an error, or not at all.",
        "1 address was put off: the host did not answer.",
    ]
    names = {each.name: each for each in found.glance}
    for each in found.needs:
        if each.glance is not None:
            assert names[each.glance].level != Level.OK


def test_a_snapshot_that_is_lost_is_said_to_be(tmp_path: Path) -> None:
    store = Results(tmp_path, states=[state(SITE)]).write(snapshot(found=1))
    record(store, discovery())
    (only,) = figures(store).attention
    assert only.section == "over-time"
    assert only.text == (
        "1 point in time is not shown: "
        "the snapshot that stood then is not in the record, or is damaged."
    )


def test_a_password_in_a_reason_is_not_shown(tmp_path: Path) -> None:
    reason = "https://user:secret@town.example/ answered 503"
    store = Results(tmp_path).write(snapshot(outcome="failed", reason=reason, found=None))
    assert "secret" not in glance(store, "complete").sentence
