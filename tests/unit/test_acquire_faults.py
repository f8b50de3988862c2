"""What goes wrong while acquiring costs what it has to and no more, and is said."""

import sqlite3
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from centinel import acquire as module
from centinel.answers import Answer as Given
from centinel.answers import Fetched
from centinel.configuration import Source
from centinel.history import replay
from centinel.http import Client
from centinel.journal import Journal
from centinel.record import Json, Resource, timestamp
from centinel.sources.source_kind import Parts
from centinel.sources.website import Website
from centinel.store import Store
from tests.sites.server import Answer, Request, Site
from tests.unit.support import (
    NOON,
    PAGE,
    Clock,
    acquire,
    lines_of,
    observation,
    observed_in,
    record_of,
    sha256,
    source,
    statuses_of,
    write_snapshot,
)


def publish(store: Store, *addresses: str) -> None:
    """Puts a snapshot where acquire looks for it."""
    write_snapshot(store, [Resource(address) for address in addresses])


def pages(site: Site, *names: str) -> list[str]:
    """Serves pages of these names; returns their addresses."""
    for name in names:
        site.set(f"/{name}", Answer(name.encode(), PAGE))
    return [f"{site.address}/{name}" for name in names]


class Odd(Website):
    """A source whose addresses with an odd name raise."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def fetch(
        self, source: Source, client: Client, artifact: str, validators: Mapping[str, str]
    ) -> Given:
        """Raises for odd addresses."""
        if "odd" in artifact:
            raise self.error
        return super().fetch(source, client, artifact, validators)


class OddParts(Website):
    """A source whose pages cannot be scanned."""

    def parts(
        self,
        source: Source,  # noqa: ARG002
        resource: Resource,  # noqa: ARG002
        fetched: Fetched,  # noqa: ARG002
        kind: str,  # noqa: ARG002
    ) -> Parts:
        """Raises for every page."""
        raise ValueError("odd markup")


# One odd input


def test_what_is_unexpected_is_a_failure_of_that_one_address(store: Store, site: Site) -> None:
    publish(store, *pages(site, "a", "odd", "z"))
    acquire(store, source(site.address), Clock(), kind=Odd(ValueError("odd\ninput")))
    assert observed_in(store) == [f"{site.address}/a", f"{site.address}/z"]
    status = statuses_of(store)[f"{site.address}/odd"]
    assert (status["liveness"], status["consecutive_failures"]) == ("error", 1)
    assert status["reason"].startswith("unexpected: ValueError: odd")


def test_a_page_whose_parts_cannot_be_found_is_kept_and_that_is_noted(
    store: Store, site: Site
) -> None:
    publish(store, *pages(site, "a", "b"))
    acquire(store, source(site.address), Clock(), kind=OddParts())
    lines = record_of(store)
    assert [line["type"] for line in lines] == ["observation", "observation"]
    assert lines[0]["notes"] == ["parts not found: unexpected: ValueError: odd markup"]
    assert store.blob(sha256(b"a")).exists()


def test_odd_headers_of_a_stranger_end_nothing(store: Store, site: Site) -> None:
    odd = (("Content-Disposition", "attachment; filename*=idna''%FF"), ("X", "\xff\xfe"))
    site.set("/a", Answer(b"a", "\xff/\xfe; charset=\x01".replace("\x01", ""), headers=odd))
    publish(store, f"{site.address}/a", *pages(site, "b"))
    acquire(store, source(site.address), Clock())
    assert len(observed_in(store)) == 2
    assert lines_of(store.artifacts)[0]["filename"] is None


def test_passwords_in_a_reason_are_masked(store: Store, site: Site) -> None:
    publish(store, *pages(site, "odd"))
    kind = Odd(ValueError("at https://clerk:hunter2@town.example/"))
    acquire(store, source(site.address), Clock(), kind=kind)
    assert "hunter2" not in statuses_of(store)[f"{site.address}/odd"]["reason"]


# Faults of this machine


def test_a_fault_of_this_machine_stops_and_what_was_committed_stands(
    store: Store, site: Site
) -> None:
    publish(store, *pages(site, "a", "odd", "z"))
    full = OSError(28, "No space left on device")
    with pytest.raises(OSError, match="No space left"):
        acquire(store, source(site.address), Clock(), kind=Odd(full))
    assert observed_in(store) == [f"{site.address}/a"]
    assert store.blob(sha256(b"a")).read_bytes() == b"a"
    assert not store.acquire_state.exists()
    acquire(store, source(site.address), Clock())
    assert observed_in(store) == [f"{site.address}/{name}" for name in ("a", "odd", "z")]


def test_a_disk_that_is_full_once_while_bytes_are_named_loses_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = Journal(store)
    real, left = Path.rename, [1]

    def rename(self: Path, target: Path) -> Path:
        if not left.pop():
            raise OSError(28, "No space left on device")
        left.append(0)
        return real(self, target)

    for name in ("a", "b", "c"):
        observe(written, name)
    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(OSError, match="No space left"):
        written.commit()
    assert record_of(store) == []
    monkeypatch.setattr(Path, "rename", real)
    written.commit()
    assert observed_in(store) == ["a", "b", "c"]
    assert all(store.blob(sha256(name.encode())).exists() for name in "abc")


def observe(written: Journal, name: str) -> None:
    """Adds an observation with its bytes."""
    body = written.store.incoming / name
    body.parent.mkdir(parents=True, exist_ok=True)
    body.write_bytes(name.encode())
    written.add(NOON, observation(name, blob=sha256(name.encode())), body)


def test_bodies_that_a_killed_job_left_are_removed(store: Store, site: Site) -> None:
    store.incoming.mkdir(parents=True)
    (store.incoming / "4711-1").write_bytes(b"half a body")
    publish(store)
    acquire(store, source(site.address), Clock())
    assert list(store.incoming.iterdir()) == []


def test_torn_lines_of_the_record_are_said(store: Store, site: Site) -> None:
    publish(store, *pages(site, "a"))
    acquire(store, source(site.address), Clock())
    with store.record_month(NOON).open("ab") as stream:
        stream.write(b'{"type":"status"')
    _, state = acquire(store, source(site.address), Clock())
    assert state["torn"] == [f"record/{NOON:%Y-%m}.jsonl:2"]


# The end of the run


def test_a_signal_ends_the_run_with_what_it_has(store: Store, site: Site) -> None:
    stop = threading.Event()

    def end(_request: Request) -> Answer:
        stop.set()
        return Answer(b"b", PAGE)

    addresses = pages(site, "a", "b", "c")
    site.set("/b", end)
    publish(store, *addresses)
    _, state = acquire(store, source(site.address), Clock(), turn=2, stop=stop)
    assert observed_in(store) == [addresses[0]]
    assert [line["artifact"] for line in lines_of(store.artifacts)] == [addresses[0]]
    assert (state["turn"], state["remaining"]) == (3, 2)
    assert state["warnings"] == ["ended by a signal: the next run goes on"]
    assert statuses_of(store) == {}
    assert list(store.incoming.iterdir()) == []


def test_a_run_that_ends_between_a_page_and_its_document_leaves_it_to_the_next(
    store: Store, site: Site
) -> None:
    stop = threading.Event()

    def end(_request: Request) -> Answer:
        stop.set()
        return Answer(b"%PDF-1.7", "application/pdf")

    site.set("/page", Answer(b'<a href="/fees.pdf">x</a>', PAGE))
    site.set("/fees.pdf", end)
    publish(store, f"{site.address}/page")
    _, state = acquire(store, source(site.address), Clock(), stop=stop)
    assert (state["turn"], state["remaining"]) == (1, 1)
    assert lines_of(store.resources)[0]["owed"] == [f"{site.address}/fees.pdf"]
    acquire(store, source(site.address), Clock())
    assert site.asked("/page") == 1
    assert observed_in(store) == [f"{site.address}/page", f"{site.address}/fees.pdf"]


# Hosts that do not answer


def deaf_run(store: Store, site: Site, others: list[str], **changes: object) -> Json:
    """A run over eight addresses that are not answered, and others."""
    deaf = [f"{site.address}/{number}" for number in range(8)]
    for address in deaf:
        site.set(address.removeprefix(site.address), Answer(reset=True))
    publish(store, *deaf, *others)
    _, state = acquire(store, source(site.address, **changes), Clock())
    return state


def test_a_host_that_does_not_answer_is_put_off_after_five_addresses(
    store: Store, site: Site
) -> None:
    with Site() as other:
        state = deaf_run(store, site, pages(other, "a", "b"))
        assert observed_in(store) == [f"{other.address}/a", f"{other.address}/b"]
    failed = [f"{site.address}/{number}" for number in range(5)]
    assert list(statuses_of(store)) == failed
    assert (state["put_off"], state["remaining"]) == (3, 3)
    assert state["warnings"] == ["3 addresses were put off: their host did not answer"]


def test_what_was_put_off_is_not_recorded_and_comes_back_in_an_hour(
    store: Store, site: Site
) -> None:
    state = deaf_run(store, site, [])
    assert state["turn"] == 0
    assert state["next_due"] == timestamp(NOON + module.PUT_OFF)
    assert [line["liveness"] for line in lines_of(store.resources)] == ["error"] * 5 + [None] * 3
    assert len(replay(store).artifacts) == 5


def test_an_answer_of_any_kind_shows_that_a_host_is_there(store: Store, site: Site) -> None:
    names = [f"{number:02}" for number in range(12)]
    publish(store, *pages(site, *names))
    for number in range(12):
        site.set(f"/{number:02}", Answer(status=404) if number % 5 == 4 else Answer(reset=True))
    _, state = acquire(store, source(site.address), Clock())
    assert (state["put_off"], state["counts"]["asked"]) == (0, 12)


def test_documents_of_a_host_that_fell_silent_are_put_off_too(store: Store, site: Site) -> None:
    links = "".join(f'<a href="/{number}.pdf">x</a>' for number in range(8))
    site.set("/page", Answer(links.encode(), PAGE))
    for number in range(8):
        site.set(f"/{number}.pdf", Answer(reset=True))
    publish(store, f"{site.address}/page")
    _, state = acquire(store, source(site.address), Clock())
    assert len(statuses_of(store)) == 5
    assert (state["put_off"], len(lines_of(store.resources)[0]["owed"])) == (3, 8)


def test_a_host_whose_rules_cannot_be_had_is_put_off(store: Store, site: Site) -> None:
    site.set("/robots.txt", Answer(reset=True))
    publish(store, *pages(site, *"abcdefgh"))
    _, state = acquire(store, source(site.address), Clock())
    assert state["put_off"] == 3
    assert set(site.paths()) == {"/robots.txt"}


def test_damage_to_the_index_that_nobody_saw_costs_one_run(store: Store, site: Site) -> None:
    publish(store, *pages(site, "a", "b"))
    acquire(store, source(site.address), Clock())
    index = sqlite3.connect(store.index)
    index.execute("UPDATE entries SET asked = x'7b'")
    index.commit()
    index.close()
    with pytest.raises(ValueError, match="unexpected end of data"):
        acquire(store, source(site.address), Clock())
    site.forget_requests()
    _, state = acquire(store, source(site.address), Clock())
    assert state["remaining"] == 0
    assert site.paths() == []


# Memory


def test_the_history_keeps_only_the_headers_that_are_asked_again(store: Store, site: Site) -> None:
    site.set("/a", Answer(b"a", PAGE, headers=(("X-Large", "x" * 5000),)))
    publish(store, f"{site.address}/a")
    loop, _ = acquire(store, source(site.address), Clock())
    seen = loop.history.observed(f"{site.address}/a")
    assert seen is not None
    assert set(seen.headers) == {"etag", "last-modified"}
    assert record_of(store)[0]["headers"]["x-large"] == "x" * 5000
