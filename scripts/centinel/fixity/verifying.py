"""Compares a shard of the blobs with their hashes and with the record, and keeps what it found.

What is found damaged is set aside under another name before anybody says so: from then on nobody
reads it, and whoever asks its address gets the bytes anew. A kill after that leaves a blob that is
missing, with its damaged bytes beside it, which the next verification says.
"""

import errno
import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count

from centinel.files import read_json, sync, write_json
from centinel.fixity import rereading
from centinel.fixity.findings import MOST_NAMED, Lost, Shard
from centinel.fixity.listing import Entry, Found, files_of, is_hash, is_of
from centinel.journal import Journal, now, read_record
from centinel.progress import Progress
from centinel.record import FixityCheck, Json, Observation, timestamp
from centinel.store import Store

_CHUNK = 1 << 20

FEW = 32
"""So many blobs of a shard may all be missing before a disk that is not mounted is the likely
reason, and asking for all of them again the wrong answer."""

_UNREADABLE = frozenset({errno.EIO, errno.EBADMSG, errno.EUCLEAN})
"""What a disk says of bytes that it lost; other faults end the job, since they are no damage."""


@dataclass
class Compared:
    """What one walk over a shard found; nothing is changed yet."""

    shard: str
    files: int = 0
    bytes: int = 0
    damaged: list[str] = field(default_factory=list)
    missing: set[str] = field(default_factory=set)
    """Blobs that the record named, until they are found."""
    unknown: dict[str, str] = field(default_factory=dict)
    """Files that the record did not name, by path; with the hash that a blob's name says."""
    set_aside: dict[str, int] = field(default_factory=dict)
    """By hash, how many damaged files lie beside its place."""


def compare(
    store: Store, shard: str, progress: Progress | None = None, *, all_lost: bool = False
) -> Compared:
    """Hashes every blob of a shard and looks for those that the record names.

    Needs no lock and changes nothing. Raises OSError for a fault of this machine, and where no blob
    is there at all, unless it is known that they are `all_lost`.
    """
    made = Compared(shard, missing=_named(store, shard))
    for entry in files_of(store, shard):
        _KEEPERS[entry.found](made, entry)
        if progress:
            said = {"damaged": len(made.damaged), "unknown": len(made.unknown)}
            progress.maybe(made.files, len(made.missing), said)
    if not made.files and len(made.missing) > FEW and not all_lost:
        what = f"none of {len(made.missing)} blobs is there"
        fix = "mount their disk, or, where they are lost, add --config 'verify={all_lost: true}'"
        raise OSError(errno.ENOENT, f"{what}: {fix}", str(store.blobs))
    return made


def _named(store: Store, shard: str) -> set[str]:
    """The blobs of a shard that observations name."""
    return {line["blob"] for line in _observations(store) if is_of(line["blob"], shard)}


def _observations(store: Store) -> Iterator[Json]:
    """The record's observations; one without a hash is named as torn where the record is read."""
    for line in read_record(store):
        if line.get("type") == Observation.TYPE and is_hash(line.get("blob")):
            yield line


def _blob(made: Compared, entry: Entry) -> None:
    try:
        found, size = _hash(entry.path)
    except FileNotFoundError:
        return  # renamed meanwhile, by a job that outlived its run: looked for again as missing
    made.files += 1
    made.bytes += size
    if found != entry.name:
        made.damaged.append(entry.name)
    elif entry.name not in made.missing:
        made.unknown[entry.path] = entry.name
    made.missing.discard(entry.name)


def _hash(path: str) -> tuple[str | None, int]:
    """The SHA-256 of a file and its size in bytes; None where the disk lost some of them."""
    digest, size = hashlib.sha256(), 0
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        while chunk := os.read(descriptor, _CHUNK):
            digest.update(chunk)
            size += len(chunk)
    except OSError as error:
        if error.errno not in _UNREADABLE:
            raise
        return None, size
    finally:
        os.close(descriptor)
    return digest.hexdigest(), size


def _set_aside(made: Compared, entry: Entry) -> None:
    made.set_aside[entry.name] = made.set_aside.get(entry.name, 0) + 1


def _unknown(made: Compared, entry: Entry) -> None:
    made.unknown[entry.path] = ""


_KEEPERS: dict[Found, Callable[[Compared, Entry], None]] = {
    Found.BLOB: _blob,
    Found.SET_ASIDE: _set_aside,
    Found.UNKNOWN: _unknown,
}


def settle(store: Store, found: Compared, turn: int, clock: Callable[[], datetime] = now) -> Shard:
    """Sets aside what is damaged, says in the record what was found, and keeps it for the report.

    Use it under the record's lock: what others wrote meanwhile is neither missing nor unknown.
    """
    damaged = {each for each in found.damaged if not _is_intact(store, each)}
    _put_aside(store, sorted(damaged))
    missing = {each for each in found.missing if not store.has_blob(each)}
    damaged |= {each for each in missing if each in found.set_aside}
    missing -= damaged
    lost, unknown = _told(store, damaged, missing, found.unknown)
    at = clock()
    made = Shard(
        shard=found.shard,
        verified_at=timestamp(at),
        files=found.files,
        bytes=found.bytes,
        damaged=sorted(damaged),
        missing=sorted(missing),
        unknown=unknown[:MOST_NAMED],
        unknown_files=len(unknown),
        set_aside=sum(found.set_aside.values()) + len(damaged - found.set_aside.keys()),
        lost=[each.to_json() for each in lost],
        turn=turn,
    )
    if lost:
        _make_due(store, made.verified_at)
        rereading.forget_unread(store, damaged | missing)
    _say(store, made, at)
    write_json(store.fixity_file(found.shard), made.to_json())
    return made


def _is_intact(store: Store, sha256: str) -> bool:
    """Looks once more, since a good blob must not be set aside for a fault of the memory."""
    try:
        return _hash(f"{store.blob(sha256)}")[0] == sha256
    except FileNotFoundError:
        return True  # renamed meanwhile


def _put_aside(store: Store, blobs: list[str]) -> None:
    """Renames damaged blobs, beside those of earlier times, so that none of them is overwritten."""
    for sha256 in blobs:
        places = (store.damaged_blob(sha256, number) for number in count(1))
        place = next(each for each in places if not os.path.lexists(each))
        store.blob(sha256).rename(place)
    for folder in {store.blob(sha256).parent for sha256 in blobs}:
        sync(folder)


def _told(
    store: Store, damaged: set[str], missing: set[str], unknown: dict[str, str]
) -> tuple[list[Lost], list[str]]:
    """Whose bytes are lost, and which files nobody named even now, relative to the source."""
    lost: dict[tuple[str, str], Lost] = {}
    named: set[str] = set()
    of_blobs = set(unknown.values())
    for line in _observations(store) if damaged or missing or of_blobs else ():
        blob = line["blob"]
        if blob in damaged or blob in missing:
            said = "damaged" if blob in damaged else "missing"
            lost[blob, line["artifact"]] = Lost(blob, said, line["resource"], line["artifact"])
        if blob in of_blobs:
            named.add(blob)
    start = len(f"{store.root}/")
    left = sorted(path[start:] for path, blob in unknown.items() if blob not in named)
    return [lost[key] for key in sorted(lost)], left


def _make_due(store: Store, at: str) -> None:
    """Has the next plain run ask: before the record says what is lost, so that a kill between the
    two costs a run that finds nothing to do, and never one that was needed."""
    state = read_json(store.acquire_state)
    if state is not None:
        write_json(store.acquire_state, {**state, "next_due": at})


def _say(store: Store, made: Shard, at: datetime) -> None:
    journal = Journal(store)
    line = FixityCheck(
        at=made.verified_at,
        shard=made.shard,
        files=made.files,
        bytes=made.bytes,
        damaged=made.damaged,
        missing=made.missing,
        unknown=made.unknown_files,
        lost=made.lost,
    )
    journal.add(at, line)
    journal.commit()
