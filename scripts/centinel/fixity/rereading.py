"""What could not be read since its bytes were lost is read once they are back.

The lines of a shard and what stands behind them may be deleted and are made again; texts stay.
"""

from collections.abc import Collection
from pathlib import Path

from centinel.files import read_json, read_lines
from centinel.record import Json
from centinel.store import NOT_INTACT, Store


def forget_unread(store: Store, blobs: Collection[str]) -> None:
    """Removes the lines of shards that say of one of these blobs that its bytes were lost.

    The next run reads it where they are there again, and says the same where they are not.
    """
    for path in sorted(store.derived.glob("*/*/*.jsonl")):
        if NOT_INTACT.encode() not in path.read_bytes():
            continue
        unread = [line for line in read_lines(path) if line["blob"] in blobs and _is_unread(line)]
        for line in unread:
            if line.get("underivable"):
                (store.root / line["underivable"]).unlink(missing_ok=True)
        if unread:
            path.unlink()
    for path in store.derived.glob("*/*/recordings/*.json"):
        if path.stem in blobs and _says_unread(path):
            path.unlink()


def _is_unread(line: Json) -> bool:
    return line.get("outcome") == "underivable" and line.get("reason") == NOT_INTACT


def _says_unread(path: Path) -> bool:
    return _is_unread(read_json(path) or {})
