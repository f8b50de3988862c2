"""What the bytes of a file show of what was declared of it. Pure."""

from collections.abc import Iterable
from dataclasses import replace

from centinel.ingest import statuses
from centinel.ingest.manifest import DOUBTFUL
from centinel.ingest.model import HASHES, MISMATCH, ManifestFile, Observed, Verdict

_WEB_PAGE = "text/html"


def verified(file: ManifestFile, observed: Observed) -> ManifestFile:
    """Returns the file with what was observed, a verdict, and its status; declarations stay.

    Everything that is declared is compared; the evidence is the strongest of it. A hash that
    differs while a stronger one agrees is still a mismatch: one of the two declarations is wrong.
    What its platform is known to declare of other bytes at times shows nothing where it differs.
    """
    compared = [name for name in (*HASHES, "size") if _can_compare(file, observed, name)]
    doubtful = file.extra.get(DOUBTFUL, ())
    compared = [
        name for name in compared if name not in doubtful or not _differs(file, observed, name)
    ]
    differing = [
        name for name in ("size", *HASHES) if name in compared and _differs(file, observed, name)
    ]
    evidence = compared[0] if compared else "none"
    if not compared and _is_page_instead(file, observed):
        differing = ["mimetype"]
    if differing:
        verdict = f"{MISMATCH}{differing[0]}"
    else:
        verdict = Verdict.VERIFIED if compared else Verdict.UNVERIFIABLE
    return replace(
        file,
        observed=observed,
        verdict=str(verdict),
        evidence=evidence,
        status=_status(file, observed, differing),
    )


def _can_compare(file: ManifestFile, observed: Observed, name: str) -> bool:
    return getattr(file, name) is not None and getattr(observed, name) is not None


def _differs(file: ManifestFile, observed: Observed, name: str) -> bool:
    declared, seen = getattr(file, name), getattr(observed, name)
    if name == "size":
        return bool(declared != seen)
    return str(declared).lower() != str(seen).lower()


def _is_page_instead(file: ManifestFile, observed: Observed) -> bool:
    """A web page where another type is declared: a wall, or a notice, that came with 200."""
    declared = (file.mimetype or "").partition(";")[0].strip().lower()
    return observed.mimetype == _WEB_PAGE and declared not in ("", _WEB_PAGE)


def _status(file: ManifestFile, observed: Observed, differing: list[str]) -> str:
    if observed.size == 0 and file.size:
        return "empty-blob"
    return f"mismatch-{differing[0]}" if differing else statuses.SUCCESS


def refused(file: ManifestFile, status: str) -> ManifestFile:
    """Returns the file with why its bytes are not here."""
    return replace(file, status=status, observed=None, verdict=None, evidence=None)


def overall(files: Iterable[ManifestFile], table: statuses.Table, success: str) -> str:
    """Returns the status of a fileset: that of its worst file, `success` where all are here."""
    names = [each.status or statuses.NO_CAPTURE for each in files]
    worst = table.worst(names, otherwise=success)
    return success if table.of(worst).is_hit else worst
