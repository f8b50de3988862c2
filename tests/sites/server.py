"""A small HTTP server on the loopback interface, for the tests and for the demo.

A `Site` serves what it was told to serve, keeps a log of what it was asked, and can misbehave in
the ways in which real hosts do: cut an answer short, close without one, be slow, be away.
"""

from __future__ import annotations

import hashlib
import socket
import socketserver
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

LONGEST_WAIT = 30.0
PUBLISHED = datetime(2026, 2, 2, 9, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Request:
    """What the server was asked: header names in lower case, `at` on the monotonic clock."""

    method: str
    path: str
    headers: dict[str, str]
    at: float


@dataclass(frozen=True)
class Answer:
    """What the server says to one request, and how it misbehaves while it does.

    A header that is named in `headers` replaces the one that the server would have sent itself.
    """

    body: bytes = b""
    content_type: str | None = None
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    validators: bool = True
    """Send ETag and Last-Modified, and answer If-None-Match with 304; for a 200 only."""
    modified: datetime = PUBLISHED
    cut_after: int | None = None
    """Declare the whole length, send only this many bytes, then close."""
    reset: bool = False
    """Close the connection without an answer."""
    wait_for: threading.Event | None = None
    """Answer only once this is set, or after 30 seconds."""


Answerer = Callable[[Request], Answer]


def entity_tag(body: bytes) -> str:
    """The strong ETag under which a body is served."""
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'


NOT_FOUND = Answer(
    b"<!doctype html><html><head><title>Not found</title></head>"
    b"<body><h1>Not found</h1><p>There is no such page.</p></body></html>",
    "text/html; charset=utf-8",
    status=404,
)


class _Server(ThreadingHTTPServer):
    """Threads that die with the process, and connections that can all be closed at once."""

    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, port: int, site: Site) -> None:
        self.site = site
        self._open: set[Any] = set()
        self._guard = threading.Lock()
        super().__init__(("127.0.0.1", port), _Handler)

    def server_bind(self) -> None:
        # The inherited method asks the resolver for a full name, which may take seconds.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._guard:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._guard:
            self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Close every open connection, so that no kept-alive one outlives the server."""
        with self._guard:
            connections = list(self._open)
        for connection in connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that went away is no news.
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "loopback"
    sys_version = ""
    # With Nagle's algorithm each answer would wait 40 ms for the client's delayed acknowledgement.
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        request = Request(
            method=self.command,
            path=self.path,
            headers={name.lower(): value for name, value in self.headers.items()},
            at=time.monotonic(),
        )
        answer = self.server.site.answer(request)
        if answer.wait_for is not None:
            answer.wait_for.wait(LONGEST_WAIT)
        if answer.reset:
            self.close_connection = True
        elif _matches(answer, request):
            self._head(answer, 304)
        else:
            self._whole(answer)

    def do_HEAD(self) -> None:
        self.do_GET()

    def _whole(self, answer: Answer) -> None:
        self._head(answer, answer.status)
        if self.command == "HEAD":
            return
        if answer.cut_after is not None:
            self.close_connection = True
        self.wfile.write(answer.body[: answer.cut_after])

    def _head(self, answer: Answer, status: int) -> None:
        self.send_response(status)
        for name, value in _headers(answer, status):
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


def _headers(answer: Answer, status: int) -> list[tuple[str, str]]:
    own: list[tuple[str, str]] = []
    if status != 304:
        own.append(("Content-Length", str(len(answer.body))))
        if answer.content_type is not None:
            own.append(("Content-Type", answer.content_type))
    if answer.validators and answer.status == 200:
        own.append(("ETag", entity_tag(answer.body)))
        own.append(("Last-Modified", format_datetime(answer.modified, usegmt=True)))
    given = {name.lower() for name, _ in answer.headers}
    return [pair for pair in own if pair[0].lower() not in given] + list(answer.headers)


def _matches(answer: Answer, request: Request) -> bool:
    asked = request.headers.get("if-none-match")
    if asked is None or not answer.validators or answer.status != 200:
        return False
    tag = {name.lower(): value for name, value in _headers(answer, 200)}["etag"]
    known = {part.strip().removeprefix("W/") for part in asked.split(",")}
    return "*" in known or tag.removeprefix("W/") in known


class Site:
    """One host on 127.0.0.1; inside `with` it answers, after it the port is closed."""

    def __init__(self, port: int = 0) -> None:
        self._port = port
        self._answers: dict[str, Answer | Answerer] = {}
        self._requests: list[Request] = []
        self._guard = threading.Lock()
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def port(self) -> int:
        """The port; 0 as long as none was given and the site was never started."""
        return self._port

    @property
    def address(self) -> str:
        """Scheme, host and port, without a slash at the end."""
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Accept connections, on the same port as before if there was one."""
        if self._server is not None:
            return
        server = _Server(self._port, self)
        self._port = server.server_port
        # `shutdown` waits for one turn of the loop, so a turn is short.
        self._thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self._server = server

    def stop(self) -> None:
        """Close the port and every connection; `start` opens the same port again."""
        server, thread = self._server, self._thread
        if server is None or thread is None:
            return
        self._server = self._thread = None
        server.shutdown()
        server.server_close()
        server.hang_up()
        thread.join()

    def set(self, path: str, answer: Answer | Answerer) -> None:
        """Serve an answer at a path (with its query, if any), or what a function answers."""
        with self._guard:
            self._answers[path] = answer

    def remove(self, path: str) -> None:
        """Serve nothing at this path any more."""
        with self._guard:
            self._answers.pop(path, None)

    @property
    def requests(self) -> list[Request]:
        """A copy of everything that was asked, in order."""
        with self._guard:
            return list(self._requests)

    def paths(self) -> list[str]:
        """The paths that were asked, in order."""
        return [request.path for request in self.requests]

    def asked(self, path: str) -> int:
        """How many times a path was asked."""
        return self.paths().count(path)

    def forget_requests(self) -> None:
        """Empty the log of requests."""
        with self._guard:
            self._requests.clear()

    def answer(self, request: Request) -> Answer:
        """Log a request and find its answer; the handlers call this."""
        with self._guard:
            self._requests.append(request)
            found = self._answers.get(request.path, NOT_FOUND)
        if isinstance(found, Answer):
            return found
        try:
            return found(request)
        except Exception as error:  # noqa: BLE001 - a test's own fault has to show in the answer
            return Answer(repr(error).encode(), "text/plain; charset=utf-8", status=500)


def robots(*lines: str) -> bytes:
    """A robots.txt of these lines."""
    return ("\n".join(lines) + "\n").encode()


SITEMAP_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def sitemap(addresses: Iterable[str], lastmod: Mapping[str, str] | None = None) -> bytes:
    """A sitemap of these addresses, with `<lastmod>` for those that have one."""
    return _listing("urlset", "url", addresses, lastmod or {})


def sitemap_index(addresses: Iterable[str], lastmod: Mapping[str, str] | None = None) -> bytes:
    """A sitemap index of these sitemaps."""
    return _listing("sitemapindex", "sitemap", addresses, lastmod or {})


def _listing(root: str, item: str, addresses: Iterable[str], lastmod: Mapping[str, str]) -> bytes:
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<{root} xmlns="{SITEMAP_NAMESPACE}">']
    for address in addresses:
        day = f"<lastmod>{lastmod[address]}</lastmod>" if address in lastmod else ""
        lines.append(f"  <{item}><loc>{escape(address)}</loc>{day}</{item}>")
    lines.append(f"</{root}>")
    return ("\n".join(lines) + "\n").encode()


NAVIGATION = (
    ("/", "Home"),
    ("/council", "Mayor and council"),
    ("/council/committees", "Committees"),
    ("/departments/public-works", "Public works"),
    ("/departments/parks", "Parks and shoreline"),
    ("/departments/finance", "Finance"),
    ("/departments/fire", "Fire and rescue"),
    ("/departments/library", "Library"),
    ("/departments/planning", "Planning"),
    ("/services/waste-collection", "Waste collection"),
    ("/services/permits", "Permits"),
    ("/bylaws/fees", "Bylaws and fees"),
    ("/a-to-z", "A to Z of services"),
)

LANDMARKS = {
    "main": '<main id="content">\n{body}\n</main>',
    "article": '<article class="story">\n{body}\n</article>',
    "": '<div class="column">\n{body}\n</div>',
}


def page(title: str, body_html: str, *, landmark: str = "main", head_html: str = "") -> bytes:
    """A page as a town publishes it: header, a menu, the body in its landmark, footer.

    `landmark` is `main`, `article` or empty, for a page that marks its content with neither.
    """
    links = "\n".join(f'<li><a href="{path}">{label}</a></li>' for path, label in NAVIGATION)
    content = LANDMARKS[landmark].format(body=body_html)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<link rel="stylesheet" href="/assets/town.css">
{head_html}
</head>
<body>
<header class="banner">
<a class="skip" href="#content">Skip to content</a>
<p class="name">Port Alder</p>
<nav aria-label="Sections">
<ul>
{links}
</ul>
</nav>
</header>
{content}
<footer>
<p>Town Hall, 1 Quay Street, Port Alder. Open Monday to Friday, 8:30 to 16:30.</p>
<p><a href="/about/contact">Contact</a> | <a href="/about/privacy">Privacy</a></p>
</footer>
</body>
</html>
""".encode()
