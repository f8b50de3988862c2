"""Makes one job of a run fail, or stand still, without a line of it in the product.

Python runs a module called `sitecustomize` before anything else, so a folder with one in PYTHONPATH
reaches the scripts of the rules. It acts where the process runs the script that it was told, and
only while a flag file is there, which it removes as it acts.
"""

import os
from dataclasses import dataclass
from pathlib import Path

_SITECUSTOMIZE = """
import errno
import os
import sys
import time
from pathlib import Path

script, moment, flag, going_on = {script!r}, {moment!r}, Path({flag!r}), Path({going_on!r})


def _written(event, arguments):
    if event == "os.rename":
        return Path(os.fsdecode(arguments[1]))
    is_writing = event == "open" and set(str(arguments[1])) & set("wax+")
    return Path(os.fsdecode(arguments[0])) if is_writing else None


def _fail(event, arguments):
    if event not in ("os.rename", "open") or isinstance(arguments[0], int):
        return
    path = _written(event, arguments)
    if path is not None and path.match(moment) and flag.exists():
        flag.unlink()
        if {stands_still}:
            _stand_still()
        else:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))


def _stand_still():
    while not going_on.exists():
        time.sleep(0.02)


if any(each.endswith("." + script) for each in sys.orig_argv) and flag.exists():
    if moment == "start":
        flag.unlink()
        _stand_still() if {stands_still} else os._exit(1)
    sys.addaudithook(_fail)
"""


@dataclass(frozen=True)
class Sabotage:
    """One failure to come, or one job that will stand still."""

    folder: Path

    @classmethod
    def make(cls, folder: Path, script: str, moment: str, stands_still: bool = False) -> "Sabotage":
        """Prepares what happens to a rule's script: at its `start`, or when it writes a file.

        A moment other than `start` is the pattern of that file's path. There the disk is full, or
        the job stands still until it may go on.
        """
        folder.mkdir()
        made = cls(folder)
        made._flag.touch()
        code = _SITECUSTOMIZE.format(
            script=script,
            moment=moment,
            flag=str(made._flag),
            going_on=str(made._going_on),
            stands_still=stands_still,
        )
        (folder / "sitecustomize.py").write_text(code)
        return made

    @property
    def _flag(self) -> Path:
        return self.folder / "flag"

    @property
    def _going_on(self) -> Path:
        return self.folder / "going-on"

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables under which it happens."""
        inherited = os.environ.get("PYTHONPATH")
        return {"PYTHONPATH": os.pathsep.join(filter(None, (str(self.folder), inherited)))}

    @property
    def has_happened(self) -> bool:
        """Whether the job failed, or stands still."""
        return not self._flag.exists()

    def go_on(self) -> None:
        """Lets the job that stands still go on."""
        self._going_on.touch()
