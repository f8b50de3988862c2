"""Files on their way to their place, whose writer was killed."""

import os
import re
from pathlib import Path

TEMPORARY = re.compile(r"\..+\.(\d+)\.tmp", re.DOTALL)
"""How a file that is being written is called (`files.whole`): with the number of its process."""


def remove(folder: Path) -> list[Path]:
    """Removes the temporary files in a tree whose process is not there any more; returns them.

    Nothing of theirs was ever in its place, so that nothing is lost. Walks over the whole tree:
    use it where somebody was killed. Raises OSError for a fault of this machine.
    """
    removed = []
    for inner, _, names in os.walk(folder):
        for name in names:
            found = TEMPORARY.fullmatch(name)
            if found and not _lives(int(found[1])):
                removed.append(Path(inner, name))
                removed[-1].unlink(missing_ok=True)
    return removed


def _lives(process: int) -> bool:
    """Whether a process may still write; one that only waits to be taken note of does not."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    try:
        said = Path(f"/proc/{process}/stat").read_text("utf-8", "replace")
    except OSError:  # no such system, or it has ended meanwhile
        return True
    return said.rpartition(")")[2].split()[:1] != ["Z"]
