"""The table of results, in SQLite and in a real PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import CheckConstraint, inspect, select, text
from sqlalchemy.exc import DBAPIError

from centinel.ingest import database, statuses
from centinel.ingest.rows import blank
from centinel.record import Json
from tests.sites.dataset_platforms import DatasetPlatforms
from tests.sites.dataset_shapes import DataFile
from tests.unit.ingest import postgres
from tests.unit.ingest.ingesting import one

AT = "2026-03-01T12:00:00.000000Z"
COLUMNS = [
    "ingest_type",
    "base_url",
    "updated",
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
    "item_name",
    "item_bundle_path",
    "manifest",
]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The URL of a PostgreSQL; skips where there is none."""
    try:
        with postgres.running() as url:
            yield url
    except LookupError as error:
        pytest.skip(str(error))


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str | None:
    """The database that is written to: None for SQLite beside the results."""
    if request.param == "sqlite":
        return None
    given: str = request.getfixturevalue("server")
    engine = database.engine_of(tmp_path, given)
    with engine.begin() as connection:
        connection.execute(text(f"drop table if exists {database.TABLE}"))
    engine.dispose()
    return given


def result(address: str = "https://doi.org/10.5/x", status: str = "success", **more: Any) -> Json:
    """A row as `results.jsonl` has it."""
    request = {"ingest_type": "dataset", "base_url": address}
    hit = statuses.table().of(status).is_hit
    return {**blank(status, request), "hit": hit, "updated": AT, **more}


def stored(results: Path, url: str | None) -> list[Json]:
    """The rows of the table, by their address."""
    made, engine = database.table(), database.engine_of(results, url)
    with engine.connect() as connection:
        rows = connection.execute(select(made).order_by(made.c.base_url)).mappings().all()
    engine.dispose()
    return [dict(each) for each in rows]


def test_the_table_has_the_columns_of_the_design(tmp_path: Path, url: str | None) -> None:
    database.upsert(tmp_path, [result()], url)
    engine = database.engine_of(tmp_path, url)
    seen = inspect(engine)
    assert [each["name"] for each in seen.get_columns(database.TABLE)] == COLUMNS
    key = seen.get_pk_constraint(database.TABLE)["constrained_columns"]
    assert key == ["ingest_type", "base_url"]
    (index,) = seen.get_indexes(database.TABLE)
    assert index["column_names"] == ["terminal_url"]
    engine.dispose()


def test_every_check_names_a_column_that_is_there() -> None:
    made = database.table()
    checks = [
        each
        for column in made.columns
        for each in column.constraints
        if isinstance(each, CheckConstraint)
    ]
    named = {str(each.sqltext).partition("(")[2].partition(")")[0] for each in checks}
    texts = {each.name for each in made.columns if str(each.type) == "TEXT"}
    assert named == texts
    assert "item_bundle_path" in named


def test_a_row_of_every_status_is_taken(tmp_path: Path, url: str | None) -> None:
    names = sorted(statuses.table().rows)
    rows = [result(f"https://doi.org/10.5/{name}", name) for name in names]
    assert database.upsert(tmp_path, rows, url) == len(names)
    assert [each["status"] for each in stored(tmp_path, url)] == names


def test_the_newest_result_of_an_address_stands(tmp_path: Path, url: str | None) -> None:
    database.upsert(tmp_path, [result(status="platform-error")], url)
    later = {"total_size": 1 << 40, "file_count": 3, "updated": "2026-04-01T00:00:00.000000Z"}
    assert database.upsert(tmp_path, [result(status="no-capture"), result(**later)], url) == 1
    (row,) = stored(tmp_path, url)
    assert (row["hit"], row["status"], row["total_size"]) == (True, "success", 1 << 40)
    assert row["updated"].isoformat().startswith("2026-04-01T00:00:00")


def test_a_manifest_is_kept_as_json(tmp_path: Path, url: str | None) -> None:
    file = dict.fromkeys(database._MANIFEST) | {"path": "a\0b.csv", "extra": {"n": "x\0"}}
    database.upsert(tmp_path, [result(manifest=[file], platform="", error_message="x")], url)
    (row,) = stored(tmp_path, url)
    assert row["manifest"][0]["path"] == "a\ufffdb.csv", "PostgreSQL takes no NUL"
    assert row["platform"] is None, "an empty text is an unknown one"


@pytest.mark.parametrize("column", ["status", "platform", "item_bundle_path", "base_url"])
def test_an_empty_text_is_refused_by_the_table(
    tmp_path: Path, url: str | None, column: str
) -> None:
    database.upsert(tmp_path, [result()], url)
    engine = database.engine_of(tmp_path, url)
    with pytest.raises(DBAPIError, match=r"(?i)check constraint"), engine.begin() as connection:
        connection.execute(text(f"update {database.TABLE} set {column} = ''"))
    engine.dispose()


def test_what_the_table_has_no_place_for_is_left_out(tmp_path: Path) -> None:
    rows = [
        {**blank("bad-request", "no json"), "updated": AT},
        {**blank("bad-request", {"ingest_type": "pdf"}), "updated": AT},
        result("https://x.example/" + "a" * 1500),
        result(terminal_url="https://x.example/" + "a" * 2048),
        result(),
    ]
    assert [database.row_of(each) is None for each in rows] == [True, True, True, True, False]
    assert database.upsert(tmp_path, rows) == 1


def test_the_database_is_that_of_the_environment_and_is_written_nowhere(
    tmp_path: Path, server: str, platforms: DatasetPlatforms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(database.VARIABLE, server)
    address = platforms.add_zenodo(1002, [DataFile("a.csv")])
    assert one(tmp_path, platforms, address)["hit"]
    assert address in [each["base_url"] for each in stored(tmp_path, server)]
    assert not (tmp_path / database.FILE).exists()
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path for path in written if postgres.PASSWORD.encode() in path.read_bytes()] == []


def test_a_database_that_cannot_be_had_is_said_without_its_password(tmp_path: Path) -> None:
    url = "postgresql://me:hidden@127.0.0.1:1/none"
    with pytest.raises(database.DatabaseError) as caught:
        database.upsert(tmp_path, [result()], url)
    assert database.VARIABLE in str(caught.value)
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize(
    "stated",
    ["postgres://u@h/d", "postgresql://u@h/d", "postgresql+psycopg_of_nobody://u@h/d"],
)
def test_a_driver_that_is_not_installed_is_replaced_by_ours(tmp_path: Path, stated: str) -> None:
    assert database.engine_of(tmp_path, stated).url.drivername == "postgresql+pg8000"
