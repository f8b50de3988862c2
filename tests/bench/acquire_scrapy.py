"""Scrapy over a list of addresses, each body hashed. Runs in build/venv-bench, without the project.

`python acquire_scrapy.py addresses.txt --at-once 1` prints what it took as JSON: from the start of
the engine to its end, so that no import counts. Everything else is as Scrapy sets it by default.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import scrapy
from scrapy import signals
from scrapy.crawler import CrawlerProcess


class Hashing(scrapy.Spider):
    """Asks for all addresses and hashes what comes."""

    name = "hashing"

    @classmethod
    def from_crawler(cls, crawler: Any, *arguments: Any, **named: Any) -> Hashing:
        """Returns the spider, which takes the time between the engine's own signals."""
        spider = super().from_crawler(crawler, *arguments, **named)
        spider.hashes: list[str] = []
        crawler.signals.connect(spider.begin, signal=signals.engine_started)
        crawler.signals.connect(spider.end, signal=signals.engine_stopped)
        return spider

    def begin(self) -> None:
        """Takes the time of the start."""
        self.wall, self.processor = time.perf_counter(), time.process_time()

    def end(self) -> None:
        """Prints what it took."""
        wall, processor = time.perf_counter() - self.wall, time.process_time() - self.processor
        made = {
            "wall": wall,
            "processor": processor,
            "pages": len(self.hashes),
            "bodies": hashlib.sha256("".join(sorted(self.hashes)).encode()).hexdigest(),
            "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        }
        print(json.dumps(made), flush=True)

    def parse(self, response: Any) -> Iterator[Any]:
        """Takes one answer."""
        self.hashes.append(hashlib.sha256(response.body).hexdigest())
        yield from ()


def main() -> None:
    """Crawls once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("addresses", type=Path)
    parser.add_argument("--at-once", type=int, default=0, help="default: Scrapy's own")
    arguments = parser.parse_args()
    settings: dict[str, Any] = {"ROBOTSTXT_OBEY": True, "LOG_ENABLED": False, "DOWNLOAD_DELAY": 0}
    if arguments.at_once:
        settings["CONCURRENT_REQUESTS"] = arguments.at_once
        settings["CONCURRENT_REQUESTS_PER_DOMAIN"] = arguments.at_once
    process = CrawlerProcess(settings)
    process.crawl(Hashing, start_urls=arguments.addresses.read_text().split())
    process.start()


if __name__ == "__main__":
    main()
