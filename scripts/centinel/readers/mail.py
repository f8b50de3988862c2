"""The reader of mail: messages, mailboxes, and pages that were saved as one (mht)."""

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from centinel.readers.charset import decode
from centinel.readers.document import Document, FunctionReader, GaveWay, Reading, has_text
from centinel.readers.entries import Unreadable
from centinel.readers.html import read_whole_page

if TYPE_CHECKING:
    from centinel.readers.letters import Letter, Said

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def read_mail(document: Document) -> Reading:
    """Returns the messages: a list of their headers, what they say, the names of what they carry.

    The title is the subject, where there is one message.  Plain text goes before a page; a message
    inside another follows it under its own subject.  Raises `GaveWay` for what is no mail.
    """
    from centinel.readers.letters import letters_of

    if document.head.startswith(_OLE):
        raise GaveWay("an Outlook message (.msg): no reader for this format yet")
    writer = _Writer(document.scratch)
    letters: list[Letter] = []
    texts: list[str] = []
    try:
        for letter in letters_of(document.path):
            letters.append(letter)
            texts.append(writer.text_of(letter, is_inner=len(letters) > 1))
    except Unreadable as error:
        if not letters:
            raise GaveWay(str(error)) from error
        writer.notes.append(f"read up to a message that could not be: {error}")
    if len(letters) == 1:
        return Reading(texts[0], letters[0].subject, tuple(writer.notes))
    texts[0] = writer.under_subject(letters[0], texts[0])
    writer.notes.insert(0, f"{len(letters)} messages")
    return Reading("\n\n".join(texts), None, tuple(dict.fromkeys(writer.notes)))


class _Writer:
    """Letters into markdown; notes what it meets on the way."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.notes: list[str] = []

    def text_of(self, letter: "Letter", *, is_inner: bool = False) -> str:
        """Returns a letter as markdown, an inner one under its subject."""
        headers = "\n".join(f"- {name}: {value}" for name, value in letter.headers)
        texts = [text for said in letter.texts if has_text(text := self._text(said))]
        inner = [self.text_of(each, is_inner=True) for each in letter.letters]
        if letter.inline:
            self.notes.append(f"{letter.inline} files that a page of the mail shows, not taken")
        if letter.left_out:
            self.notes.append(f"{letter.left_out} parts beyond the most that are read, left out")
        blocks = [headers, *texts, "\n".join(_listed(letter)), *inner]
        text = "\n\n".join(block for block in blocks if has_text(block))
        return self.under_subject(letter, text) if is_inner else text

    def under_subject(self, letter: "Letter", text: str) -> str:
        """Returns the text of one letter among several under a heading."""
        return f"## {letter.subject or 'No subject'}\n\n{text}"

    def _text(self, said: "Said") -> str:
        if not said.is_html:
            decoded = decode(said.content, said.declared_type)
            self.notes += decoded.notes
            return _trimmed(decoded.text)
        with tempfile.NamedTemporaryFile(dir=self.scratch, suffix=".html") as page:
            page.write(said.content)
            page.flush()
            try:
                reading = read_whole_page(Document(Path(page.name), "html", said.declared_type))
            except GaveWay as way:
                self.notes.append(f"a page of the mail: {way}")
                return ""
        self.notes += reading.notes
        return reading.text


def _trimmed(text: str) -> str:
    """Returns plain text without blank lines around it, nor more than two in it."""
    return re.sub(r"\n{4,}", "\n\n\n", text.strip("\n")).rstrip()


def _listed(letter: "Letter") -> Iterator[str]:
    if letter.attachments:
        yield "Attachments:\n"
    for each in letter.attachments:
        yield f"- {each.name} ({each.media_type}, {len(each.content):,} bytes)"


mail = FunctionReader(
    "mail",
    frozenset({"mail"}),
    read_mail,
    modules=("lxml", "w3lib", "charset_normalizer", "html_to_markdown"),
    install="pip install lxml w3lib charset-normalizer 'html-to-markdown>=3.20,<4'",
)

READERS = (mail,)
