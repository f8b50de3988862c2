"""The cues of TTML and DFXP (W3C Timed Text Markup Language 2)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from centinel.readers.document import GaveWay
from centinel.readers.timed_text import Cue

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_CLOCK = re.compile(r"(\d+):(\d\d):(\d\d(?:\.\d+)?)(?::(\d+(?:\.\d+)?))?")
_OFFSET = re.compile(r"(\d+(?:\.\d+)?)(h|ms|m|s|f|t)")
_TIMED = ("body", "div", "p", "span")
_XML_ID = "{http://www.w3.org/XML/1998/namespace}id"


@dataclass(frozen=True)
class Timed:
    """The cues of a document, and how many of its texts have no time that could be read."""

    cues: tuple[Cue, ...]
    broken: int = 0
    note: str | None = None


@dataclass(frozen=True)
class _Clock:
    """How a document counts: frames and ticks a second (its root's `ttp:` attributes)."""

    frames: float
    ticks: float

    def seconds(self, text: str | None) -> float | None:
        """Returns the seconds of a time expression (section 12.3.1), `None` where it is none."""
        text = (text or "").strip()
        if match := _CLOCK.fullmatch(text):
            whole = int(match[1]) * 3600 + int(match[2]) * 60 + float(match[3])
            return whole + float(match[4] or 0) / self.frames
        if match := _OFFSET.fullmatch(text):
            units = {"h": 3600, "m": 60, "s": 1, "ms": 0.001}
            units |= {"f": 1 / self.frames, "t": 1 / self.ticks}
            return float(match[1]) * units[match[2]]
        return None


def read_ttml(text: str) -> Timed:
    """Returns the cues of a document, their times those of all elements around them added up.

    Raises `GaveWay` where nothing of it can be parsed, or where it is another kind of XML.
    Entities are not expanded and nothing is fetched.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=True,
        encoding="utf-8",
        remove_comments=True,
        remove_pis=True,
    )
    root = etree.fromstring(_DECLARATION.sub("", text, count=1).encode("utf-8", "replace"), parser)
    if root is None:
        raise GaveWay("not XML")
    if _name(root) != "tt":
        raise GaveWay(f"XML of <{_name(root)}>, no timed text")
    reader = _Reader(_clock(root), _agents(root))
    cues = tuple(reader.cues(root, 0.0, None, None))
    damaged = "not well-formed XML: what could be parsed of it" if len(parser.error_log) else None
    return Timed(cues, reader.broken, damaged)


@dataclass
class _Reader:
    clock: _Clock
    agents: dict[str, str]
    broken: int = 0

    def cues(
        self, element: "Element", start: float, end: float | None, speaker: str | None
    ) -> Iterator[Cue]:
        """Yields the cues under an element that itself begins and ends at these seconds."""
        for child in element:
            if _name(child) not in _TIMED:
                continue
            began, ended = self._times(child, start, end)
            named = self.agents.get(_attribute(child, "agent") or "") or speaker
            if _name(child) != "p":
                yield from self.cues(child, began, ended, named)
                continue
            if ended is not None:
                yield Cue(began, max(began, ended), _text(child), named)
                continue
            spans = list(self.spans(child, began, named))
            self.broken += not spans and bool(_text(child).strip())
            yield from spans

    def spans(self, paragraph: "Element", start: float, speaker: str | None) -> Iterator[Cue]:
        """Yields the cues of a paragraph whose spans alone have times."""
        for child in paragraph:
            began, ended = self._times(child, start, None)
            if ended is not None:
                named = self.agents.get(_attribute(child, "agent") or "") or speaker
                yield Cue(began, max(began, ended), _text(child), named)
            elif _text(child).strip():
                self.broken += 1

    def _times(
        self, element: "Element", start: float, end: float | None
    ) -> tuple[float, float | None]:
        """Returns when an element begins and ends; its own times count from its parent's start."""
        began = self.clock.seconds(element.get("begin"))
        length = self.clock.seconds(element.get("dur"))
        stop = self.clock.seconds(element.get("end"))
        own = start + (began or 0.0)
        if length is not None:
            return own, own + length
        if stop is not None:
            return own, start + stop
        return own, own if end is None and began is not None else end


def _clock(root: "Element") -> _Clock:
    rate = _number(_attribute(root, "frameRate"), 30.0)
    factors = [
        _number(each, 1.0) for each in (_attribute(root, "frameRateMultiplier") or "").split()
    ]
    if len(factors) == 2:
        rate *= factors[0] / factors[1]
    default = rate if _attribute(root, "frameRate") else 1.0
    return _Clock(rate, _number(_attribute(root, "tickRate"), default))


def _number(text: str | None, default: float) -> float:
    try:
        value = float(text or "")
    except ValueError:
        return default
    return value if 0 < value < 1e12 else default


def _agents(root: "Element") -> dict[str, str]:
    """Returns the names of the speakers that the head lists, by their ids."""
    found = {}
    for agent in root.iter("{*}agent"):
        names = [
            " ".join("".join(map(str, name.itertext())).split()) for name in agent.iter("{*}name")
        ]
        if names and names[0]:
            found[agent.get(_XML_ID) or ""] = names[0]
    found.pop("", None)
    return found


def _attribute(element: "Element", name: str) -> str | None:
    """Returns an attribute by its local name: four drafts of TTML have four namespaces."""
    return next(
        (
            str(value)
            for key, value in element.attrib.items()
            if str(key).rpartition("}")[2] == name
        ),
        None,
    )


def _name(element: "Element") -> str:
    return str(element.tag).rpartition("}")[2]


def _text(element: "Element") -> str:
    """Returns what an element shows, one line a `<br/>`; metadata show nothing."""
    pieces = [element.text or ""]
    for child in element:
        if _name(child) == "br":
            pieces.append("\n")
        elif _name(child) == "span":
            pieces.append(_text(child))
        pieces.append(child.tail or "")
    lines = "".join(" ".join(piece.split("\n")) if piece != "\n" else piece for piece in pieces)
    return "\n".join(" ".join(line.split()) for line in lines.split("\n")).strip()
