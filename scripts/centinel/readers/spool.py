"""Text that is written piece by piece: held while it is small, in a file when it is not."""

import os
import tempfile
from pathlib import Path

from centinel.readers.characters import removed_note, strip_data_uris
from centinel.readers.document import IN_MEMORY, Reading

_AT_ONCE = 1 << 20
"""Characters handed to the file in one piece, so that a row costs no call of its own."""


class Spool:
    """A text that grows; beyond `in_memory` characters it goes on in a file in `folder`.

    Whoever writes keeps to the characters of `characters.normalise`, and writes whole lines; data:
    URIs are taken out on the way to the file, since nobody has that text in one piece later.
    """

    def __init__(self, folder: Path, in_memory: int = IN_MEMORY) -> None:
        self._folder = folder
        self._most_held = in_memory
        self._held: list[str] = []
        self._held_size = 0
        self._file: Path | None = None
        self._removed = 0
        self._uris = 0

    def write(self, text: str) -> None:
        """Adds `text` to what was written."""
        self._held.append(text)
        self._held_size += len(text)
        if self._held_size > self._most_held:
            self._flush()

    def reading(self, title: str | None = None, notes: tuple[str, ...] = ()) -> Reading:
        """Returns the reading with this text, or with the file that holds it."""
        if self._file is None:
            return Reading("".join(self._held), title, notes)
        self._flush()
        removed = removed_note(self._removed, self._uris)
        return Reading("", title, (*notes, *([removed] if removed else [])), self._file)

    def discard(self) -> None:
        """Forgets what was written, the file included."""
        if self._file is not None:
            self._file.unlink(missing_ok=True)
        self._file, self._held, self._held_size = None, [], 0

    def _flush(self) -> None:
        if self._file is None:
            descriptor, name = tempfile.mkstemp(".md", "text-", self._folder)
            os.close(descriptor)
            self._file, self._most_held = Path(name), _AT_ONCE
        stripped = strip_data_uris("".join(self._held))
        self._removed += stripped.characters
        self._uris += stripped.uris
        with self._file.open("a", encoding="utf-8", errors="replace", newline="\n") as stream:
            stream.write(stripped.text)
        self._held, self._held_size = [], 0
