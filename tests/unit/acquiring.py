"""What the tests of acquire jobs share: pages, snapshots, and one run."""

from centinel.acquire import Loop
from centinel.record import Json, Resource
from centinel.store import Store
from tests.sites.server import Answer, Site
from tests.unit.support import PAGE, Clock, acquire, assert_valid, lines_of, source, write_snapshot

PDF = b"%PDF-1.7 fees"
DOCUMENT = Answer(PDF, "application/pdf")


def page(*documents: str) -> Answer:
    """A page that encloses documents."""
    links = "".join(f'<a href="{each}">x</a>' for each in documents)
    return Answer(f"<!doctype html><html><body>{links}</body></html>".encode(), PAGE)


def publish(store: Store, site: Site, *paths: str) -> None:
    """Puts a snapshot of these paths where acquire looks for it."""
    write_snapshot(store, [Resource(site.address + path) for path in sorted(paths)])


def run(
    store: Store, site: Site, clock: Clock | None = None, turn: int = 0, **changes: object
) -> tuple[Loop, Json]:
    """One acquire job over what is published."""
    return acquire(store, source(site.address + "/", **changes), clock or Clock(), turn)


def asked(site: Site) -> list[str]:
    """What was asked besides robots.txt."""
    return [path for path in site.paths() if path != "/robots.txt"]


def states(store: Store, site: Site) -> dict[str, Json]:
    """The lines of `resources.jsonl`, by path."""
    lines = lines_of(store.resources)
    assert_valid(lines, "resource_state")
    return {line["address"].removeprefix(site.address): line for line in lines}
