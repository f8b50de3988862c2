"""What is said of the pages of a document: who read them, what was passed over, what is left."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from centinel.readers.document import has_text

_Key = TypeVar("_Key")

_NO_TEXT = "no_text"
"""What a reader says of a page of which it sees nothing: no doubt about what another reads."""

UNSURE = 60
"""Mean confidence, of 100, below which a page that OCR read is named."""


@dataclass
class Page:
    """One page, as far as it is decided."""

    number: int
    """From 1, as people count."""
    text: str
    reader: str | None
    passed_over: tuple[tuple[str, str], ...] = ()
    """Readers whose text does not stand, each with the reason."""
    taken_for: str | None = None
    """What a reader saw that it could not read: `scanned`, `vector_text`."""
    is_bare: bool = False
    """It has less text than a page with a picture should: none, or a stamp."""
    was_asked: bool = False
    """A reader of last resort has looked at it."""
    confidence: float | None = None
    """How sure that reader is of what it recognised, 0 to 100."""
    is_recognised: bool = False
    """Its text is what that reader recognised."""

    @property
    def is_open(self) -> bool:
        """Whether something stands on it that nobody has read yet."""
        return self.is_bare and self.taken_for is not None and not self.was_asked


def ranges(numbers: Sequence[int]) -> str:
    """Returns "page 3" or "pages 1-3, 7": a scanned book of 400 pages is one range."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and parts[-1][-1] == number - 1:
            parts[-1][-1] = number
        else:
            parts.append([number, number])
    words = [f"{low}-{high}" if high > low else f"{low}" for low, high in parts]
    return f"page{'s' if len(numbers) > 1 else ''} {', '.join(words)}"


def on_reading(pages: Sequence[Page]) -> list[str]:
    """Returns who read which pages where they differ, and what is doubtful in what was read."""
    by_reader = _grouped((page.reader, page.number) for page in pages if page.reader)
    notes = []
    if len(by_reader) > 1:
        notes.append("; ".join(f"{ranges(numbers)} by {name}" for name, numbers in by_reader))
    read = [page for page in pages if page.reader and not page.was_asked]
    over = _grouped((why, page.number) for page in read for why in page.passed_over)
    notes += [f"{name}: {why} on {ranges(numbers)}" for (name, why), numbers in over]
    doubted = _grouped(
        (page.taken_for, page.number)
        for page in read
        if page.taken_for not in (None, _NO_TEXT) and not page.is_open
    )
    notes += [f"{ranges(numbers)} may be read badly or in part ({why})" for why, numbers in doubted]
    lost = sum(page.text.count("\ufffd") for page in pages)
    if lost:
        notes.append(f"encoding trouble: {lost} characters without a meaning")
    return [*notes, *_on_confidence(pages)]


def on_silence(pages: Sequence[Page], left_because: Sequence[str]) -> list[str]:
    """Returns which pages have no text, and why what stands on them was not recognised."""
    of = f" of {len(pages)}"
    notes = []
    still_open = [page for page in pages if page.is_open]
    if still_open:
        words = sorted({page.taken_for for page in still_open if page.taken_for})
        need = "need" if len(still_open) > 1 else "needs"
        which = ranges([page.number for page in still_open])
        note = f"{which}{of} {need} OCR ({', '.join(words)})"
        notes.append(": ".join((note, *left_because)))
    silent = [page for page in pages if not has_text(page.text) and not page.is_open]
    illegible = [page for page in silent if page.confidence is not None]
    for also, these in (
        ("", [page for page in silent if not page.was_asked]),
        (", by OCR neither", [page for page in silent if page.was_asked and page not in illegible]),
        (f", and by OCR nothing legible ({_mean_confidence(illegible)})", illegible),
    ):
        if these:
            notes.append(f"no text on {ranges([page.number for page in these])}{of}{also}")
    return notes


def _on_confidence(pages: Sequence[Page]) -> list[str]:
    recognised = [page for page in pages if page.is_recognised]
    if not recognised:
        return []
    unsure = [page.number for page in recognised if (page.confidence or 0.0) < UNSURE]
    low = f", below {UNSURE} on {ranges(unsure)}" if unsure else ""
    words = sorted({page.taken_for for page in recognised if page.taken_for})
    why = f" ({', '.join(words)})" if words else ""
    which = ranges([page.number for page in recognised])
    return [f"OCR of {which}{why}: {_mean_confidence(recognised)}{low}"]


def _mean_confidence(pages: Sequence[Page]) -> str:
    mean = sum(page.confidence or 0.0 for page in pages) / max(1, len(pages))
    return f"mean confidence {mean:.0f} of 100"


def _grouped(pairs: Iterable[tuple[_Key, int]]) -> list[tuple[_Key, list[int]]]:
    groups: dict[_Key, list[int]] = {}
    for key, number in pairs:
        groups.setdefault(key, []).append(number)
    return list(groups.items())
