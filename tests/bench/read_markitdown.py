"""Reads files with markitdown, in its own environment: paths as JSON in, seconds as JSON out."""

import io
import json
import logging
import os
import sys
import time

from markitdown import MarkItDown


def main() -> None:
    """Reads each file once, one before the clock; what it cannot read costs what it costs."""
    logging.disable()
    out, sys.stdout = sys.stdout, io.StringIO()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    converter = MarkItDown()
    paths = json.loads(sys.stdin.read())
    _read(converter, paths[0])
    started = time.perf_counter()
    read = sum(_read(converter, path) for path in paths)
    print(json.dumps({"seconds": time.perf_counter() - started, "read": read}), file=out)


def _read(converter: MarkItDown, path: str) -> bool:
    try:
        return bool(converter.convert(path).text_content.strip())
    except Exception:  # noqa: BLE001 (whatever it raises, it did not read the file)
        return False


main()
