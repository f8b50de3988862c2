"""Members: the files inside archives and mails, as artifacts of their own.

A member is a part of the artifact that holds it. Its address is the holder's, `!/`, and its name;
its bytes come out of the holder's blob, never from the network.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import IO
from urllib.parse import quote

from centinel import addresses, kinds
from centinel.download import KEPT_IN_MEMORY, Body
from centinel.liveness import Refusal
from centinel.readers.containers import format_of
from centinel.readers.document import Document
from centinel.readers.entries import Bomb, Entry, Names, Raw, Unreadable
from centinel.record import TOO_LARGE, Liveness
from centinel.sources.source_kind import Parts

MARK = "!/"
"""Between a holder and its member, as in addresses of Java's archives; in a name it is encoded."""

DEEPEST = 3
"""Archives in archives: members of members of members are taken, and no further."""

MOST = 1_000
"""Members of one address, those in its inner archives included."""

TIMES_MAX_BYTES = 4
"""What the members of one address may come to in all, in limits of one artifact."""

_PACKAGES = frozenset({"META-INF/MANIFEST.MF", "AndroidManifest.xml", "doc.kml"})
"""Entries of programs and maps: zips that are one thing, and no archive of documents."""

_NUMBERS = count()
"""Of the files of this process: several holders' members wait side by side to be kept."""

_CHUNK = 4096
"""Bytes that are unpacked at once: those of bzip2 grow to 80 MB at worst."""


@dataclass(frozen=True)
class Holder:
    """An artifact whose bytes may hold members."""

    artifact: str
    path: Path
    kind: str


@dataclass(frozen=True)
class Room:
    """What is left of the bounds."""

    members: int
    size: int
    """Bytes of all members together."""
    largest: int
    """Bytes of one."""


@dataclass(frozen=True)
class Member:
    """The bytes of a member, and what it is called."""

    body: Body
    filename: str
    declared_type: str | None


def address_of(holder: str, name: str) -> str:
    """Returns the address of a holder's member."""
    return f"{holder}{MARK}{quote(name, errors='replace')}"


def holder_of(artifact: str) -> str | None:
    """Returns the address of what would hold an artifact, by its own; `None` where nothing."""
    holder, mark, _ = artifact.rpartition(MARK)
    return holder if mark else None


def holders_of(artifact: str) -> list[str]:
    """Returns what holds an artifact by its address, the innermost first."""
    found = []
    while (holder := holder_of(artifact)) is not None:
        found.append(holder)
        artifact = holder
    return found


def room(max_bytes: int, members: int = 0, size: int = 0) -> Room:
    """Returns the bounds of an address, less the members and bytes that it has already."""
    return Room(max(0, MOST - members), max(0, TIMES_MAX_BYTES * max_bytes - size), max_bytes)


def parts_of(holder: Holder, left: Room) -> Parts:
    """Returns the addresses of a holder's members; what was left out, and why, is in the notes.

    None where the bytes are a document, a bomb, or nothing that is known here. Members over the
    limit of one artifact are named: the answer about each is its own.
    """
    kept: list[Entry] = []
    out: Counter[str] = Counter()
    size, names, notes = 0, set[str](), list[str]()
    try:
        for entry in _entries(holder):
            names.add(entry.name)
            stated = entry.raw.size or 0
            counted = stated if stated <= left.largest else 0
            reason = entry.left_out or _no_room(left, len(kept), size + counted)
            if reason:
                out[reason] += 1
                continue
            size += counted
            kept.append(entry)
    except Bomb as bomb:
        return Parts(notes=(f"members not taken: {bomb}",))
    except Unreadable as error:
        notes.append(f"members taken as far as it could be read: {error}")
    if names & _PACKAGES:
        return Parts(notes=("members not taken: a package of a program or a map",))
    out["an unsafe name, made safe"] += sum(entry.is_renamed for entry in kept)
    out["a name that another has, made another"] += sum(entry.is_again for entry in kept)
    notes += [f"{number} members: {reason}" for reason, number in sorted(out.items()) if number]
    return Parts(tuple(address_of(holder.artifact, each.name) for each in kept), tuple(notes))


def _no_room(left: Room, taken: int, size: int) -> str | None:
    if taken >= left.members:
        return f"more than {MOST:,} of one address, not taken"
    return "more bytes in all than one address may hold, not taken" if size > left.size else None


def unpack(
    holder: Holder, wanted: Collection[str], largest: int, folder: Path
) -> Iterator[tuple[str, Member | Refusal]]:
    """Yields each wanted address with its member, or with why it cannot be had, in one pass.

    `largest` is in bytes; larger bodies than a mebibyte go to files in `folder`. Raises OSError
    for a fault of this machine.
    """
    left = dict.fromkeys(wanted)
    reason = "not in it"
    try:
        for entry in _entries(holder):
            address = address_of(holder.artifact, entry.name)
            if address in left:
                del left[address]
                yield address, _taken(entry, largest, folder / f"member-{next(_NUMBERS)}")
            if not left:
                return
    except (Bomb, Unreadable) as error:
        reason = str(error)
    for address in left:
        yield address, _refusal(reason)


def _refusal(reason: str, size: int | None = None, limit: int | None = None) -> Refusal:
    said = f"not unpacked: {reason}" if limit is None else reason
    return Refusal(Liveness.ERROR, said, size=size, limit=limit)


def _entries(holder: Holder) -> Iterator[Entry]:
    """Yields what a holder holds; nothing where its bytes are a document in a zip."""
    return Names().entries(_raws(holder))


def _raws(holder: Holder) -> Iterator[Raw]:
    if holder.kind == "mail":
        from centinel.readers.letters import attached

        return attached(holder.path)
    if format_of(Document(holder.path, holder.kind)) not in (None, "zip"):
        return iter(())
    from centinel.readers.packed import entries_of

    return entries_of(holder.path, addresses.file_name(holder.artifact))


def _taken(entry: Entry, largest: int, place: Path) -> Member | Refusal:
    from centinel.readers.packed import damage, is_damage

    raw = entry.raw
    if raw.fault or raw.open is None:
        return _refusal(raw.fault or "no file")
    if raw.size is not None and raw.size > largest:
        return _too_large(raw.size, largest)
    try:
        with raw.open() as stream:
            body = _body(stream, largest, place)
    except (Bomb, Unreadable) as error:
        return _refusal(str(error))
    except Exception as error:
        if not is_damage(error):
            raise
        return _refusal(damage(error))
    if body.size > largest:
        body.discard()
        return _too_large(body.size, largest)
    if raw.size is not None and body.size != raw.size:
        body.discard()
        return _refusal(f"damaged: {body.size} bytes of the {raw.size} that it states")
    declared = raw.declared_type if kinds.kind_of_type(raw.declared_type) else None
    return Member(body, entry.name.rpartition("/")[2], declared)


def _too_large(size: int, limit: int) -> Refusal:
    return _refusal(f"{TOO_LARGE}: {size} bytes or more, the limit is {limit}", size, limit)


def _body(stream: IO[bytes], largest: int, place: Path) -> Body:
    """Returns the bytes of a stream, cut behind `largest`."""
    digest, start, size = hashlib.sha256(), bytearray(), 0
    with ExitStack() as opened:
        file = None
        try:
            while size <= largest and (chunk := stream.read(_CHUNK)):
                digest.update(chunk)
                size += len(chunk)
                if size <= KEPT_IN_MEMORY:
                    start += chunk
                    continue
                if file is None:
                    place.parent.mkdir(parents=True, exist_ok=True)
                    file = opened.enter_context(place.open("wb", buffering=1 << 16))
                    file.write(start)
                file.write(chunk)
        except BaseException:
            place.unlink(missing_ok=True)
            raise
    return Body(place, digest.hexdigest(), size, bytes(start), is_in_memory=file is None)
