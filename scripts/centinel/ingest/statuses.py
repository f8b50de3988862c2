"""What each status of an ingest means: its group, its severity, when it is tried again. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import cache

from centinel.configuration import read_yaml, seconds
from centinel.record import TOO_LARGE, Liveness
from centinel.schemas import PROJECT, check

FILE = "config/ingest_statuses.yaml"

SUCCESS = "success"
SUCCESS_FILE = "success-file"
SUCCESS_EXISTING = "success-existing"
BAD_REQUEST = "bad-request"
INTERNAL_ERROR = "internal-error"
NO_CAPTURE = "no-capture"
NO_STRATEGY = "no-strategy-helper"
TOO_MANY_FILES = "too-many-files"
TOO_LARGE_SIZE = "too-large-size"
SKIPPED = "skip-url-blocklist"
DOWNLOAD = "error-platform-download"
UPLOAD = "error-archiveorg-upload"

LONGEST = timedelta(days=365)
"""A pause that doubles with each failure ends here, and what is never tried again waits so long."""


@dataclass(frozen=True)
class Status:
    """One row of the table."""

    name: str
    group: str
    severity: int
    retry: timedelta | None
    """None for what is not worth trying again."""

    @property
    def is_hit(self) -> bool:
        """Whether a request that ended so gave what it was to give."""
        return self.group == "success"


@dataclass(frozen=True)
class Table:
    """All statuses."""

    rows: Mapping[str, Status]

    def of(self, name: str) -> Status:
        """Returns a status; one that the table does not name is the worker's own fault."""
        return self.rows.get(name) or self.rows[INTERNAL_ERROR]

    def worst(self, names: Iterable[str], otherwise: str) -> str:
        """Returns the most severe of some statuses, the first of equals; `otherwise` of none."""
        return max(names, key=lambda each: self.of(each).severity, default=otherwise)

    def pause(self, name: str) -> timedelta:
        """Returns how long a status lasts before it is worth asking again."""
        retry = self.of(name).retry
        return LONGEST if retry is None else retry


def retry_at(
    status: Status, ended: datetime, failures: int = 1, until: datetime | None = None
) -> datetime | None:
    """Returns when a request that ended so is to be asked again; None for never by itself.

    `failures` counts such ends in a row: the pause doubles with each. `until` is when the reason
    ends, where the platform said so (an embargo): then that is the time.
    """
    if status.is_hit:
        return None
    if until is not None and until > ended:
        return until
    if status.retry is None:
        return None
    pause = status.retry
    for _ in range(failures - 1):
        if pause >= LONGEST or not pause:
            break
        pause *= 2
    return ended + min(pause, LONGEST)


def day_of(stated: str | None) -> datetime | None:
    """Returns the moment that a day or a time in ISO 8601 begins; None for another form."""
    try:
        moment = datetime.fromisoformat(stated or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else datetime.combine(moment, time.min, UTC)


def table_of(blocks: Mapping[str, Mapping[str, object]]) -> Table:
    """Returns the table that the checked blocks of the file are."""
    return Table(
        {
            name: Status(
                name,
                str(block["group"]),
                int(str(block["severity"])),
                None
                if block["retry"] == "never"
                else timedelta(seconds=seconds(str(block["retry"]))),
            )
            for name, block in blocks.items()
        }
    )


@cache
def table() -> Table:
    """Returns the table in `config/`; raises ConfigurationError where it is wrong."""
    blocks = read_yaml(PROJECT / FILE, FILE)
    check(blocks, "ingest_statuses", FILE)
    return table_of(blocks)


def said_in(reason: str | None) -> str | None:
    """Returns the status that a reason opens with, as `status: message`; None for others."""
    word, colon, _ = (reason or "").partition(":")
    return word if colon and word in table().rows else None


_TRANSPORT = (
    ("NameResolution", "invalid-host-resolution"),
    ("gaierror", "invalid-host-resolution"),
    ("Timeout", "read-timeout"),
    ("timed out", "read-timeout"),
)
"""What a fault of the transport names, in the words of urllib3 and of the resolver."""

_REASONS = (
    ("address:", "invalid-url"),
    ("robots", "blocked-robots"),
    ("more than", "too-many-redirects"),
    ("redirect to /", "blocked-login"),
    ("redirect", "bad-redirect"),
    ("content-encoding", "transfer-encoding-error"),
    (f"{TOO_LARGE}:", "body-too-large"),
    ("an empty body", "empty-blob"),
)

_ANSWERS = {404: "not-found", 410: "not-found", 401: "forbidden", 403: "forbidden"}


def of_landing(liveness: str | None, reason: str | None, http_status: int | None) -> str:
    """Returns the status of a request whose landing page was refused so."""
    text = reason or ""
    stated = said_in(text)
    if stated:
        return stated
    if text.startswith("transport:"):
        return next((name for part, name in _TRANSPORT if part in text), "remote-server-error")
    found = next((name for start, name in _REASONS if text.startswith(start)), None)
    if found == "blocked-login" and liveness != Liveness.BLOCKED:
        return "bad-redirect"
    if found:
        return found
    if liveness == Liveness.BLOCKED and "(" in text:
        return "blocked-captcha"
    if http_status is None:
        return INTERNAL_ERROR if text.startswith("unexpected") else "remote-server-error"
    return _ANSWERS.get(http_status, "terminal-bad-status")


_OF_FILES = {
    "blocked-login": "platform-login",
    "blocked-captcha": "platform-challenge",
    "body-too-large": TOO_LARGE_SIZE,
    "blocked-robots": "blocked-robots",
    "transfer-encoding-error": "transfer-encoding-error",
    "invalid-url": "invalid-url",
    "empty-blob": "empty-blob",
    INTERNAL_ERROR: INTERNAL_ERROR,
}


def of_file(liveness: str | None, reason: str | None, http_status: int | None) -> str:
    """Returns the status of a file whose address was refused so."""
    if http_status == 429:
        return "platform-rate-limited"
    return _OF_FILES.get(of_landing(liveness, reason, http_status), DOWNLOAD)
