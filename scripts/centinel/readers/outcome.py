"""What came of reading one document, in memory and as JSON."""

from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Literal, Self

from centinel.record import Json

BEGINS, OUTCOME, FAULT = "begins", "outcome", "fault"
"""What a process that reads says: a reader begins, the document is read, a fault of the machine."""


@dataclass(frozen=True)
class Tried:
    """A reader that gave way; the version is `None` where it is not installed here."""

    reader: str
    reader_version: str | None
    reason: str


@dataclass(frozen=True)
class Outcome:
    """What came of reading one document. `reader` is the one that gave the text, or most of it."""

    outcome: Literal["text", "underivable", "waiting"]
    kind: str
    text: str | None = None
    reader: str | None = None
    reader_version: str | None = None
    readers_by_page: tuple[str | None, ...] = ()
    """The reader of each page where they differ, `None` for a page without text."""
    recovered_by_fallback: bool = False
    title: str | None = None
    chars: int = 0
    notes: tuple[str, ...] = ()
    reason: str | None = None
    tried: tuple[Tried, ...] = ()
    file: Path | None = None
    """Holds the text in place of `text`: it is too large for memory, or was read elsewhere."""
    beside: tuple[Path, ...] = ()
    """Files that go beside the text: under its name, with their own suffixes."""
    details: Json = field(default_factory=dict)
    """More of how the text was made: fields that stand beside those of every derivation."""

    def with_text_in(self, folder: Path) -> Self:
        """Returns the outcome with its text in a file of `folder`; raises OSError."""
        if self.text is None:
            return self
        file = folder / "text"
        file.write_bytes(self.text.encode("utf-8", "replace"))
        return replace(self, text=None, file=file)

    def with_text_in_memory(self) -> Self:
        """Returns the outcome with its text in `text`; raises OSError."""
        if self.file is None:
            return self
        return replace(self, text=self.file.read_bytes().decode("utf-8", "replace"), file=None)

    def to_json(self) -> Json:
        """Returns the outcome as JSON holds it."""
        return {
            **asdict(self),
            "file": None if self.file is None else str(self.file),
            "beside": [str(each) for each in self.beside],
        }

    @classmethod
    def from_json(cls, value: Json) -> Self:
        """Returns the outcome that `to_json` gave; raises KeyError and TypeError for others."""
        known = {each.name: value[each.name] for each in fields(cls)}
        return cls(
            **{
                **known,
                "readers_by_page": tuple(known["readers_by_page"]),
                "notes": tuple(known["notes"]),
                "tried": tuple(Tried(**each) for each in known["tried"]),
                "file": None if known["file"] is None else Path(known["file"]),
                "beside": tuple(Path(each) for each in known["beside"]),
            }
        )
