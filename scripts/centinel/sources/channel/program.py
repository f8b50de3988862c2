"""How yt-dlp is run: which one, with which arguments, and what its answer is."""

import errno
import json
import os
import re
import shutil
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from centinel import tools
from centinel.download import Interrupted
from centinel.record import Json
from centinel.tools import ToolError, What

NAME = "yt-dlp"
INSTALL = "pip install 'yt-dlp>=2026.10.26'"
UPGRADE = "pip install --upgrade yt-dlp"

RUNTIME = "deno"
"""What yt-dlp runs the scripts of YouTube's player in, where it is there."""

INSTALL_RUNTIME = "pip install deno"
_NO_RUNTIME = "javascript runtime"

STALE_DAYS = 60
"""An older one is warned about: it follows sites that change, with two releases a month (2025)."""

STALL_SECONDS = 180.0
"""How long it may say nothing, besides the pauses that it is told to make."""

SOCKET_SECONDS = 30
RETRIES = 3
MOST_OUTPUT = 512 << 20
"""Bytes; a list of 100,000 videos takes about 100 MB."""

_RELEASE = re.compile(r"(\d{4})\.(\d{2})\.(\d{2})\b")
_MACHINE = re.compile(
    rf"\[errno ({errno.ENOSPC}|{errno.EDQUOT}|{errno.EROFS})\]|no space left on device", re.I
)
_BROKEN = re.compile(r"^(?:\w*Import|ModuleNotFound|Syntax)Error: ", re.M)
_AUTHORITIES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR")
_ENDED_BADLY = (1, 100, 101)
"""Its exit codes for an address that gave nothing; 2 is one for arguments that it does not know."""


class Failed(Exception):
    """It ran, and gave nothing; the message is what it said on standard error."""


@dataclass(frozen=True)
class Said:
    """What it answered."""

    value: Json
    stderr: str

    @property
    def is_incomplete(self) -> bool:
        """Whether it gave up in the middle of a list, which it only warns about."""
        return _GAVE_UP.search(self.stderr) is not None

    @property
    def lacks_runtime(self) -> bool:
        """Whether it says that it wants a JavaScript runtime to find all formats."""
        return _NO_RUNTIME in self.stderr.lower()


_GAVE_UP = re.compile(
    r"incomplete (?:yt initial )?data|giving up after|skipping .{1,40} pages?", re.I
)


@dataclass(frozen=True)
class Manner:
    """How it is to ask."""

    user_agent: str | None
    """None leaves it yt-dlp's own."""
    pause: float
    """Seconds between two of its requests."""
    stop: threading.Event

    def arguments(self) -> list[str]:
        """Returns the arguments that every call has."""
        return [
            "--ignore-config",
            "--no-plugin-dirs",
            "--no-cache-dir",
            "--no-update",
            "--no-remote-components",
            "--color=never",
            "--no-quiet",
            "--newline",
            "--abort-on-error",
            f"--socket-timeout={SOCKET_SECONDS}",
            f"--retries={RETRIES}",
            f"--fragment-retries={RETRIES}",
            f"--extractor-retries={RETRIES}",
            f"--sleep-requests={self.pause:.3f}",
            *(["--compat-options=no-certifi"] if _authorities() else []),
            *([f"--add-headers=User-Agent:{self.user_agent}"] if self.user_agent else []),
        ]


def find(name: str = NAME) -> str | None:
    """Returns the program on the PATH, else the one beside our Python; None where there is none."""
    beside = Path(sys.executable).parent / name
    return shutil.which(name) or (str(beside) if os.access(beside, os.X_OK) else None)


def found() -> str:
    """Returns the yt-dlp to run; raises OSError where there is none: a fault of this machine."""
    program = find()
    if program is None:
        raise OSError(errno.ENOENT, f"{NAME} is not installed: {INSTALL}")
    return program


def version() -> str | None:
    """Returns the version of the yt-dlp that is run; None where it says none."""
    program = find()
    return None if program is None else tools.version_of(program)


def age(version: str | None, today: date) -> int | None:
    """Returns how many days old a version is, which says its day; None for one that does not."""
    match = _RELEASE.match(version or "")
    if match is None:
        return None
    with suppress(ValueError):
        return max(0, (today - date(*(int(each) for each in match.groups()))).days)
    return None


def ask(manner: Manner, arguments: Sequence[str]) -> Said:
    """Returns the JSON that a call gives, which is the last line that it says.

    Raises Failed, Interrupted when the run is ended, and OSError for a fault of this machine.
    """
    ended = run(manner, [*arguments, "--dump-single-json"])
    line = ended.stdout.rstrip().rpartition(b"\n")[2]
    value = None
    with suppress(ValueError, RecursionError):
        value = json.loads(line)  # a title may hold half a character, which orjson refuses
    if not isinstance(value, dict) or ended.code:
        raise Failed(ended.stderr or f"exit code {ended.code}, and no answer")
    return Said(value, ended.stderr)


def run(
    manner: Manner, arguments: Sequence[str], on_line: Callable[[str], None] | None = None
) -> tools.Completed:
    """Runs it to its end, which may be a bad one. `on_line` may raise, which ends it.

    Raises Failed where it stalled or was killed, Interrupted when the run is ended, and OSError for
    a fault of this machine: it is not there, does not start, does not know our arguments, or the
    disk is full. None of these is evidence about an address.
    """
    try:
        ended = tools.run(
            [found(), *manner.arguments(), *arguments],
            deadline=None,
            stall=STALL_SECONDS + 3 * manner.pause,
            on_line=on_line,
            environment=_environment(),
            most_output=MOST_OUTPUT,
            accept=(0, *_ENDED_BADLY),
            stop=manner.stop,
        )
    except ToolError as error:
        raise _fault(error) from None
    if ended.code and (_MACHINE.search(ended.stderr) or _BROKEN.search(ended.stderr)):
        raise OSError(errno.EIO, f"{NAME}: {' '.join(ended.stderr.split())[-300:]}")
    return ended


def _fault(error: ToolError) -> Exception:
    if error.what is What.STOPPED:
        return Interrupted("the run is being ended")
    if error.what in (What.NOT_INSTALLED, What.COULD_NOT_START):
        return OSError(errno.ENOEXEC, f"{error}: {INSTALL}")
    if error.what is What.FAILED and error.code == 2:
        return OSError(errno.EINVAL, f"{error}: {UPGRADE}")
    return Failed(f"ERROR: {error.what}: {error.detail}")


def _authorities() -> str | None:
    return next(filter(None, (os.environ.get(name) for name in _AUTHORITIES)), None)


def _environment() -> dict[str, str]:
    """The authorities that our own requests trust, by the names that OpenSSL knows.

    The proxies of the environment it takes by itself.
    """
    trusted = _authorities()
    if trusted is None:
        return {}
    return {"SSL_CERT_DIR" if Path(trusted).is_dir() else "SSL_CERT_FILE": trusted}
