"""A list of dataset landing pages: each with its platform's metadata, and every file of it."""

import hashlib
import itertools
import os
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

from centinel import addresses
from centinel.answers import Answer, Fetched, NotModified
from centinel.configuration import Source
from centinel.download import KEPT_IN_MEMORY, Body
from centinel.files import to_bytes, write_whole
from centinel.http import Client
from centinel.ingest import statuses, verifying
from centinel.ingest.capturing import METADATA, Capture, capture, kept_answer
from centinel.ingest.lines import parsed
from centinel.ingest.manifest import ALTERNATIVES
from centinel.ingest.model import ManifestFile, Observed
from centinel.ingest.platforms.platform import ApiAnswer, Ask
from centinel.ingest.request import BadRequest, Request
from centinel.ingest.settings import Settings, settings_of
from centinel.journal import now
from centinel.liveness import Refusal
from centinel.record import TOO_LARGE, Json, Liveness, Resource
from centinel.sources.source_kind import Enumeration, Parts

ALSO_HASHED = ("md5", "sha1")
"""What manifests declare besides SHA-256; taken while the bytes arrive."""

EMPTY_AS_DECLARED = "an empty file, as declared"

WALLS = ("x-amzn-waf-action", "cf-mitigated")
"""Headers of walls that want a browser to prove itself (vendors' documentation)."""

VALIDATORS = ("etag", "last-modified")
"""What makes the next request for an address conditional."""

MOST_OF_AN_ANSWER = 64 << 20
MOST_OF_ALL_ANSWERS = 256 << 20
"""Bytes of one answer of an API, and of all for one dataset: they are read into memory."""

MOST_BAD_LINES = 20
"""So many lines that are no request are named in the warnings; the rest is counted."""

Listed = list[tuple[int, str, Request | BadRequest]]
"""The lines of a list with their numbers; a line that is no request is its exception."""

StatusOf = Callable[[str | None, str | None, int | None], str]

_numbers = itertools.count(1)


@dataclass
class _Job:
    """What is kept while one client acquires one source."""

    source: Source
    client: "weakref.ref[Client]"
    settings: Settings
    requests: dict[str, Request] = field(default_factory=dict)
    """By address: who asks for it, as the list says."""
    capture: Capture | None = None
    """Of the address that was asked last: its parts are asked for next."""
    landing: Fetched | None = None
    files: dict[str, ManifestFile] = field(default_factory=dict)

    parts: frozenset[str] = frozenset()
    hosts: set[str] = field(default_factory=set)
    """Those that the list itself names, as they are asked."""

    def expect(self, request: Request) -> None:
        """Notes who asks for an address."""
        self.requests[request.address] = request
        self.hosts.add(addresses.host(self.settings.hosts.placed(request.address)))

    def may_be_private(self, artifact: str) -> bool:
        """Returns whether what the page that named it cannot vouch for any more may be asked.

        An address that is not of the public network may be where the list names its host.
        """
        return addresses.host(self.settings.hosts.placed(artifact)) in self.hosts


class Datasets:
    """`datasets: FILE`, one address, DOI or request a line; relative to the working directory."""

    key = "datasets"
    is_paced = False  # a file of gigabytes that is broken off begins again

    def __init__(self, clock: Callable[[], datetime] = now) -> None:
        self._job: _Job | None = None
        self._clock = clock

    def address(self, source: Source) -> str:
        """Returns the file as it was given."""
        return str(source.value)

    def private_is_allowed(self, source: Source) -> bool:  # noqa: ARG002 (other kinds need it)
        """Returns False: each landing page decides for itself, as it is asked."""
        return False

    def enumerate(self, source: Source, client: Client) -> Enumeration:  # noqa: ARG002
        """Reads the list; lines that are no request are named, and left out."""
        found = Enumeration("list")
        try:
            lines = read_requests(Path(source.value))
        except OSError as error:
            found.reason = (
                f"{source.value}: {error.strerror or error}: name a file that can be read"
            )
            return found
        bad = [(number, each) for number, _, each in lines if isinstance(each, BadRequest)]
        found.warnings += [f"line {number}: {error}" for number, error in bad[:MOST_BAD_LINES]]
        if len(bad) > MOST_BAD_LINES:
            found.warnings.append(f"{len(bad) - MOST_BAD_LINES} more lines are no request")
        listed = {each.address for _, _, each in lines if isinstance(each, Request)}
        found.resources = [Resource(each) for each in sorted(listed)]
        found.figures |= {
            "lines": len(lines),
            "bad_lines": len(bad),
            "repeated": len(lines) - len(bad) - len(listed),
        }
        return found

    def marker(self, resource: str) -> str:
        """Returns the platform's metadata: it names the landing page and the files as parts."""
        return resource + METADATA

    def fetch(
        self,
        source: Source,
        client: Client,
        artifact: str,
        validators: Mapping[str, str],  # noqa: ARG002 (the metadata is made anew each time)
    ) -> Answer:
        """Asks for a landing page, then for what its platform's API says of it."""
        job = self._job_of(source, client)
        address = artifact.removesuffix(METADATA)
        if job.landing is not None:
            job.landing.body.discard()
        job.capture, job.landing, job.files, job.parts = None, None, {}, frozenset()
        client.private_is_allowed = is_private(job.settings.hosts.placed(address))
        landing = client.get(job.settings.hosts.placed(address))
        if not isinstance(landing, Fetched):
            return _paused(_as_refusal(landing), statuses.of_landing)
        request = job.requests.get(address) or Request("dataset", address)
        asking = _Asking(client, job.settings)
        made = capture(request, landing, asking, job.settings, source.max_bytes)
        job.capture, job.landing, job.files = made, landing, made.files()
        job.parts = frozenset(made.parts())
        return Fetched(
            landing.final_url,
            landing.http_status,
            {"content-type": "application/json"},
            _body(client.folder, to_bytes(made.to_json())),
            pause=_pause_of(made, self._clock()),
        )

    def fetch_part(
        self, source: Source, client: Client, artifact: str, validators: Mapping[str, str]
    ) -> Answer:
        """Gives the landing page that was just asked for, or asks for a file."""
        job = self._job_of(source, client)
        if job.capture is not None and artifact == job.capture.address and job.landing is not None:
            answer: Answer = job.landing
            job.landing = None
        else:
            if artifact not in job.parts:
                client.private_is_allowed = job.may_be_private(artifact)
            answer = self._file(job, client, artifact, validators)
        if isinstance(answer, NotModified):
            return answer
        if isinstance(answer, Refusal):
            return _paused(answer, statuses.of_file)
        return _judged(answer, job.files.get(artifact))

    def parts(
        self,
        source: Source,  # noqa: ARG002 (other kinds need it)
        resource: Resource,
        fetched: Fetched,  # noqa: ARG002
        kind: str,  # noqa: ARG002
    ) -> Parts:
        """Returns the landing page, and the files that the manifest names."""
        job = self._job
        if job is None or job.capture is None or job.capture.address != resource.address:
            return Parts()
        return Parts(job.capture.parts())

    def _file(
        self, job: _Job, client: Client, artifact: str, validators: Mapping[str, str]
    ) -> Answer:
        """Asks for a file; where its address gives none, for the other places of the same bytes."""
        placed = job.settings.hosts.placed
        answer = client.get(placed(artifact), validators)
        file = job.files.get(artifact)
        for other in file.extra.get(ALTERNATIVES, ()) if file else ():
            if not isinstance(answer, Refusal) or answer.reason == "robots":
                break
            address = addresses.canonical(str(other))
            tried = client.get(placed(address)) if address else answer
            answer = tried if isinstance(tried, Fetched) else answer
        return answer

    def _job_of(self, source: Source, client: Client) -> _Job:
        """The memory of this job; another job's is dropped."""
        job = self._job
        if job is None or job.client() is not client or job.source != source:
            job = self._job = _Job(source, weakref.ref(client), settings_of(source.ingest))
            for _, _, listed in requests_in(source) or ():
                if isinstance(listed, Request):
                    job.expect(listed)
            client.also_hashed = ALSO_HASHED
        return job

    def expect(self, source: Source, client: Client, request: Request) -> None:
        """Notes who asks for an address, where that stands in no list."""
        self._job_of(source, client).expect(request)


@dataclass
class _Asking:
    """Asks an API by the client of the job, within bounds: every answer is kept in memory."""

    client: Client
    settings: Settings
    left: int = MOST_OF_ALL_ANSWERS

    def __call__(self, ask: Ask) -> tuple[ApiAnswer, Json]:
        answer = self._answer(ask)
        if isinstance(answer, Fetched):
            content = answer.body.content()
            answer.body.discard()
            self.left -= len(content)
            final_url = self.settings.hosts.public(answer.final_url)
            made = ApiAnswer.of(answer.http_status, answer.headers, content, final_url)
            return made, kept_answer(ask, made, content, None)
        # The client tells a wall by its header, and names the header in its reason.
        walls = {name: "" for name in WALLS if name in answer.reason}
        is_whole = not answer.reason.startswith(TOO_LARGE)
        status = answer.http_status if is_whole else None
        made = ApiAnswer(status, walls, None, answer.reason, answer.final_url)
        return made, kept_answer(ask, made, None, answer.reason)

    def _answer(self, ask: Ask) -> Fetched | Refusal:
        most = min(self.left, MOST_OF_AN_ANSWER)
        if most <= 0:
            reason = f"over {MOST_OF_ALL_ANSWERS} bytes of answers"
            return Refusal(Liveness.ERROR, reason, None, ask.address)
        bound, self.client.max_bytes = self.client.max_bytes, min(most, self.client.max_bytes)
        try:
            answer = self.client.get(self.settings.hosts.placed(ask.address))
        finally:
            self.client.max_bytes = bound
        return answer if isinstance(answer, Fetched) else _as_refusal(answer)


def read_requests(path: Path) -> Listed:
    """Returns the lines of a list with their numbers and requests; a bad one is its exception.

    Empty lines and lines that open with `#` are none. Raises OSError.
    """
    with path.open("rb") as stream:
        decoded = (each.decode("utf-8", "replace").strip() for each in stream)
        lines = list(enumerate(decoded, 1))
    return [(number, line, parsed(line)) for number, line in lines if line and line[0] != "#"]


def requests_in(source: Source) -> Listed | None:
    """Returns the requests of a source's list; None where it cannot be read."""
    try:
        return read_requests(Path(source.value))
    except OSError:
        return None


def is_private(address: str) -> bool:
    """Returns whether an address is not of the public network."""
    return addresses.is_private(urlsplit(address).hostname or "")


def _as_refusal(answer: Refusal | NotModified) -> Refusal:
    if isinstance(answer, Refusal):
        return answer
    return Refusal(Liveness.ERROR, "http 304 to an unconditional request", 304, answer.final_url)


def _paused(refusal: Refusal, status_of: StatusOf) -> Refusal:
    """The refusal with how long the table of statuses lets it rest."""
    name = status_of(str(refusal.liveness), refusal.reason, refusal.http_status)
    return replace(refusal, pause=statuses.table().pause(name).total_seconds())


def _pause_of(made: Capture, at: datetime) -> float | None:
    """How long an end of the metadata rests, in seconds; None for what only a revisit changes."""
    if made.stop is None:
        return None
    status = statuses.table().of(made.stop.status)
    due = statuses.retry_at(status, at, until=statuses.day_of(made.stop.until))
    return None if due is None else (due - at).total_seconds()


def _judged(answer: Fetched, file: ManifestFile | None) -> Answer:
    """What the bytes of a file are worth: they are kept whatever they show, except for none."""
    if file is None:
        return answer
    if not answer.body.size:
        answer.body.discard()
        if file.size:
            refusal = Refusal(Liveness.ERROR, "empty-blob: 0 bytes", answer.http_status)
            return _paused(refusal, statuses.of_file)
        longest = statuses.LONGEST.total_seconds()
        return Refusal(
            Liveness.LIVE, EMPTY_AS_DECLARED, answer.http_status, answer.final_url, pause=longest
        )
    hashes = answer.body.digests
    observed = Observed(answer.body.size, hashes.get("md5"), hashes.get("sha1"), answer.body.sha256)
    status = statuses.table().of(verifying.verified(file, observed).status or statuses.SUCCESS)
    if status.is_hit:
        return answer
    # Without its validators it is asked for whole the next time: "as it was" would help nobody.
    headers = {key: value for key, value in answer.headers.items() if key not in VALIDATORS}
    return replace(
        answer, headers=headers, pause=statuses.table().pause(status.name).total_seconds()
    )


def _body(folder: Path, content: bytes) -> Body:
    """The body that a document of ours is, beside the bodies that were served."""
    path = folder / f"{os.getpid()}-metadata-{next(_numbers)}"
    write_whole(path, content)
    return Body(path, hashlib.sha256(content).hexdigest(), len(content), content[:KEPT_IN_MEMORY])
