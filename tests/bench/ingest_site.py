"""Serves datasets whose files are made of nothing: `python -m tests.bench.ingest_site`.

`/<count>/<size>` is a landing page that names so many files of so many bytes, each with its
SHA-256; the bytes of a file are its number, over and over. Prints its port, and answers until its
input is closed. Sockets and threads only: what serves must not be what is measured.
"""

from __future__ import annotations

import hashlib
import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache

from tests.bench.corpus import PROJECT

_BLOCK = 1 << 20
_ASKED = re.compile(rb"GET /(\d+)/(\d+)(?:/(\d+)\.bin)? HTTP/1\.1\r\n")


def pattern(number: int) -> bytes:
    """Sixteen bytes, of which the file of this number is made."""
    return f"{number:015}\n".encode()


@cache
def digest(number: int, size: int) -> str:
    """The SHA-256 of a file; computed without making it."""
    whole, block = hashlib.sha256(), pattern(number) * (_BLOCK // 16)
    for _ in range(size // _BLOCK):
        whole.update(block)
    whole.update(block[: size % _BLOCK])
    return whole.hexdigest()


@cache
def landing(address: str, count: int, size: int) -> bytes:
    """The landing page of so many files of so many bytes."""
    files = [
        {
            "@type": "DataDownload",
            "name": f"{number}.bin",
            "contentSize": f"{size} B",
            "contentUrl": f"{address}/{count}/{size}/{number}.bin",
            "sha256": digest(number, size),
        }
        for number in range(count)
    ]
    said = json.dumps({"@type": "Dataset", "name": "Numbers", "distribution": files})
    return (
        "<!doctype html><html><head><title>Numbers</title>"
        f'<script type="application/ld+json">{said}</script></head><body></body></html>'
    ).encode()


def _head(size: int, content_type: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {size}", f"Content-Type: {content_type}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _answer(connection: socket.socket, asked: bytes, address: str) -> None:
    match = _ASKED.match(asked)
    if match is None:
        connection.sendall(_head(0, "text/plain", "404 Not Found"))
        return
    count, size = int(match[1]), int(match[2])
    if match[3] is None:
        body = landing(address, count, size)
        connection.sendall(_head(len(body), "text/html; charset=utf-8") + body)
        return
    head = _head(size, "application/octet-stream")
    block = pattern(int(match[3])) * (min(size, _BLOCK) // 16 + 1)
    if size < _BLOCK:
        connection.sendall(head + block[:size])
        return
    connection.sendall(head)
    for start in range(0, size, _BLOCK):
        connection.sendall(block[: min(_BLOCK, size - start)])


def _serve(connection: socket.socket, address: str) -> None:
    """Answers the requests of one connection, one after the other."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    waiting = b""
    with connection, suppress(OSError):
        while True:
            while b"\r\n\r\n" not in waiting:
                some = connection.recv(1 << 16)
                if not some:
                    return
                waiting += some
            asked, _, waiting = waiting.partition(b"\r\n\r\n")
            _answer(connection, asked + b"\r\n", address)


def main() -> int:
    """Serves until the input is closed."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=64)
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    print(address, flush=True)

    def accept() -> None:
        while True:
            connection, _ = listening.accept()
            threading.Thread(target=_serve, args=(connection, address), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()
    return 0


@contextmanager
def served() -> Iterator[str]:
    """Gives the address of the site, which a process of its own serves."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.ingest_site"],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


if __name__ == "__main__":
    sys.exit(main())
