"""A mail taken apart: its headers, what it says, and what is attached (RFC 5322, 2045 to 2049).

The standard library parses almost anything, and raises at almost any access to what it parsed, so
that each access here has an answer for that.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.message import Message
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias, cast

from centinel.kinds import extension_of, kind_of_type
from centinel.readers.characters import one_line
from centinel.readers.charset import decode
from centinel.readers.entries import Raw, Unreadable

LARGEST = 64 << 20
"""Bytes of one message; parsing takes several times as many of memory."""

DEEPEST = 20
"""Parts in parts, and messages in messages."""

MOST_PARTS = 5_000
"""Of one message; each costs as much as a small document."""

MOST_COMPARED = 20_000_000
"""Lines, each compared with every boundary that may be open: so many took the parser 3 to 18 s
(measured); a mail of 56 MB with one attachment has 0.7 million."""

LONGEST_HEADER = 4_000
"""Characters that are parsed; the parser takes 15 s for 20,000 recipients.  Longer ones are only
decoded."""

SHOWN = ("From", "To", "Cc", "Date", "Subject")

_TELLING = (*SHOWN, "Received", "Message-ID", "MIME-Version", "Content-Type", "Return-Path")
_POSTMARK = re.compile(rb"From \S.*\b\d\d:\d\d.*\b\d{4}\b")
"""The line before each message of an mbox (RFC 4155); prose that opens with "From" is none."""

_BOUNDARY = re.compile(rb"boundary\s*[=*]", re.IGNORECASE)

Mail: TypeAlias = "Message[str, str]"


@dataclass(frozen=True)
class Said:
    """A text of a mail."""

    content: bytes
    media_type: str
    charset: str | None

    @property
    def is_html(self) -> bool:
        """Whether it is a page."""
        return self.media_type == "text/html"

    @property
    def declared_type(self) -> str:
        """What a server would call it."""
        return f"{self.media_type}; charset={self.charset}" if self.charset else self.media_type


@dataclass(frozen=True)
class Attachment:
    """A file that a mail carries."""

    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True)
class Letter:
    """One message; `letters` are the messages inside it."""

    headers: tuple[tuple[str, str], ...]
    texts: tuple[Said, ...]
    attachments: tuple[Attachment, ...]
    letters: tuple["Letter", ...]
    inline: int = 0
    """Files that a page in it shows, as pictures: they are no attachments."""
    left_out: int = 0
    """Parts beyond the most that are looked at."""

    @property
    def subject(self) -> str | None:
        """What it is called."""
        return dict(self.headers).get("Subject")


def letters_of(path: Path) -> Iterator[Letter]:
    """Yields the messages of a file, one or the many of an mbox.

    Raises `Unreadable` for what is no mail, and for a message that is too large or cannot be
    parsed, at its place.
    """
    for number, content in enumerate(_messages(path), 1):
        if (compared := _compared(content)) > MOST_COMPARED:
            raise Unreadable(f"message {number}: too many lines and parts ({compared:,})")
        try:
            letter = _letter(message_from_bytes(content), 0)
        except Exception as error:  # the parser raises a dozen sorts of odd mails
            raise Unreadable(f"message {number}: {type(error).__name__}: {error}") from error
        if letter is None:
            raise Unreadable("no headers of a mail" if number == 1 else f"message {number}: none")
        yield letter


def _compared(content: bytes) -> int:
    """Returns how many comparisons the parser may make: it looks for the end of every open part in
    every line, and begins a part anew at every boundary."""
    lines, boundaries = content.count(b"\n"), len(_BOUNDARY.findall(content))
    return lines * max(1, boundaries) + 200 * content.count(b"\n--")


def attached(path: Path) -> Iterator[Raw]:
    """Yields the attachments of a file's messages; where there are several, under their number.

    Raises as `letters_of`.
    """
    for number, (letter, is_alone) in enumerate(_with_company(letters_of(path)), 1):
        folder = "" if is_alone else f"{number}/"
        for attachment in all_attachments(letter):
            yield Raw(
                f"{folder}{attachment.name}",
                len(attachment.content),
                declared_type=attachment.media_type,
                open=lambda each=attachment: BytesIO(each.content),  # type: ignore[misc]
            )


def all_attachments(letter: Letter) -> Iterator[Attachment]:
    """Yields the attachments of a letter, then those of the letters inside it."""
    yield from letter.attachments
    for inner in letter.letters:
        yield from all_attachments(inner)


def _with_company(letters: Iterator[Letter]) -> Iterator[tuple[Letter, bool]]:
    """Yields each letter, and whether it is the only one."""
    first = next(letters, None)
    if first is None:
        return
    second = next(letters, None)
    yield first, second is None
    if second is not None:
        yield second, False
        yield from ((letter, False) for letter in letters)


def _messages(path: Path) -> Iterator[bytes]:
    """Yields the bytes of each message, an mbox's marks of quoted lines undone."""
    with path.open("rb") as stream:
        is_box = _POSTMARK.match(stream.readline(1000)) is not None
        if not is_box:
            stream.seek(0)
            if path.stat().st_size > LARGEST:
                raise Unreadable(f"a message of more than {LARGEST:,} bytes")
        lines: list[bytes] = []
        size, is_blank = 0, False
        for line in stream:
            if is_box and is_blank and _POSTMARK.match(line):
                yield b"".join(lines)
                lines, size, is_blank = [], 0, False
                continue
            size += len(line)
            if size > LARGEST:
                raise Unreadable(f"a message of more than {LARGEST:,} bytes")
            is_blank = not line.strip(b"\r\n")
            lines.append(line[1:] if is_box and re.match(rb">+From ", line) else line)
    yield b"".join(lines)


def _letter(message: Mail, depth: int) -> Letter | None:
    """Returns a message taken apart; `None` where nothing shows that it is a mail."""
    if not any(_header(message, name) for name in _TELLING):
        return None
    headers = [(name, value) for name in SHOWN if (value := _header(message, name))]
    parts = _Parts()
    parts.take(message, depth)
    return Letter(
        tuple(headers),
        tuple(parts.texts),
        tuple(parts.files),
        tuple(parts.letters),
        parts.inline,
        parts.left_out,
    )


class _Parts:
    """One walk over the parts of a message."""

    def __init__(self) -> None:
        self.texts: list[Said] = []
        self.files: list[Attachment] = []
        self.letters: list[Letter] = []
        self.inline = 0
        self.left_out = 0

    def take(self, part: Mail, depth: int) -> None:
        """Takes a part and what is in it."""
        if len(self.texts) + len(self.files) >= MOST_PARTS:
            self.left_out += 1
            return
        inner = _inner(part)
        if depth >= DEEPEST or inner is None:
            self._leaf(part)
        elif _type(part) == "multipart/alternative":
            self._alternative(inner, depth)
        elif _type(part) == "multipart/related":
            self._related(part, inner, depth)
        elif _type(part).startswith("message/"):
            self._enclosed(part, inner, depth)
        else:
            for each in inner:
                self.take(each, depth + 1)

    def _leaf(self, part: Mail) -> None:
        media_type, name = _type(part), _file_name(part)
        if media_type.startswith("multipart/"):
            media_type = "text/plain"  # parts were announced, and there are none
        is_text = media_type in ("text/plain", "text/html") and not name
        if is_text and _disposition(part) != "attachment":
            self.texts.append(Said(_content(part), media_type, _charset(part)))
        else:
            number = len(self.files) + 1
            extension = extension_of(kind_of_type(media_type) or "other")
            given = name or f"attachment-{number}.{extension}"
            self.files.append(Attachment(given, media_type, _content(part)))

    def _alternative(self, inner: list[Mail], depth: int) -> None:
        """Takes plain text where there is some, else the last version: the richest."""
        versions = []
        for each in inner:
            versions.append(_Parts())
            versions[-1].take(each, depth + 1)
        spoken = [each for each in versions if any(said.content.strip() for said in each.texts)]
        plain = [each for each in spoken if not any(said.is_html for said in each.texts)]
        chosen = next(iter(plain), spoken[-1] if spoken else None)
        self.texts += chosen.texts if chosen else []
        for version in versions:
            self.files += version.files
            self.letters += version.letters
            self.inline += version.inline
            self.left_out += version.left_out

    def _related(self, part: Mail, inner: list[Mail], depth: int) -> None:
        """Takes the root, a page or a mail's text; the rest are what it shows."""
        start = _parameter(part, "start")
        ids = [one_line(_header(each, "Content-ID")) for each in inner]
        pages = [number for number, each in enumerate(inner) if _type(each) == "text/html"]
        root = ids.index(start) if start and start in ids else next(iter(pages), 0)
        for number, each in enumerate(inner):
            if number == root or _disposition(each) == "attachment":
                self.take(each, depth + 1)
            else:
                self.inline += 1

    def _enclosed(self, part: Mail, inner: list[Mail], depth: int) -> None:
        """Takes a message inside the message; a report of delivery is text."""
        if _type(part) == "message/rfc822":
            found = [letter for each in inner if (letter := _letter(each, depth + 1))]
            self.letters += found
            if found:
                return
        content = b"\n".join(_tried(each.as_bytes) or b"" for each in inner)
        self.texts.append(Said(content, "text/plain", None))


def _header(message: Mail, name: str) -> str | None:
    """Returns a header decoded, on one line; raw where it cannot be, `None` where there is none."""
    raw = next(
        (str(value) for key, value in message.raw_items() if key.lower() == name.lower()), None
    )
    if raw is None:
        return None
    if re.search("[\udc80-\udcff]", raw):
        return one_line(decode(raw.encode("utf-8", "surrogateescape")).text)
    if len(raw) > LONGEST_HEADER:
        return one_line(_decoded(raw))
    try:
        return one_line(str(policy.default.header_fetch_parse(name, raw)))
    except Exception:  # noqa: BLE001 (the parser fails in many ways)
        return one_line(raw)


def _decoded(text: str) -> str:
    """Returns a text with its encoded words (RFC 2047) decoded; as it stands where they are odd."""
    try:
        return str(make_header(decode_header(text)))
    except Exception:  # noqa: BLE001 (as above)
        return text


def _tried(function: Any, *arguments: Any) -> Any:
    """Returns what a method of the library gives; `None` where it raises."""
    try:
        return function(*arguments)
    except Exception:  # noqa: BLE001 (as above)
        return None


def _type(part: Mail) -> str:
    return str(_tried(part.get_content_type) or "text/plain")


def _disposition(part: Mail) -> str | None:
    return _tried(part.get_content_disposition)  # type: ignore[no-any-return]


def _charset(part: Mail) -> str | None:
    return _tried(part.get_content_charset)  # type: ignore[no-any-return]


def _parameter(part: Mail, name: str) -> str | None:
    value = _tried(part.get_param, name)
    return value if isinstance(value, str) else None


def _file_name(part: Mail) -> str | None:
    name = _tried(part.get_filename)
    return one_line(_decoded(name)) if isinstance(name, str) else None


def _content(part: Mail) -> bytes:
    """Returns the decoded bytes; as they stand where their encoding is broken."""
    content = _tried(part.get_payload, None, True)
    if isinstance(content, bytes):
        return content
    inner = _inner(part)
    if inner is not None:
        return b"\n".join(_tried(each.as_bytes) or b"" for each in inner)
    return str(part.get_payload() or "").encode("utf-8", "surrogateescape")


def _inner(part: Mail) -> list[Mail] | None:
    """Returns the parts of a part, `None` where it has none of its own."""
    payload = part.get_payload()
    return cast("list[Mail]", payload) if isinstance(payload, list) else None
