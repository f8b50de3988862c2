"""An archive with a history: the town in three snapshots, by the library's own functions.

Between the first and the second, pages come, go and change, and some are refused; before the
third, one more is. All of its bytes are verified. Beside the town: a list of datasets, a source
that was cut short and of which a blob rotted, one that was never run.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson

from centinel import changes, classify, crumbs, kinds
from centinel.configuration import Configuration, Pipeline, Source, load, read_yaml
from centinel.extract import Extract, Reads
from centinel.files import read_lines, write_whole
from centinel.fixity.shards import shards_of
from centinel.fixity.verifying import compare, settle
from centinel.progress import Progress
from centinel.record import Resource
from centinel.report import overview
from centinel.report import source as audit
from centinel.schemas import PROJECT
from centinel.snapshot import take
from centinel.sources.source_kind import Enumeration
from centinel.sources.website import Website
from centinel.store import Store
from centinel.transcribe.spoken import Segment
from centinel.transcribe.texts import Transcripts
from centinel.transcribe.transcript import Shelf, Transcript
from tests.sites.server import Answer, Site
from tests.sites.town.town import serve
from tests.unit.support import Clock, Direct, Published, acquire, client, source

SILENT = Progress("test", streams=())
FIRST = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND = FIRST + timedelta(days=14)
THIRD = FIRST + timedelta(days=31)
MADE = FIRST + timedelta(days=45)
"""When the audits are made."""

BLOCKED = Answer(b"<title>Access denied</title>", "text/html", status=403)
GONE = Answer(b"<title>Withdrawn</title>", "text/html", status=410)
RETRY = dict.fromkeys(("error", "blocked", "gone"), timedelta(days=7))


def made_at() -> datetime:
    """The clock of the audits."""
    return MADE


def make(results: Path) -> Configuration:
    """Writes `results/`, with the audit of each source and that of all; returns what made them."""
    with Site() as site:
        serve(site)
        town = source(f"{site.address}/", revisit=timedelta(days=10), retry=RETRY)
        configuration = _configuration(results, town)
        _town(Store(results, "town"), town, site, configuration)
        _cut(Store(results, "county"), configuration.sources["county"], site, configuration)
        _datasets(Store(results, "datasets"), configuration)
    overview.write(configuration, made_at)
    return configuration


def report(store: Store, configuration: Configuration) -> None:
    """Does what the job report does."""
    changes.write(store)
    crumbs.write(store, crumbs.standing(configuration))
    audit.write(store, configuration.sources[store.source], configuration.pipeline, made_at)


def _configuration(results: Path, town: Source) -> Configuration:
    files = (PROJECT / "config/config.yaml", PROJECT / "config/pipeline.yaml")
    given = {key: value for path in files for key, value in read_yaml(path, path.name).items()}
    blocks = {each: {"site": town.value} for each in ("town", "county", "datasets", "school")}
    listed = results / "sources.yaml"
    write_whole(listed, orjson.dumps(blocks))
    made = load({**given, "sources": str(listed), "results": str(results)}, PROJECT)
    return replace(made, sources={**made.sources, "town": town})


def _town(store: Store, town: Source, site: Site, configuration: Configuration) -> None:
    clock, pipeline = Clock(FIRST), configuration.pipeline
    whole = Website().enumerate(town, client(store.incoming))
    _visit(store, town, clock, whole)
    _read(store, pipeline)
    _change(site)
    clock.at = SECOND
    added = [Resource(f"{site.address}/news/spring-{number}") for number in range(12)]
    left = [each for each in whole.resources if "/bylaws/" not in each.address]
    _visit(store, town, clock, replace(whole, resources=[*left, *added]))
    clock.at = THIRD
    site.set("/departments/parks", BLOCKED)
    _visit(store, town, clock, replace(whole, resources=[*left[3:], *added]))
    _read(store, pipeline)
    (store.blobs / "left.behind").write_bytes(b"by somebody")
    _verify(store)
    report(store, configuration)


def _verify(store: Store) -> None:
    """Compares all bytes with their hashes, two weeks after they were acquired."""
    for shard in shards_of(store):
        settle(store, compare(store, shard), 0, lambda: MADE - timedelta(days=1))


def _change(site: Site) -> None:
    """A fortnight later: new pages, another text, and what is refused now."""
    for number in range(12):
        words = f"Spring {number} in Port Alder. " * 40
        links = f'<a href="https://partner-{number}.example/">partner</a>'
        text = f"<title>Spring {number}</title><h1>Spring {number}</h1><p>{words}{links}</p>"
        site.set(f"/news/spring-{number}", Answer(text.encode(), "text/html; charset=utf-8"))
    for path in ("/departments/fire", "/departments/library"):
        site.set(path, BLOCKED)
    site.set("/services/permits", GONE)
    page = b"<title>Council</title><h1>Council</h1><p>The council meets on other days now.</p>"
    site.set("/council", Answer(page, "text/html; charset=utf-8"))


def _visit(store: Store, town: Source, clock: Clock, found: Enumeration) -> None:
    """One snapshot, and all that is due at its time."""
    take(store, town, Published(found), client(store.incoming), clock)
    acquire(store, town, clock)


def _read(store: Store, pipeline: Pipeline) -> None:
    """Names the kinds, and reads every shard: documents by the real readers, sound as if heard."""
    classify.run(store, pipeline.kinds_version)
    scratch = store.results / "scratch"
    scratch.mkdir(exist_ok=True)
    for kind, shard in classify.work_files(store):
        reading = pipeline.reading(kind)
        reads: Reads = Direct(pipeline.orders, scratch)
        if kind in kinds.RECORDINGS:
            shelf = Shelf(store, kind, reading.path_version)
            _hear(shelf, shard)
            reads = Transcripts(shelf, scratch)
        Extract(store, kind, reading.version, reads, SILENT, model=reading.model).run(shard)


def _hear(shelf: Shelf, shard: str) -> None:
    """Puts a transcript of each sound on the shelf; films wait."""
    if shelf.kind != "audio":
        return
    said = (Segment(0.0, 4.2, "The council meets on Tuesday.", 0.92),)
    machine = {"engine": "pywhispercpp", "engine_version": "1.5.1", "model": "tiny.en"}
    figures = {"seconds": 4.2, "segments": 1}
    for line in read_lines(shelf.store.work_file(shelf.kind, shard)):
        shelf.keep(line["blob"], Transcript(said, provenance={**machine, **figures}))


def _cut(store: Store, county: Source, site: Site, configuration: Configuration) -> None:
    """A snapshot that was cut, of which nothing was asked yet but two addresses; one rotted."""
    found = [Resource(f"{site.address}/{path}") for path in ("council", "staff/directory", "x")]
    cut = Enumeration("sitemap", found, truncated=True, warnings=["a sitemap answered 503"])
    _visit(store, replace(county, limit=2, rps=1000.0), Clock(THIRD), cut)
    _read(store, configuration.pipeline)
    blob = next(read_lines(store.artifacts))["blob"]
    store.blob(blob).write_bytes(b"rotten")
    _verify(store)
    report(store, configuration)


def _datasets(store: Store, configuration: Configuration) -> None:
    """Requests as `ingest/results.jsonl` has them: hits, and misses of two sorts."""
    hit = {"hit": True, "status": "success", "ingest_strategy": "web-fileset"}
    rows = [
        {**hit, "file_count": 3, "total_size": 52_000_000, "error_message": None},
        *(_miss("no-platform", "no platform is known at this address") for _ in range(4)),
        _miss("mismatch", "data.csv: sha1 differs from the declared one"),
    ]
    requests = ({"request": {"base_url": f"https://data.example/{n}"}} for n in range(len(rows)))
    lines = ({**row, **request} for row, request in zip(rows, requests, strict=True))
    write_whole(store.ingest_results, b"".join(orjson.dumps(each) + b"\n" for each in lines))
    county = configuration.sources["county"]
    _visit(store, county, Clock(THIRD), Enumeration("list", [Resource(str(county.value))]))
    report(store, configuration)


def _miss(status: str, why: str) -> dict[str, object]:
    figures = {"ingest_strategy": None, "file_count": None, "total_size": None}
    return {"hit": False, "status": status, **figures, "error_message": why}
