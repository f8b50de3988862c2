"""What the README shows, as it stands there: the tests run it to the letter."""

import re
from pathlib import Path

import duckdb
import polars as pl

TEXT = (Path(__file__).parents[1] / "README.md").read_text()


def lines_of(language: str) -> list[str]:
    """Returns the lines of the README's blocks of a language, without empty ones."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.M | re.S)
    return [line for block in blocks for line in block.splitlines() if line]


def shown() -> list[pl.DataFrame]:
    """Returns what the README's lines of Python give, run in the present folder."""
    names: dict[str, object] = {}
    imported, *lines = lines_of("python")
    exec(imported, names)
    return [eval(line, names) for line in lines]


def asked(line: str) -> list[tuple[object, ...]]:
    """Returns the rows that DuckDB gives for a line of SQL, run in the present folder."""
    return duckdb.sql(line).fetchall()
