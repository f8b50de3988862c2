"""A list of JSON, element by element: each value with the bytes that it stands in."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from centinel.sources.platforms import values

_DECODER = json.JSONDecoder(strict=False)
_SPACE = re.compile(r"[ \t\n\r]*")


@dataclass
class Scan:
    """Reads a list of JSON element by element, and keeps each as it stands in the text.

    The list is the root, or stands in it under `name`. One that ends in the middle gives the
    elements before that.
    """

    text: str
    name: str | None = None
    elements: list[tuple[Any, str]] = field(default_factory=list)
    fault: str | None = None
    at: int = 0
    has_list: bool = False

    def run(self) -> None:
        """Reads on as far as it is JSON; raises Unreadable where there is no list at all."""
        try:
            self._root()
        except (ValueError, RecursionError) as error:
            self.fault = str(error)
        if not self.has_list:
            raise values.Unreadable(
                f"{values.CHANGED}: no list"
                + (f" {self.name!r}" if self.name else "")
                + (f" ({self.fault})" if self.fault else "")
            )

    def _root(self) -> None:
        if self._next() == "[":
            self._list()
            return
        self._expect("{")
        while self._next() != "}":
            key, self.at = _DECODER.raw_decode(self.text, self.at)
            self._expect(":")
            if self._next() == "[" and key == self.name:
                self._list()
            else:
                _, self.at = _DECODER.raw_decode(self.text, self.at)
            self._separator("}")

    def _list(self) -> None:
        self.has_list = True
        self._expect("[")
        while self._next() != "]":
            start = self.at
            value, self.at = _DECODER.raw_decode(self.text, start)
            self.elements.append((value, self.text[start : self.at]))
            self._separator("]")
        self._expect("]")

    def _next(self) -> str:
        """The next character that is no space; "" at the end."""
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.text[self.at : self.at + 1]

    def _expect(self, character: str) -> None:
        found = self._next()
        if found != character:
            raise ValueError(f"{found or 'the end'!r} instead of {character!r} at {self.at}")
        self.at += 1

    def _separator(self, end: str) -> None:
        """Steps over a comma; nothing but the end may stand there otherwise."""
        if self._next() == ",":
            self.at += 1
        elif self._next() != end:
            raise ValueError(f"no comma and no {end!r} at {self.at}")
