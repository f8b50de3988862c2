"""Small pages, their sitemaps and a robots.txt, served by nginx in a process of its own."""

from __future__ import annotations

import getpass
import os
import random
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.measuring import Failed
from tests.sites.server import robots, sitemap, sitemap_index

LINKS = 20
PARAGRAPHS = 4
WORDS = 55
"""Of a paragraph: a page then has between three and four kilobytes."""

SITEMAP_MOST = 10_000
"""Addresses a sitemap."""

LARGE_BYTES = 1 << 30
LARGE_PATH = "/large.bin"
START_SECONDS = 10.0

_VOCABULARY = [
    "council",
    "agenda",
    "minutes",
    "budget",
    "public",
    "works",
    "notice",
    "hearing",
    "ordinance",
    "resolution",
    "permit",
    "water",
    "school",
    "county",
    "board",
    "meeting",
    "report",
    "annual",
    "plan",
    "zoning",
    "street",
    "service",
    "department",
    "office",
    "clerk",
]

_CONFIGURATION = """\
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    types {{ text/html html; text/plain txt; application/xml xml; }}
    default_type application/octet-stream;
    charset utf-8;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        root {folder}/site;
    }}
}}
"""


@dataclass(frozen=True)
class Site:
    """What nginx serves, and its process."""

    address: str
    """Without a slash at its end."""
    root: Path
    process: subprocess.Popen[bytes]
    pages: int

    def addresses(self, count: int) -> list[str]:
        """Returns so many different addresses; more than there are pages differ in a query."""
        return [self.address + _path(number, self.pages) for number in range(count)]

    def publish(self, addresses: Sequence[str]) -> None:
        """Writes the sitemaps, which name these addresses and no others."""
        files = {
            f"sitemap-{first // SITEMAP_MOST}.xml": addresses[first : first + SITEMAP_MOST]
            for first in range(0, len(addresses), SITEMAP_MOST)
        }
        for name, part in files.items():
            (self.root / name).write_bytes(sitemap(part))
        index = sitemap_index(f"{self.address}/{name}" for name in files)
        (self.root / "sitemap.xml").write_bytes(index)


def program() -> str | None:
    """Returns where nginx is; system programs are not on everybody's path."""
    folders = [os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin"]
    return shutil.which("nginx", path=os.pathsep.join(folders))


@contextmanager
def served(nginx: str, pages: int, folder: Path) -> Iterator[Site]:
    """Makes the files of a site in a folder and serves them; ends nginx with the block."""
    root = folder / "site"
    port = _free_port()
    address = f"http://127.0.0.1:{port}"
    _write_files(root, pages, address)
    configuration = folder / "nginx.conf"
    configuration.write_text(_CONFIGURATION.format(folder=folder, port=port))
    errors = folder / "error.log"
    process = subprocess.Popen(
        [nginx, "-p", str(folder), "-e", str(errors), "-c", str(configuration)],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _await(process, port, errors)
        yield Site(address, root, process, pages)
    finally:
        process.terminate()
        process.wait()


def _await(process: subprocess.Popen[bytes], port: int, errors: Path) -> None:
    """Waits until the server answers; raises Failed where it ended, or never does."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    said = errors.read_text() if errors.exists() else "nothing"
    raise Failed(f"nginx did not start as {getpass.getuser()}; its log: {said}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _path(number: int, pages: int) -> str:
    page, copy = number % pages, number // pages
    query = f"?copy={copy}" if copy else ""
    return f"/pages/{page // 100:03}/page-{page:05}.html{query}"


def _write_files(root: Path, pages: int, address: str) -> None:
    for number in range(pages):
        path = root / _path(number, pages).lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page(number, pages))
    rules = ("User-agent: *", "Disallow: /private/", "Disallow: /*?session=", "Allow: /")
    (root / "robots.txt").write_bytes(robots(*rules, f"Sitemap: {address}/sitemap.xml"))
    with (root / LARGE_PATH.lstrip("/")).open("wb") as stream:
        stream.truncate(LARGE_BYTES)


def page(number: int, pages: int) -> str:
    """Returns a page of its own words, with its links: most to other pages, some elsewhere."""
    source = random.Random(number)
    targets = [_path(source.randrange(pages), pages) for _ in range(LINKS - 3)]
    targets += [f"https://agency-{source.randrange(40)}.example.org/" for _ in range(3)]
    links = "\n".join(
        f'<li><a class="link" href="{target}">{source.choice(_VOCABULARY)} {place}</a></li>'
        for place, target in enumerate(targets)
    )
    texts = (" ".join(source.choices(_VOCABULARY, k=WORDS)) for _ in range(PARAGRAPHS))
    paragraphs = "\n".join(f"<p>{text}.</p>" for text in texts)
    title = f"Notice {number} of the {source.choice(_VOCABULARY)}"
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title>'
        f'<link rel="stylesheet" href="/style.css"></head>\n<body>\n<h1>{title}</h1>\n'
        f"<nav><ul>\n{links}\n</ul></nav>\n<main>\n{paragraphs}\n</main>\n</body>\n</html>\n"
    )
