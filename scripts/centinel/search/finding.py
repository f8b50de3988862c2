"""Asks the index: passages with what they are cited by."""

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from centinel.readers.timed_text import clock
from centinel.record import Json
from centinel.search import database as index

MARK = "**"
"""What stands before and behind each word that was found."""

SNIPPET_TOKENS = 48
"""Words of a passage that are shown; FTS5 takes 64 at most."""

_OPERATORS = frozenset({"AND", "OR", "NOT"})
_SYNTAX = re.compile(r"[\"()*^{}:+]|\bNEAR\b")
_PLAIN = re.compile(r"\w+")


class BadQuery(Exception):
    """The query is none; the message says why, and what to write."""


@dataclass(frozen=True)
class Place:
    """One address at which a text stands."""

    source: str
    address: str
    title: str | None
    observed_at: str
    blob: str
    text: str
    """The text's file, relative to the results."""


@dataclass(frozen=True)
class Found:
    """A passage, and where it stands: at one address or, with the same content, at several."""

    snippet: str
    page: int | None
    second: int | None
    kind: str
    score: float
    """By bm25; larger is better. Comparable within one search only."""
    places: tuple[Place, ...]

    @property
    def time(self) -> str | None:
        """The second as `HH:MM:SS`."""
        return None if self.second is None else clock(self.second)

    def to_json(self) -> Json:
        """Returns the passage with its citation: the fields of its first place, and all places."""
        first = vars(self.places[0])
        return {
            **first,
            "kind": self.kind,
            "page": self.page,
            "second": self.second,
            "time": self.time,
            "snippet": self.snippet,
            "score": self.score,
            "places": [vars(each) for each in self.places],
        }


_HITS = """
SELECT p.id, p.place, p.page, p.second, t.id, t.kind, t.content, -words.rank,
       snippet(words, -1, :mark, :mark, ' … ', :tokens)
FROM words JOIN passages p ON p.id = words.rowid JOIN texts t ON t.id = p.text
WHERE words MATCH :query AND (:source IS NULL OR t.source = :source)
      AND (:kind IS NULL OR t.kind = :kind)
ORDER BY words.rank
"""
_PLACES = """
WITH same (id) AS (
    SELECT id FROM texts WHERE content = :content
    UNION
    SELECT t.id FROM addresses own JOIN addresses a ON a.blob = own.blob
           JOIN texts t ON t.id = a.text AND t.kind = :kind
    WHERE own.text = :text)
SELECT t.source, a.address, a.title, a.observed_at, a.blob, t.source || '/' || t.path
FROM same JOIN texts t ON t.id = same.id JOIN addresses a ON a.text = t.id
WHERE :source IS NULL OR t.source = :source
ORDER BY t.source, a.address
"""


def find(
    results: Path,
    words: str,
    *,
    source: str | None = None,
    kind: str | None = None,
    limit: int = 10,
) -> list[Found]:
    """Returns the passages in which the words stand, the best first.

    Texts with the same content, or of the same bytes, are found once, with all their addresses.
    Raises NoIndex where there is no index that can be searched, BadQuery for what is no query.
    """
    query = as_query(words)
    if not query:
        raise BadQuery("no words to look for")
    with index.reading(index.file_in(results)) as database:
        asked = {
            "query": query,
            "source": source,
            "kind": kind,
            "mark": MARK,
            "tokens": SNIPPET_TOKENS,
        }
        # What is read belongs together, whoever writes meanwhile.
        database.execute("BEGIN")
        try:
            return list(_found(database, asked, limit))
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
                raise
            said = str(error).removeprefix("fts5: ")
            raise BadQuery(
                f"{said}: put what is no operator in quotes, as in '\"a-b\" AND c'"
            ) from None


def as_query(words: str) -> str:
    """Returns the words as FTS5 takes them: those with signs in them in quotes, unless the query
    has syntax of its own."""
    if _SYNTAX.search(words):
        return words.strip()
    return " ".join(
        word if word in _OPERATORS or _PLAIN.fullmatch(word) else f'"{word}"'
        for word in words.replace("\0", " ").split()
    )


def _found(database: sqlite3.Connection, asked: Json, limit: int) -> Iterator[Found]:
    seen: set[tuple[object, ...]] = set()
    left = limit
    for _, place, page, second, text, kind, content, score, snippet in database.execute(
        _HITS, asked
    ):
        if left <= 0:
            return
        told = {"content": content, "kind": kind, "text": text, "source": asked["source"]}
        places = tuple(Place(*row) for row in database.execute(_PLACES, told))
        keys = {(content, place), *((each.blob, kind, place) for each in places)}
        if keys & seen:
            continue
        seen |= keys
        left -= 1
        yield Found(" ".join(snippet.split()), page, second, kind, score, places)
