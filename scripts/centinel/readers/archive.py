"""The reader of archives: what is in them, by name, size and date.

What the members say stands in texts of their own, since each is an artifact of its own.
"""

from collections import Counter
from collections.abc import Iterator

from centinel.readers.containers import format_of
from centinel.readers.document import Document, FunctionReader, GaveWay, Reading
from centinel.readers.entries import MOST_LISTED, Bomb, Entry, Names, Unreadable

_CHUNK = 1 << 16


def read_archive(document: Document) -> Reading:
    """Returns the list of an archive's members; what is special about some is counted in notes.

    Raises `GaveWay` for bombs, for what is empty or cannot be opened, and for zips that are
    documents: those have readers of their own.
    """
    from centinel.readers.packed import entries_of

    office = format_of(document)
    if office not in (None, "zip"):
        raise GaveWay(f"a document in the format {office}, no archive of documents")
    lines: list[str] = []
    counts: Counter[str] = Counter()
    found, damage = 0, None
    try:
        for entry in Names().entries(entries_of(document.path)):
            found += 1
            counts.update(_remarks(entry))
            size = _size(entry)
            if found <= MOST_LISTED:
                lines.append(_line(entry, size))
    except Bomb as bomb:
        raise GaveWay(str(bomb)) from bomb
    except Unreadable as error:
        if not lines:
            raise GaveWay(str(error)) from error
        damage = f"listed up to where it could not be read: {error}"
    if not lines:
        raise GaveWay("the archive is empty")
    if found > MOST_LISTED:
        lines.append(f"\n{found - MOST_LISTED:,} more are not listed.")
        counts[f"more than {MOST_LISTED:,}: not listed"] = found - MOST_LISTED
    notes = [f"{count:,} entries: {what}" for what, count in sorted(counts.items())]
    return Reading("\n".join(lines), None, (*([damage] if damage else []), *notes))


def _remarks(entry: Entry) -> Iterator[str]:
    for remark, holds in (
        (entry.left_out, entry.left_out),
        (entry.raw.fault, entry.raw.fault),
        ("an unsafe name, made safe", entry.is_renamed),
        ("a name that another has", entry.is_again),
    ):
        if holds and remark:
            yield remark


def _size(entry: Entry) -> int | None:
    """Returns the bytes of an entry; where they are not stated they are counted.

    Raises `Bomb` and `Unreadable` for what is found on the way.
    """
    if entry.raw.size is not None or entry.raw.open is None or entry.left_out:
        return entry.raw.size
    from centinel.readers.packed import damage, is_damage

    size = 0
    try:
        with entry.raw.open() as stream:
            while chunk := stream.read(_CHUNK):
                size += len(chunk)
    except (Bomb, Unreadable):
        raise
    except Exception as error:
        if not is_damage(error):
            raise
        raise Unreadable(damage(error)) from error
    return size


def _line(entry: Entry, size: int | None) -> str:
    facts = (
        None if size is None else f"{size:,} bytes",
        entry.raw.modified,
        entry.raw.fault,
        entry.left_out,
    )
    said = ", ".join(fact for fact in facts if fact)
    name = entry.name.replace("`", "'")
    return f"- `{name}`, {said}" if said else f"- `{name}`"


archive = FunctionReader("archive", frozenset({"archive", "zip-container"}), read_archive)

READERS = (archive,)
