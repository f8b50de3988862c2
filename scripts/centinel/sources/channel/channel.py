"""Recordings that a channel, a feed or a page lists: metadata, captions, else sound, by yt-dlp."""

import hashlib
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import unquote, urlsplit

from centinel import addresses
from centinel.configuration import Source
from centinel.download import Body
from centinel.http import Answer, Client, Fetched, NotModified, user_agent
from centinel.journal import now
from centinel.liveness import Refusal
from centinel.pacing import NO_PAUSE_RPS
from centinel.record import TOO_LARGE, Json, Liveness, Resource
from centinel.sources.channel import captions, files, listing, metadata, places, program, refusals
from centinel.sources.channel.listing import Listed
from centinel.sources.channel.program import Failed, Manner
from centinel.sources.source_kind import Enumeration, Parts

METADATA, CAPTIONS, AUDIO = "#metadata", "#captions", "#audio"
"""What an artifact's address has behind that of its recording."""

_NOT_YET = {
    "is_upcoming": "upcoming: it has not begun",
    "is_live": "running now: it is kept once it has ended",
    "post_live": "just ended: what was said in it is still being prepared",
}
"""States in which there is no recording yet; one that runs has no end to be fetched to."""


@dataclass
class _Job:
    """What is kept while one client acquires one source."""

    source: Source
    client: "weakref.ref[Client]"
    recording: tuple[str, Json] | None = None
    """The resource that was asked last, and what is known of it: its parts are asked for next."""


class Channel:
    """`channel: URL`: any address that yt-dlp lists, a podcast's feed included."""

    key = "channel"

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
        found = Enumeration("playlist")
        if program.find() is None:
            found.reason = f"{program.NAME} is not installed on this machine: {program.INSTALL}"
            return found
        self._note_version(found)
        gathered: dict[str, Resource] = {}
        failed: list[tuple[str, Refusal]] = []
        tabs = places.tabs(str(source.value))
        counts: dict[str, int | None] = {}
        for tab in tabs:
            listed = _listed(tab, client)
            counts[tab.name] = None
            if isinstance(listed, Refusal):
                failed.append((tab.name, listed))
            elif listed is None:
                found.notes.append(f"{tab.name}: the channel has no such tab")
            else:
                counts[tab.name] = _take(found, gathered, tab.name, listed)
        found.figures["tabs"] = counts
        found.resources = sorted(gathered.values(), key=lambda each: each.address)
        _conclude(found, failed, has_list=any(each is not None for each in counts.values()))
        return found

    def _note_version(self, found: Enumeration) -> None:
        """Says which yt-dlp listed it, and warns of an old one."""
        version = program.version()
        age = program.age(version, self._clock().date())
        found.figures["yt_dlp"] = version
        found.figures["yt_dlp_age_days"] = age
        found.notes.append(f"listed by {program.NAME} {version or 'of an unknown version'}")
        if age is not None and age > program.STALE_DAYS:
            found.warnings.append(
                f"{program.NAME} {version} is {age} days old, and sites change: {program.UPGRADE}"
            )

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
        job, resource = self._job_of(source, client), artifact.removesuffix(METADATA)
        job.recording = None
        info = _extracted(resource, client)
        if isinstance(info, Refusal):
            return info
        job.recording = resource, info
        kept = metadata.reduced(info)
        name = hashlib.sha256(kept).hexdigest()
        body = Body(client.folder / f"{name}-metadata", name, len(kept), kept, is_in_memory=True)
        headers = {"content-type": "application/json"}
        return Fetched(artifact, None, headers, body, title=metadata.title_of(info))

    def fetch_part(
        self, source: Source, client: Client, artifact: str, validators: Mapping[str, str]
    ) -> Answer:
        """Asks for the captions, or the sound, of the recording that was just asked for."""
        job = self._job_of(source, client)
        resource, _, part = artifact.rpartition("#")
        if job.recording is None or job.recording[0] != resource:
            info = _extracted(resource, client, is_part=True)
            if isinstance(info, Refusal):
                return info
            job.recording = resource, info
        refused = client.admits(resource.partition("#")[0])
        if refused is not None:
            return refused
        write = _captions if f"#{part}" == CAPTIONS else _sound
        try:
            return write(artifact, job.recording[1], source, client, validators)
        except Failed as error:
            return refusals.refusal(str(error), artifact, is_part=True)
        except files.TooLarge as error:
            reason = f"{TOO_LARGE}: {error}, the limit is {source.max_bytes}"
            limit = source.max_bytes
            return Refusal(Liveness.ERROR, reason, None, artifact, size=error.size, limit=limit)

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
        return Parts((resource.address + part,), chosen.notes)

    def _job_of(self, source: Source, client: Client) -> _Job:
        """The memory of this job; another job's is dropped."""
        job = self._job
        if job is None or job.client() is not client or job.source != source:
            job = self._job = _Job(source, weakref.ref(client))
        return job


def _listed(tab: places.Tab, client: Client) -> Listed | Refusal | None:
    """What a tab lists; None where the channel does not have it."""
    refused = client.admits(tab.address)
    if refused is not None:
        return refused
    try:
        said = program.ask(_manner(tab.address, client), ["--flat-playlist", tab.address])
    except Failed as error:
        if refusals.has_no_such_tab(str(error)):
            return None
        return refusals.refusal(str(error), tab.address)
    listed = listing.read(said.value, tab.address)
    listed.gave_up = said.is_incomplete
    return listed


def _take(found: Enumeration, gathered: dict[str, Resource], name: str, listed: Listed) -> int:
    """Adds what a list gave to the others; returns how many recordings it lists."""
    twice = sum(address in gathered for address in listed.resources)
    for address, resource in listed.resources.items():
        gathered.setdefault(address, resource)
    also = f", {twice:,} of them in another tab" if twice else ""
    found.notes.append(f"{name}: {listed.spoken()}{also}")
    for key, count in (
        ("repeated", listed.repeated + twice),
        ("left_out", sum(listed.rejected.values())),
    ):
        found.figures[key] = found.figures.get(key, 0) + count
    if listed.gave_up:
        found.cut(f"{name}: the list broke off, it says no more than {listed.seen:,}")
    elif listed.declared is not None and listed.declared > listed.seen:
        found.cut(f"{name}: {listed.seen:,} entries are listed of {listed.declared:,} declared")
    return len(listed.resources)


def _conclude(found: Enumeration, failed: list[tuple[str, Refusal]], *, has_list: bool) -> None:
    """Says what the lists that failed mean for the snapshot."""
    if failed and not has_list:
        found.reason = failed[0][1].reason
        return
    for name, refusal in failed:
        found.cut(f"{name}: not listed: {refusal.liveness}: {refusal.reason}")
    if not found.resources:
        found.warnings.append("it lists no recording at all")


def _extracted(resource: str, client: Client, *, is_part: bool = False) -> Json | Refusal:
    """What yt-dlp knows of a recording; a refusal where there is none to be had yet, or at all."""
    address, _, entry = resource.partition("#")
    refused = client.admits(address)
    if refused is not None:
        return refused
    try:
        said = program.ask(_manner(address, client), ["--no-playlist", address])
    except Failed as error:
        return refusals.refusal(str(error), resource, is_part=is_part)
    info = listing.member(said.value, unquote(entry) if entry else None)
    if info is None:
        gone = "it is not on the page any more" if entry else "a list of recordings, and no one"
        return Refusal(Liveness.GONE if entry else Liveness.ERROR, gone, None, resource)
    state = _NOT_YET.get(str(info.get("live_status")))
    if state is not None:
        return Refusal(Liveness.LIVE, state, None, resource, pause=refusals.RESTS_FOR)
    return files.public(info, client.private_is_allowed)


def _manner(address: str, client: Client) -> Manner:
    """How an address is asked: as ourselves, but on YouTube, where it speaks for its players."""
    ours = None if places.is_youtube(address) else user_agent(client.contact)
    pause = client.interval(address)
    return Manner(ours, pause if pause > 1 / NO_PAUSE_RPS else 0.0, client.stop)


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
    manner = _manner(artifact, client)
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
        reason = "address: every format is at a private, link-local or loopback address"
        return Refusal(Liveness.BLOCKED, reason, None, artifact)
    made = files.sound(_manner(artifact, client), client.folder, info, source.max_bytes)
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
