"""What the tests of fixity share: stores with blobs that a record names, and one verification."""

from pathlib import Path

from centinel.fixity import Shard
from centinel.fixity.verifying import compare, settle
from centinel.journal import Journal
from centinel.store import Store
from tests.unit.support import Clock, observation, sha256


def keep(store: Store, bodies: dict[str, bytes]) -> dict[str, str]:
    """Puts bodies into the store as observations of addresses; returns the blob of each."""
    clock = Clock()
    journal = Journal(store, clock)
    for address, body in bodies.items():
        line = observation(address, blob=sha256(body), size=len(body))
        journal.add(clock(), line, body)
    journal.commit()
    return {address: sha256(body) for address, body in bodies.items()}


def verified(
    store: Store, clock: Clock | None = None, shard: str = "0-of-1", turn: int = 0
) -> Shard:
    """One verification of a shard."""
    return settle(store, compare(store, shard), turn, clock or Clock())


def flip(path: Path) -> bytes:
    """Changes one bit of a file; returns what it has then."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    return bytes(content)


def tree(store: Store) -> dict[str, bytes]:
    """Every file among the blobs, by its path."""
    files = (path for path in store.blobs.rglob("*") if path.is_file())
    return {path.relative_to(store.blobs).as_posix(): path.read_bytes() for path in files}
