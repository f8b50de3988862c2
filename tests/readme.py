"""What the README shows, as it stands there: the tests run it to the letter."""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import duckdb

TEXT = (Path(__file__).parents[1] / "README.md").read_text()


def lines_of(language: str) -> list[str]:
    """Returns the lines of the README's blocks of a language."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.M | re.S)
    return [line for block in blocks for line in block.splitlines()]


def printed(line: str) -> str:
    """Returns what a line of Python prints, run in the present folder."""
    with redirect_stdout(StringIO()) as stream:
        exec(line, {})
    return stream.getvalue()


def asked(line: str) -> list[tuple[object, ...]]:
    """Returns the rows that DuckDB gives for a line of SQL, run in the present folder."""
    return duckdb.sql(line).fetchall()
