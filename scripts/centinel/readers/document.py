"""What a reader is given, what it gives, and how it says that it gives way."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from centinel.signatures import HEAD

IN_MEMORY = 32 << 20
"""Characters of text that a reader may hold; what is longer goes to a file, line by line."""


@dataclass(frozen=True)
class Document:
    """One verified blob, with what its server said of it."""

    path: Path
    kind: str
    declared_type: str | None = None
    """The Content-Type header as served, parameters included."""
    scratch: Path = field(default_factory=lambda: Path(tempfile.gettempdir()), compare=False)
    """A folder for what is too large for memory; whoever gave it empties it."""
    languages: tuple[str, ...] = ("eng",)
    """What it may be written in, in tesseract's codes, for readers that must know."""

    shared: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """What readers of one family make of it once."""

    @cached_property
    def head(self) -> bytes:
        """The first bytes, the evidence that signatures are looked for in."""
        with self.path.open("rb") as stream:
            return stream.read(HEAD)

    @cached_property
    def data(self) -> bytes:
        """The whole bytes. Large tabular readers stream from `path` instead."""
        return self.path.read_bytes()


@dataclass(frozen=True)
class Reading:
    """What one reader made of a document: markdown, and what it noticed."""

    text: str
    title: str | None = None
    """The document's own title, without marks; `None` where it has none."""
    notes: tuple[str, ...] = ()
    file: Path | None = None
    """Stands for `text` where that is too large for memory (over `IN_MEMORY` characters): UTF-8
    with the line ends and characters of `characters.normalise`, in the document's `scratch`."""


class GaveWay(Exception):
    """A reader has nothing to say of this document; the message is its reason, in one line."""


class HoldsNothing(GaveWay):
    """Nothing is in the document for any reader: those that are not installed are not awaited."""


class Reader(Protocol):
    """One way to turn a kind into markdown. Elements of `registry.READERS`."""

    @property
    def name(self) -> str:
        """What stands for it in `config/pipeline.yaml`."""
        ...

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds for which it may stand there."""
        ...

    @property
    def distribution(self) -> str:
        """The installed distribution whose version is the reader's; `centinel` for our own."""
        ...

    @property
    def modules(self) -> tuple[str, ...]:
        """Modules that must be importable for the reader to be at hand."""
        ...

    @property
    def programs(self) -> tuple[str, ...]:
        """Programs that must be installed too; the first one's version is then the reader's."""
        ...

    @property
    def install(self) -> str:
        """The command that makes it available where it is not."""
        ...

    def read(self, document: Document) -> Reading:
        """Returns the reading; raises `GaveWay` with the reason where there is none."""
        ...


@dataclass(frozen=True)
class FunctionReader:
    """A `Reader` made of one function."""

    name: str
    kinds: frozenset[str]
    function: Callable[[Document], Reading]
    distribution: str = "centinel"
    modules: tuple[str, ...] = ()
    install: str = "make setup"
    programs: tuple[str, ...] = ()

    def read(self, document: Document) -> Reading:
        """Returns what the function returns; raises what it raises, `GaveWay` above all."""
        return self.function(document)


def has_text(text: str | None) -> bool:
    """The one predicate for "produced something": text that is not only white space."""
    return text is not None and text.strip() != ""
