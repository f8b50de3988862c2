"""What became of a request: one row, made from the record alone."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

import orjson

from centinel import addresses
from centinel.history import History
from centinel.ingest import bundles, items, statuses, verifying
from centinel.ingest.capturing import METADATA, Capture
from centinel.ingest.lines import given, request_of
from centinel.ingest.manifest import REASON
from centinel.ingest.model import ManifestFile
from centinel.ingest.observing import EMPTY, observed_of
from centinel.ingest.request import BadRequest, Request
from centinel.ingest.rows import (
    LONGEST_MESSAGE,
    Fileset,
    blank,
    bundle_name,
    count,
    difference,
    digits,
    entry,
    of_platform,
    total,
)
from centinel.ingest.settings import Settings
from centinel.ingest.strategies import EXISTING, Strategy
from centinel.known import Known
from centinel.record import Json, Liveness, Observation, moment, timestamp
from centinel.store import Store

_EMPTY_AS_DECLARED = "an empty file"


@dataclass
class Results:
    """Makes the rows of one source."""

    store: Store
    history: History
    settings: Settings
    max_bytes: int
    clock: Callable[[], datetime]
    takes: Callable[[str], bool] = lambda _address: True
    """Whether the source's `match` and `exclude` let an address be acquired."""
    table: statuses.Table = field(default_factory=statuses.table)

    def row(self, asked: Request | BadRequest, line: str = "") -> Json:
        """Returns the row of a request; never raises: what is unexpected is `internal-error`."""
        return self.both(asked, line)[0]

    def both(self, asked: Request | BadRequest, line: str = "") -> tuple[Json, Fileset | None]:
        """Returns the row, and what it was made of where there is a manifest."""
        if isinstance(asked, BadRequest):
            return self._bad(asked, line), None
        try:
            return self._made(asked, line)
        except Exception as error:  # noqa: BLE001 (the edge of a unit of work)
            message = f"{type(error).__name__}: {error}"
            return self._end(asked, line, statuses.INTERNAL_ERROR, message), None

    def _bad(self, error: BadRequest, line: str) -> Json:
        row = blank(statuses.BAD_REQUEST, given(line))
        return {**row, "error_message": str(error)[:LONGEST_MESSAGE], "updated": self._now()}

    def _now(self) -> str:
        return timestamp(self.clock())

    def _made(self, request: Request, line: str) -> tuple[Json, Fileset | None]:
        address = request.address
        known = self.history.known(address + METADATA)
        if known is None:
            status, message = self._never_asked(address)
            row = self._end(request, line, status, message)
            return {**row, "terminal_url": address}, None
        seen = known.observation
        if seen is None:
            status = statuses.of_landing(known.liveness, known.reason, known.http_status)
            row = self._end(request, line, status, known.reason)
            more = {"terminal_url": address, "terminal_status_code": known.http_status}
            return {**row, **more, **self._times(status, known, None)}, None
        document = orjson.loads(self.store.blob(seen.blob).read_bytes())
        return self._captured(request, line, known, Capture.from_json(document))

    def _captured(
        self, request: Request, line: str, known: Known, capture: Capture
    ) -> tuple[Json, Fileset | None]:
        found = self.fileset(request, capture)
        row = blank(found.status, request_of(line, request))
        row["hit"] = self.table.of(found.status).is_hit
        row |= self._of_landing(capture, known)
        row |= of_platform(capture)
        row |= self._of_files(found)
        row |= self._times(found.status, known, capture)
        return row, found

    # The files

    def fileset(self, request: Request, capture: Capture) -> Fileset:
        """Returns the files of a capture, each as it was found to be, and the status of all."""
        stop, item = capture.stop, capture.item
        if item is None or stop is not None:
            status = stop.status if stop else statuses.INTERNAL_ERROR
            files = item.manifest if item else ()
            return Fileset(request, capture, files, {}, status)
        messages: dict[str, str] = {}
        bundle = self.history.observed(capture.bundle) if capture.bundle else None
        if capture.bundle is not None:
            files = self._bundled(capture, item.manifest, messages)
        else:
            files = tuple(self._file(capture, each, messages) for each in item.manifest)
        strategy = Strategy(capture.strategy or "")
        success = statuses.SUCCESS_FILE if strategy.is_file else statuses.SUCCESS
        if item.platform == EXISTING:
            success = statuses.SUCCESS_EXISTING
        status = verifying.overall(files, self.table, success)
        name = None
        if strategy.is_staged:
            name = items.item_name(
                item.archiveorg_item_name, item.platform_domain, item.platform_id
            )
        return Fileset(request, capture, files, messages, status, name, bundle)

    def _file(self, capture: Capture, file: ManifestFile, messages: dict[str, str]) -> ManifestFile:
        if file.status is not None:
            messages[file.path] = str(file.extra.get(REASON, file.status))
            return file
        if capture.is_too_large(file):
            messages[file.path] = f"{file.size} bytes, the limit is {capture.max_bytes}"
            return verifying.refused(file, statuses.TOO_LARGE_SIZE)
        artifact = capture.artifact_of(file)
        known = self.history.known(artifact) if artifact else None
        if known is None or artifact is None:
            status, messages[file.path] = self._never_asked(artifact)
            return verifying.refused(file, status)
        seen = known.observation
        if seen is not None:
            return self._seen(file, seen)
        if known.liveness == Liveness.LIVE and (known.reason or "").startswith(_EMPTY_AS_DECLARED):
            whole = replace(file, terminal_url=artifact, terminal_dt=digits(known.last_checked))
            return verifying.verified(whole, EMPTY)
        messages[file.path] = known.reason or "refused"
        status = statuses.of_file(known.liveness, known.reason, known.http_status)
        where = replace(file, terminal_url=artifact, terminal_dt=digits(known.last_checked))
        return verifying.refused(where, status)

    def _never_asked(self, address: str | None) -> tuple[str, str]:
        """The status of what the record knows nothing of, and why."""
        if address is None:
            return "invalid-url", "no usable address"
        if not self.takes(address):
            return statuses.SKIPPED, "left out by match or exclude"
        return statuses.NO_CAPTURE, "not asked yet"

    def _seen(self, file: ManifestFile, seen: Observation) -> ManifestFile:
        public = self.settings.hosts.public(seen.final_url)
        where = replace(file, terminal_url=public, terminal_dt=digits(seen.at))
        return verifying.verified(where, observed_of(self.store, seen, file.path))

    def _bundled(
        self, capture: Capture, manifest: tuple[ManifestFile, ...], messages: dict[str, str]
    ) -> tuple[ManifestFile, ...]:
        """The files inside the platform's archive; without it, each file says why."""
        artifact = capture.bundle or ""
        known = self.history.known(artifact)
        seen = known.observation if known else None
        if seen is None:
            status = statuses.NO_CAPTURE
            if known is not None:
                status = statuses.of_file(known.liveness, known.reason, known.http_status)
            reason = (known.reason if known else None) or "not asked yet"
            messages |= {each.path: f"the bundle: {reason}" for each in manifest}
            return tuple(verifying.refused(each, each.status or status) for each in manifest)
        bundle = bundles.bundle_of(self.store, seen.blob, self.max_bytes)
        if bundle.reason is not None:
            messages |= {each.path: bundle.reason for each in manifest}
            return tuple(verifying.refused(each, "bad-archive") for each in manifest)
        names = bundles.members_for(manifest, bundle.members)
        return tuple(
            self._inside(each, names[each.path], bundle, seen, messages) for each in manifest
        )

    def _inside(
        self,
        file: ManifestFile,
        name: str | None,
        bundle: bundles.Bundle,
        seen: Observation,
        messages: dict[str, str],
    ) -> ManifestFile:
        if name is None:
            messages[file.path] = str(file.extra.get(REASON, "not in the bundle"))
            return verifying.refused(file, file.status or "missing-in-bundle")
        public = self.settings.hosts.public(seen.final_url)
        where = replace(file, terminal_url=public, terminal_dt=digits(seen.at))
        return verifying.verified(where, bundle.members[name])

    # The row

    def _end(self, request: Request, line: str, status: str, message: str | None) -> Json:
        row = blank(status, request_of(line, request))
        said = (message or "")[:LONGEST_MESSAGE] or None
        return {**row, "error_message": said, "updated": self._now()}

    def _of_landing(self, capture: Capture, known: Known) -> Json:
        """What is known of the landing page: the answer, and its bytes as an artifact."""
        landing = capture.landing
        seen = self.history.observed(capture.address)
        when = seen or known.observation
        sha1 = (seen.digests or {}).get("sha1") if seen else None
        terminal = {
            "terminal_url": landing["final_url"],
            "terminal_dt": digits(when.at) if when else None,
            "terminal_status_code": landing["http_status"],
            "terminal_sha1hex": sha1,
        }
        file_meta: Json | None = None
        if seen is not None:
            file_meta = observed_of(
                self.store, seen, addresses.file_name(capture.address)
            ).to_json()
        hops = list(dict.fromkeys([capture.address, landing["final_url"]]))
        return {
            **terminal,
            "terminal": terminal,
            "hops": hops,
            "file_meta": file_meta,
            "html_biblio": {"title": landing["title"]} if landing["title"] else None,
            "updated": known.last_checked or self._now(),
        }

    def _of_files(self, found: Fileset) -> Json:
        capture, item = found.capture, found.capture.item
        manifest = [entry(each, found.messages.get(each.path)) for each in found.files]
        counts = Counter(each.status or statuses.NO_CAPTURE for each in found.files)
        is_tried = capture.strategy is not None
        failed = next((each for each in found.files if each.status == found.status), None)
        message = capture.stop.message if capture.stop else None
        if message is None and failed is not None and not self.table.of(found.status).is_hit:
            said = found.messages.get(failed.path) or difference(failed)
            message = f"{failed.path}: {said}"
        row: Json = {
            "manifest": manifest if item else None,
            "file_count": count(capture) if item else None,
            "total_size": total(found),
            "ingest_strategy": capture.strategy,
            "strategy_reason": capture.reason,
            "error_message": message[:LONGEST_MESSAGE] if message else None,
            "files_by_status": dict(sorted(counts.items())) if is_tried else {},
            "archiveorg_item_name": found.item_name,
        }
        return row | self._of_one_artifact(found)

    def _of_one_artifact(self, found: Fileset) -> Json:
        """The single file, or the bundle, as its own landing has it."""
        bundle, strategy = found.bundle, found.capture.strategy
        if bundle is not None:
            is_staged = Strategy(strategy or "").is_staged
            name = bundle_name(found) if is_staged else None
            terminal = {"terminal_url": bundle.final_url, "terminal_dt": digits(bundle.at)}
            archive = observed_of(self.store, bundle, bundle_name(found))
            held = {
                "terminal": terminal,
                "file_meta": archive.to_json(),
                "archiveorg_bundle_path": name,
            }
            return {
                "web_bundle_url": found.capture.bundle,
                "web_bundle_dt": digits(bundle.at),
                "item_bundle_path": name,
                "fileset_bundle": held,
            }
        if strategy is not None and Strategy(strategy).is_file and found.files[0].observed:
            file = found.files[0]
            terminal = {"terminal_url": file.terminal_url, "terminal_dt": file.terminal_dt}
            meta = file.observed.to_json() if file.observed else None
            return {"fileset_file": {"terminal": terminal, "file_meta": meta}}
        return {}

    def _times(self, status: str, known: Known, capture: Capture | None) -> Json:
        """When it is worth asking again, by the table of statuses."""
        until = capture.stop.until if capture and capture.stop else None
        ended = moment(known.last_checked or self._now())
        due = statuses.retry_at(
            self.table.of(status), ended, known.consecutive_failures or 1, statuses.day_of(until)
        )
        return {"until": until, "retry_at": timestamp(due) if due else None}
