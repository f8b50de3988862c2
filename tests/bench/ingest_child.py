"""One measured process: `python -m tests.bench.ingest_child bare ADDRESS`, in a folder of its own.

`bare` asks for the files that a landing page names with requests, and takes their MD5, SHA-1 and
SHA-256. `ingest` does what the worker does with the page's address. Each prints what it took as
JSON, without its imports.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from tests.bench.acquire_child import _digest, _measured

_HASHES = ("md5", "sha1", "sha256")
_CHUNK = 1 << 20


def bare(address: str) -> dict[str, Any]:
    """Asks one after the other in one session; nothing is kept but the hashes."""
    import requests

    session, hashes = requests.Session(), []

    def ask() -> None:
        page = session.get(address, timeout=60).text
        said = page.partition('ld+json">')[2].partition("</script>")[0]
        for file in json.loads(said)["distribution"]:
            digests = [hashlib.new(name, usedforsecurity=False) for name in _HASHES]
            with session.get(file["contentUrl"], timeout=60, stream=True) as answer:
                answer.raise_for_status()
                for chunk in answer.iter_content(_CHUNK):
                    for digest in digests:
                        digest.update(chunk)
            hashes.append(digests[-1].hexdigest())

    return _measured(ask) | {"files": len(hashes), "bodies": _digest(hashes), "hit": True}


def ingest(address: str) -> dict[str, Any]:
    """Ingests the dataset: its bytes, its record, its row and its item."""
    import lxml.etree  # noqa: F401 (pages are parsed with it)

    from centinel.configuration import load_files
    from centinel.ingest import database
    from centinel.ingest.worker import SOURCE, Worker
    from centinel.locks import held
    from centinel.store import Store

    # Imported by the first use otherwise, and the imports are not what is measured.
    database.engine_of(Path(), None).dispose()
    database.table()
    results = Path("results")
    worker = Worker.of(load_files(Path.cwd()), results)
    worker.client.rps = 100_000.0
    store = Store(results, SOURCE)
    store.root.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []

    def work() -> None:
        with held(store.record_lock):
            rows.extend(worker.run([address]))

    made = _measured(work)
    (row,) = rows
    hashes = [each["observed"]["sha256"] for each in row["manifest"] or () if each["observed"]]
    said = {"hit": row["hit"], "status": row["status"], "strategy": row["ingest_strategy"]}
    sent = {"requests": worker.client.requests_sent}
    return made | {"files": len(hashes), "bodies": _digest(hashes)} | said | sent


def main() -> int:
    """Runs one of them and prints what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["bare", "ingest"])
    parser.add_argument("address")
    arguments = parser.parse_args()
    print(json.dumps({"bare": bare, "ingest": ingest}[arguments.what](arguments.address)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
