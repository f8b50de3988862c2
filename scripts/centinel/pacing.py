"""The pause between two requests to one host, held between all processes of this machine."""

import contextlib
import fcntl
import hashlib
import os
import struct
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

NO_PAUSE_RPS = 1000.0
"""From so many requests a second on, there is no pause and no file to agree on one."""

LONGEST_PAUSE = 3600.0
"""Seconds; a Crawl-delay above it is taken for it."""

_MOMENT = struct.Struct("d")

Wait = Callable[[float], None]
"""Waits so many seconds; raises when the wait was ended by a signal."""


def _default_folder() -> Path:
    """One folder a user and a start of the machine, since the clock begins again with it."""
    start = "0"
    with contextlib.suppress(OSError):
        start = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return Path(tempfile.gettempdir()) / f"centinel-pacing-{os.getuid()}-{start}"


@dataclass
class Pacing:
    """Reserves each host's next moment: a request starts at least one interval after the last."""

    wait: Wait
    folder: Path = field(default_factory=_default_folder)

    def before_request(self, host: str, interval: float) -> None:
        """Waits until a request to the host may start, and takes that moment.

        `interval` is in seconds. The time that a slow answer took counts towards the pause.
        """
        interval = min(interval, LONGEST_PAUSE)
        if interval <= 1 / NO_PAUSE_RPS:
            return
        pause = self._reserve(host, interval)
        if pause > 0:
            self.wait(pause)

    def _reserve(self, host: str, interval: float) -> float:
        """Returns the seconds to wait for the host's next free moment, which is now taken."""
        name = hashlib.sha256(host.encode()).hexdigest()[:32]
        self.folder.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(self.folder / name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            now = time.monotonic()
            last = now - interval
            with contextlib.suppress(struct.error):
                (last,) = _MOMENT.unpack(os.pread(descriptor, _MOMENT.size, 0))
            # The clock starts again with the machine: a moment far ahead is of another life.
            if last > now + 2 * LONGEST_PAUSE:
                last = now - interval
            start = max(now, last + interval)
            os.pwrite(descriptor, _MOMENT.pack(start), 0)
            return start - now
        finally:
            os.close(descriptor)
