"""The part `turns` of `make bench-scale`: how long until each of many sources has had its turn.

Every source is a host of its own on the loopback network (127.1.x.y), asked at its pace; one server
answers for all of them at once, so that what is measured is waiting, and how much of it is done
side by side. Reading is left out: the run ends with what acquire writes.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from centinel.configuration import Configuration
from tests.bench.measuring import Timed, run_workflow
from tests.sites.server import robots, sitemap
from tests.workflow.running import Workflow

SLOTS = 5
"""Jobs that wait on the network at once: `profiles/default`."""

LONGEST_ALONE = 900.0
"""Seconds; five at a time is only computed where it would take longer."""


@dataclass
class Hosts:
    """Sites of the same pages, one an address, and when each was asked for a page."""

    names: Sequence[str]
    documents: int
    port: int = 0
    pages: dict[str, list[float]] = field(default_factory=dict)

    def address(self, name: str) -> str:
        """Returns the address of a site."""
        return f"http://{name}:{self.port}"

    @contextmanager
    def served(self) -> Iterator[None]:
        """Answers while the block runs."""
        loop = asyncio.new_event_loop()
        server = loop.run_until_complete(self._start())
        thread = threading.Thread(target=loop.run_forever, daemon=True)
        thread.start()
        try:
            yield
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            server.close()

    async def _start(self) -> asyncio.Server:
        """All addresses share a port: one that is free at the first is so at the others."""
        first = await asyncio.start_server(self._converse, self.names[0], 0)
        self.port = first.sockets[0].getsockname()[1]
        first.close()
        return await asyncio.start_server(self._converse, list(self.names), self.port, backlog=1024)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        name = writer.get_extra_info("sockname")[0]
        while (head := await _head(reader)) is not None:
            body, kind = self._answer(name, head.split(b" ")[1].decode())
            status = "200 OK" if kind else "404 Not Found"
            said = (
                f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            writer.write(said.encode() + body)
            await writer.drain()
        writer.close()

    def _answer(self, name: str, path: str) -> tuple[bytes, str]:
        if path == "/robots.txt":
            return robots(f"Sitemap: {self.address(name)}/sitemap.xml"), "text/plain"
        if path == "/sitemap.xml":
            listed = [f"{self.address(name)}/{number}" for number in range(self.documents)]
            return sitemap(listed), "application/xml"
        self.pages.setdefault(name, []).append(time.monotonic())
        return f"<!doctype html><title>{path}</title><p>{name} {path}".encode(), "text/html"


async def _head(reader: asyncio.StreamReader) -> bytes | None:
    """The head of the next request; None where the client has left."""
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


@dataclass(frozen=True)
class Turns:
    """When the sources were asked, in seconds since the run began."""

    timed: Timed
    begun: list[float]
    ended: list[float]

    @property
    def most_at_once(self) -> int:
        """How many sources were between their first page and their last at the same moment."""
        changes = sorted([*((at, 1) for at in self.begun), *((at, -1) for at in self.ended)])
        now = most = 0
        for _, change in changes:
            now += change
            most = max(most, now)
        return most

    def line(self, beside: int) -> str:
        """Returns one line of the figures."""
        return (
            f"beside {beside}: each has begun after {max(self.begun):.0f} s, "
            f"is acquired after {max(self.ended):.0f} s (half of them after "
            f"{sorted(self.ended)[len(self.ended) // 2]:.0f} s), {self.most_at_once} at once; "
            f"the run {self.timed.wall:.0f} s, processor {self.timed.processor:.0f} s"
        )


def measure(folder: Path, sources: int, cores: int, documents: int, rps: float) -> None:
    """Prints how long it takes with companions, and without where that is not too long."""
    alone = -(-sources // SLOTS) * documents / rps
    print(f"{sources} sources of {documents} documents at {rps:g} a second", flush=True)
    print(f"five at a time, by arithmetic: {alone:.0f} s", flush=True)
    for beside in (Configuration.beside, 0):
        if beside or alone <= LONGEST_ALONE:
            found = _turns(folder / f"turns-{beside}", sources, cores, documents, rps, beside)
            print(found.line(beside), flush=True)


def _turns(
    folder: Path, sources: int, cores: int, documents: int, rps: float, beside: int
) -> Turns:
    names = [f"127.1.{number // 250}.{number % 250 + 1}" for number in range(sources)]
    hosts = Hosts(names, documents)
    with hosts.served():
        blocks = {
            f"town-{number:04}": {"site": f"{hosts.address(name)}/", "rps": rps}
            for number, name in enumerate(names)
        }
        workflow = Workflow.make(folder, blocks)
        targets = [f"{workflow.results_name}/{name}/artifacts.jsonl" for name in blocks]
        environment = {"NO_PROXY": ",".join(names), "no_proxy": ",".join(names)}
        began = time.monotonic()
        config = [f"beside={beside}"]
        timed = run_workflow(workflow, cores, *targets, config=config, environment=environment)
    pages = hosts.pages.values()
    return Turns(timed, [min(at) - began for at in pages], [max(at) - began for at in pages])
