"""What may stand in a text: line ends, control characters, and no inline payloads."""

import re
from dataclasses import dataclass

_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85]")
"""A vertical tab, a form feed and NEL part lines too: dropped, they would join two words."""

_UNWANTED = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
"""Control characters that no reader of text wants, and surrogates, which UTF-8 cannot hold."""

_ASCII = {
    **dict.fromkeys([*range(0x20), 0x7F]),
    **dict.fromkeys(map(ord, "\r\v\f"), "\n"),
    **{ord(each): each for each in "\t\n"},
}
"""What the two do to text of ASCII alone, which most is: a tenth of the time."""

_DATA_URI = re.compile(
    r"""(?<![\w-])data:
    (?: [\w.+-]+/[\w.+-]+ (?:;[\w.+=-]+)*? ;base64,[A-Za-z0-9+/=_%-]*
      | (?:;[\w.+=-]+)*? ;base64,[A-Za-z0-9+/=_%-]*
      | [\w.+-]+/[\w.+-]+ (?:;[\w.+=-]+)* ,[^\s)"'<>]*
    )""",
    re.VERBOSE | re.IGNORECASE,
)
"""Asks for a media type or `;base64` before the comma, so that prose with "data:" is kept."""

_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?:<[^>]*>|[^()\s]*)\)")


@dataclass(frozen=True)
class Stripped:
    """A text without its data: URIs, and how much was taken out of it."""

    text: str
    characters: int = 0
    uris: int = 0

    @property
    def note(self) -> str | None:
        """One line for the derivation; `None` where nothing was removed."""
        return removed_note(self.characters, self.uris)


def removed_note(characters: int, uris: int) -> str | None:
    """Returns the note on removed data: URIs, `None` where there were none."""
    return f"{characters} characters removed from {uris} data URIs" if uris else None


def normalise(text: str) -> str:
    r"""Returns `text` with `\n` line ends, without control characters (tabs stay) or surrogates."""
    if text.isascii():
        return text.replace("\r\n", "\n").translate(_ASCII)
    return _UNWANTED.sub("", _LINE_ENDS.sub("\n", text)).removeprefix("\ufeff")


def one_line(text: str | None) -> str | None:
    """Returns `text` with its white space folded to single spaces; `None` where none is left."""
    return " ".join(normalise(text or "").split()) or None


def strip_data_uris(text: str) -> Stripped:
    """Returns `text` without `data:` URIs: a base64 image is 43 % of some minutes, and no text."""
    if "data:" not in text and "DATA:" not in text:
        return Stripped(text)
    matches = [len(match[0]) for match in _DATA_URI.finditer(text)]
    return Stripped(_DATA_URI.sub("", text), sum(matches), len(matches))


def plain_line(line: str) -> str:
    """Returns a line of markdown as it reads: no heading or emphasis marks, link addresses or
    escapes, white space folded.  What titles are compared on."""
    line = _LINK.sub(r"\1", re.sub(r"\s#+$", "", line.strip()).lstrip("#"))
    line = re.sub(r"\*+|(?<!\w)_+|_+(?!\w)|`+", "", line)
    return " ".join(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", line).split())


def fenced(text: str, language: str = "") -> str:
    """Returns `text` as a code block of `language`, in a fence longer than any inside it."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.strip(chr(10))}\n{fence}"
