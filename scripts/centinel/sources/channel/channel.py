"""Recordings that a channel, a feed or a page lists: metadata, captions, else sound, by yt-dlp."""

import hashlib
import weakref
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from urllib.parse import urlsplit

from centinel import addresses
from centinel.answers import Answer, Fetched, NotModified
from centinel.configuration import Source
from centinel.download import Body
from centinel.http import Client
from centinel.journal import now
from centinel.liveness import Refusal
from centinel.record import TOO_LARGE, Json, Liveness, Resource
from centinel.sources.channel import (
    asking,
    captions,
    files,
    listing,
    metadata,
    places,
    program,
    refusals,
)
from centinel.sources.channel.enumerating import enumerated
from centinel.sources.channel.program import Failed, Said
from centinel.sources.source_kind import Enumeration, Parts

METADATA, CAPTIONS, AUDIO = "#metadata", "#captions", "#audio"
"""What an artifact's address has behind that of its recording."""

NO_FORMAT = "no format is offered: requested format is not available"
NO_RUNTIME = (
    f"formats may be missing for want of a JavaScript runtime here: {program.INSTALL_RUNTIME}"
)

LONGEST_PAUSE = 60.0
"""Seconds between two requests that run into a wall."""


@dataclass
class _Job:
    """What is kept while one client acquires one source."""

    source: Source
    client: "weakref.ref[Client]"
    recording: tuple[str, Json] | None = None
    """The resource that was asked last, and what is known of it: its parts are asked for next."""
    told: dict[str, Json] | Refusal | None = None
    """What the list says of its entries; None where it was not asked for it yet."""
    walls: Counter[str] = field(default_factory=Counter)
    """How often in a row each sort of artifact was refused for who asks, or not answered."""

    def patiently(self, sort: str, client: Client, ask: Callable[[], Answer]) -> Answer:
        """Asks, after a pause that doubles with each wall in a row; raises Interrupted."""
        if self.walls[sort]:
            client.wait(min(client.backoff_seconds * 2 ** self.walls[sort], LONGEST_PAUSE))
        answer = ask()
        is_wall = isinstance(answer, Refusal) and not answer.answered
        self.walls[sort] = self.walls[sort] + 1 if is_wall else 0
        return answer


class Channel:
    """`channel: URL`: any address that yt-dlp lists, a podcast's feed included."""

    key = "channel"
    is_paced = False  # yt-dlp computes for seconds, and fetches what is large

    def __init__(self, clock: Callable[[], datetime] = now) -> None:
        self._job: _Job | None = None
        self._clock = clock

    def address(self, source: Source) -> str:
        """Returns the address as it was given."""
        return str(source.value)

    def private_is_allowed(self, source: Source) -> bool:
        """Returns whether the configured address itself is private or at the loopback."""
        return addresses.is_private(urlsplit(str(source.value)).hostname or "")

    def enumerate(self, source: Source, client: Client) -> Enumeration:
        """Asks for the list of every tab; one that fails makes the snapshot incomplete."""
        return enumerated(str(source.value), client, self._clock().date())

    def marker(self, resource: str) -> str:
        """Returns the metadata: captions that never come must not fetch the catalogue for ever."""
        return resource + METADATA

    def fetch(
        self,
        source: Source,
        client: Client,
        artifact: str,
        validators: Mapping[str, str],  # noqa: ARG002 (the metadata is made anew each time)
    ) -> Answer:
        """Asks what is known of a recording."""
        job = self._job_of(source, client)
        return job.patiently(METADATA, client, lambda: _known(job, artifact, client))

    def fetch_part(
        self, source: Source, client: Client, artifact: str, validators: Mapping[str, str]
    ) -> Answer:
        """Asks for the captions, or the sound, of the recording that was just asked for."""
        job = self._job_of(source, client)
        sort = artifact[artifact.rindex("#") :]
        return job.patiently(sort, client, lambda: _part(job, artifact, client, validators))

    def parts(
        self,
        source: Source,
        resource: Resource,
        fetched: Fetched,  # noqa: ARG002 (other kinds need it)
        kind: str,  # noqa: ARG002
    ) -> Parts:
        """Returns the captions; where there are none, the sound."""
        if self._job is None or self._job.recording is None:
            return Parts()
        address, info = self._job.recording
        if address != resource.address:
            return Parts()
        chosen = captions.choose(info, source.lang)
        part = CAPTIONS if chosen.track else AUDIO
        notes = chosen.notes
        if part == AUDIO and info.get(asking.LACKS_RUNTIME):
            notes = (*notes, NO_RUNTIME)
        if info.get("direct") and isinstance(self._job.told, Refusal):
            notes = (*notes, f"what its list says of it is not known: {self._job.told.reason}")
        return Parts((resource.address + part,), notes)

    def _job_of(self, source: Source, client: Client) -> _Job:
        """The memory of this job; another job's is dropped."""
        job = self._job
        if job is None or job.client() is not client or job.source != source:
            job = self._job = _Job(source, weakref.ref(client))
        return job


def _known(job: _Job, artifact: str, client: Client) -> Answer:
    """What is known of a recording, as the document that is kept."""
    resource = artifact.removesuffix(METADATA)
    job.recording = None
    info = asking.extracted(resource, client)
    if isinstance(info, Refusal):
        return info
    info = _with_its_list(job, resource, info)
    job.recording = resource, info
    kept = metadata.reduced(info)
    name = hashlib.sha256(kept).hexdigest()
    body = Body(client.folder / f"{name}-metadata", name, len(kept), kept, is_in_memory=True)
    headers = {"content-type": "application/json"}
    return Fetched(artifact, None, headers, body, title=metadata.title_of(info))


def _part(job: _Job, artifact: str, client: Client, validators: Mapping[str, str]) -> Answer:
    resource, _, part = artifact.rpartition("#")
    if job.recording is None or job.recording[0] != resource:
        info = asking.extracted(resource, client, is_part=True)
        if isinstance(info, Refusal):
            return info
        job.recording = resource, _with_its_list(job, resource, info)
    refused = client.admits(resource.partition("#")[0])
    if refused is not None:
        return refused
    write = _captions if f"#{part}" == CAPTIONS else _sound
    try:
        return write(artifact, job.recording[1], job.source, client, validators)
    except Failed as error:
        refusal = refusals.refusal(str(error), artifact, is_part=True)
        return _for_want_of_runtime(refusal, job.recording[1])
    except files.TooLarge as error:
        reason = f"{TOO_LARGE}: {error}, the limit is {job.source.max_bytes}"
        limit = job.source.max_bytes
        return Refusal(Liveness.ERROR, reason, None, artifact, size=error.size, limit=limit)


def _for_want_of_runtime(refusal: Refusal, info: Json) -> Refusal:
    """The refusal, which is this machine's where formats are missing for want of a runtime."""
    if not info.get(asking.LACKS_RUNTIME) or not refusals.is_for_want_of_formats(refusal.reason):
        return refusal
    reason = f"{refusal.reason}; {NO_RUNTIME}"
    return replace(refusal, liveness=Liveness.ERROR, reason=reason)


def _with_its_list(job: _Job, resource: str, info: Json) -> Json:
    """A recording with what the source's list says of it, where it is a file that says nothing."""
    client, listed_at = job.client(), str(job.source.value)
    if not info.get("direct") or resource == places.recording(listed_at) or client is None:
        return info
    if job.told is None:
        said = asking.asked_for_list(places.Tab("list", listed_at), client)
        job.told = listing.told(said.value, listed_at) if isinstance(said, Said) else said
    entry = job.told.get(resource) if isinstance(job.told, dict) else None
    return metadata.told_by(entry, info) if entry else info


def _captions(
    artifact: str,
    info: Json,
    source: Source,
    client: Client,
    validators: Mapping[str, str],  # noqa: ARG001 (captions are asked for anew)
) -> Answer:
    track = captions.choose(info, source.lang).track
    if track is None:
        return Refusal(Liveness.GONE, "it has no captions any more", None, artifact)
    manner = asking.manner(artifact, client)
    made = files.captions(manner, client.folder, info, track, source.max_bytes)
    if not made.body.size:
        made.body.discard()
        return Refusal(Liveness.ERROR, "an empty caption track, 0 bytes", None, artifact)
    return _fetched(artifact, info, made)


def _sound(
    artifact: str, info: Json, source: Source, client: Client, validators: Mapping[str, str]
) -> Answer:
    stamp = _stamp(info)
    if stamp and validators.get("etag") == stamp:
        return NotModified(artifact, None)
    if not info.get("formats"):
        is_private = info.get(files.LEFT_OUT)
        reason = files.ALL_PRIVATE if is_private else NO_FORMAT
        refusal = Refusal(Liveness.BLOCKED, reason, None, artifact)
        return _for_want_of_runtime(refusal, info)
    made = files.sound(asking.manner(artifact, client), client.folder, info, source.max_bytes)
    if not made.body.size:
        made.body.discard()
        return Refusal(Liveness.ERROR, "an empty recording, 0 bytes", None, artifact)
    return _fetched(artifact, info, made, stamp)


def _fetched(artifact: str, info: Json, made: files.Made, stamp: str = "") -> Fetched:
    headers = {"content-type": made.declared_type} if made.declared_type else {}
    if stamp:
        headers["etag"] = stamp
    return Fetched(artifact, None, headers, made.body, title=metadata.title_of(info))


def _stamp(info: Json) -> str:
    """What stands for an entity tag of the sound: hundreds of megabytes are not fetched again.

    Empty where nothing tells a changed recording from an unchanged one.
    """
    told = [info.get(key) for key in ("duration", "timestamp", "upload_date")]
    if not any(told):
        return ""
    return f'"{hashlib.sha256(repr([info.get("id"), *told]).encode()).hexdigest()[:32]}"'
