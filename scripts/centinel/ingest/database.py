"""The table `ingest_fileset_result`: SQLite beside the results, or the database that is named."""

import importlib.util
import os
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from centinel.masking import masked
from centinel.record import Json

if TYPE_CHECKING:
    from sqlalchemy import Engine, Table

VARIABLE = "CENTINEL_DATABASE_URL"
"""The environment variable that names another database; it is never written anywhere."""

FILE = "ingest.sqlite"

TABLE = "ingest_fileset_result"

AT_ONCE = 200
"""Rows of one statement: SQLite takes 32,766 values, and there are 18 columns."""

LONGEST_BASE_URL = 1500
LONGEST_TERMINAL_URL = 2048
"""Characters; longer rows are left out and counted (facts of the first implementation)."""

_DRIVER = "postgresql+pg8000"

_MANIFEST = (
    "status",
    "path",
    "size",
    "md5",
    "sha1",
    "sha256",
    "mimetype",
    "platform_url",
    "terminal_url",
    "terminal_dt",
    "extra",
)


class DatabaseError(Exception):
    """The database could not be used; the message names it without its password."""


def table() -> "Table":
    """Returns the table: every text is non-empty where it is known."""
    from sqlalchemy import (
        JSON,
        BigInteger,
        Boolean,
        CheckConstraint,
        Column,
        DateTime,
        Index,
        Integer,
        MetaData,
        Table,
        Text,
        func,
    )
    from sqlalchemy.dialects.postgresql import JSONB

    def text(name: str, length: int | None = None, *, needed: bool = False) -> "Column[str]":
        rule = f"length({name}) >= 1" if length is None else f"length({name}) = {length}"
        check = CheckConstraint(rule, name=f"{TABLE}_{name}_check")
        return Column(name, Text, check, nullable=not needed)

    binary = JSONB(none_as_null=True)
    documents = JSON(none_as_null=True).with_variant(binary, "postgresql")
    return Table(
        TABLE,
        MetaData(),
        text("ingest_type", needed=True),
        text("base_url", needed=True),
        Column("updated", DateTime(timezone=True), nullable=False, server_default=func.now()),
        Column("hit", Boolean, nullable=False),
        text("status"),
        text("terminal_url"),
        text("terminal_dt", 14),
        Column("terminal_status_code", Integer),
        text("terminal_sha1hex", 40),
        text("platform"),
        text("platform_domain"),
        text("platform_id"),
        text("ingest_strategy"),
        Column("total_size", BigInteger),
        Column("file_count", Integer),
        text("item_name"),
        text("item_bundle_path"),
        Column("manifest", documents),
        _primary_key(),
        Index(f"{TABLE}_terminal_url_idx", "terminal_url"),
    )


def _primary_key() -> Any:
    from sqlalchemy import PrimaryKeyConstraint

    return PrimaryKeyConstraint("ingest_type", "base_url")


def row_of(result: Json) -> Json | None:
    """Returns the row of a result; None for one that the table has no place for.

    That is a request without type and address, and addresses that are too long.
    """
    request = result["request"]
    if not isinstance(request, dict):
        return None
    base_url, ingest_type = request.get("base_url"), request.get("ingest_type")
    if not isinstance(base_url, str) or not isinstance(ingest_type, str):
        return None
    if not base_url or not ingest_type or len(base_url) > LONGEST_BASE_URL:
        return None
    if len(result["terminal_url"] or "") > LONGEST_TERMINAL_URL:
        return None
    row = {
        "ingest_type": ingest_type,
        "base_url": base_url,
        "updated": datetime.fromisoformat(result["updated"]),
        "item_name": result.get("archiveorg_item_name"),
        "item_bundle_path": result.get("item_bundle_path"),
        "manifest": _manifest(result["manifest"]),
    }
    row |= {key: result[key] for key in _COPIED}
    return {key: _storable(value) for key, value in row.items()}


_COPIED = (
    "hit",
    "status",
    "terminal_url",
    "terminal_dt",
    "terminal_status_code",
    "terminal_sha1hex",
    "platform",
    "platform_domain",
    "platform_id",
    "ingest_strategy",
    "total_size",
    "file_count",
)


def _manifest(manifest: list[Json] | None) -> list[Json] | None:
    if manifest is None:
        return None
    return [{key: each[key] for key in _MANIFEST} for each in manifest]


def _storable(value: Any) -> Any:
    """Texts without the NUL that PostgreSQL refuses; an empty one is an unknown one."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd") or None
    return _without_nul(value)


def _without_nul(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\0", "\ufffd")
    if isinstance(value, dict):
        return {_without_nul(key): _without_nul(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_nul(each) for each in value]
    return value


def is_missing(results: Path) -> bool:
    """Returns whether the rows are to be in a file that is not there."""
    return not os.environ.get(VARIABLE) and not (results / FILE).exists()


def engine_of(results: Path, url: str | None) -> "Engine":
    """Returns the engine of the database that a URL names, else of the file beside the results."""
    from sqlalchemy import create_engine, event
    from sqlalchemy.engine import URL, make_url

    if not url:
        results.mkdir(parents=True, exist_ok=True)
        engine = create_engine(URL.create("sqlite", database=str(results / FILE)))

        def patient(connection: Any, _record: Any) -> None:
            with closing(connection.cursor()) as cursor:
                cursor.execute("PRAGMA busy_timeout = 60000")

        event.listen(engine, "connect", patient)
        return engine
    made = make_url(url.replace("postgres://", "postgresql://", 1))
    driver = made.drivername.partition("+")[2]
    if made.get_backend_name() == "postgresql" and not _is_installed(driver):
        made = made.set(drivername=_DRIVER)
    return create_engine(made)


def _is_installed(driver: str) -> bool:
    return bool(driver) and importlib.util.find_spec(driver) is not None


def upsert(results: Path, rows: Iterable[Json], url: str | None = None) -> int:
    """Writes the rows of results, the newest of an address over the others; returns how many.

    `url` is the database; None for the one that the environment names, else SQLite. Raises
    DatabaseError where it cannot be had or refuses a row.
    """
    from sqlalchemy.exc import SQLAlchemyError

    found = {(row["ingest_type"], row["base_url"]): row for each in rows if (row := row_of(each))}
    named = url or os.environ.get(VARIABLE)
    try:
        engine = engine_of(results, named)
        try:
            _write(engine, list(found.values()))
        finally:
            engine.dispose()
    except (SQLAlchemyError, OSError, ImportError) as error:
        where = f"the database in {VARIABLE}" if named else str(results / FILE)
        raise DatabaseError(f"{where} could not be written: {_said(error, named)}") from None
    return len(found)


def _said(error: Exception, url: str | None) -> str:
    """What a driver says, on one line, without the statement and without the URL's password."""
    said = " ".join(str(getattr(error, "orig", None) or error).split())[:500]
    return masked(said.replace(url, "…") if url else said)


def _write(engine: "Engine", rows: Sequence[Json]) -> None:
    from sqlalchemy.dialects import postgresql, sqlite

    made = table()
    made.metadata.create_all(engine)
    insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert
    keys = ("ingest_type", "base_url")
    with engine.begin() as connection:
        for start in range(0, len(rows), AT_ONCE):
            statement = insert(made).values(list(rows[start : start + AT_ONCE]))
            changed = {
                column.name: statement.excluded[column.name]
                for column in made.columns
                if column.name not in keys
            }
            connection.execute(
                statement.on_conflict_do_update(index_elements=list(keys), set_=changed)
            )
