"""Whether the title in a document's properties was written by a person."""

import re

from centinel.readers.characters import one_line

_NO_TITLE = re.compile(
    r"""untitled.* | \(?unspecified\)? | \(?anonymous\)? | title | document\s*\d* | slide\s*\d*
      | powerpoint[ -](?:presentation|präsentation) | présentation\ powerpoint
      | microsoft\ (?:word|excel|powerpoint|publisher|visio)\ -.*
      | .*\.[a-z]\w{1,7} | [a-z]:\\.* | .*\ufffd.* | þÿ.* | .*\\[0-7]{3}.* | [\W\d_]*""",
    re.VERBOSE | re.IGNORECASE,
)
"""What writing programs put where a title belongs: their own names, and those of files."""


def sane_title(title: str | None) -> str | None:
    """Returns `title` on one line; `None` where there is none, or one that a program wrote."""
    title = one_line(title)
    return None if title is None or _NO_TITLE.fullmatch(title) else title
