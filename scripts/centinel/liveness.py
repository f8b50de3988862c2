"""What an answer shows of an address: the tables of refusals, each with its reason."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from centinel.record import Liveness


@dataclass(frozen=True)
class Refusal:
    """A request that gave no bytes to keep: what that shows of the address, and why."""

    liveness: Liveness
    reason: str
    http_status: int | None = None
    final_url: str | None = None
    size: int | None = None
    limit: int | None = None
    answered: bool = True
    """Whether the host answered at all."""


_STATUSES = {
    404: Liveness.GONE,
    410: Liveness.GONE,
    401: Liveness.BLOCKED,
    403: Liveness.BLOCKED,
    429: Liveness.BLOCKED,
    451: Liveness.BLOCKED,
}

MISSING_SEGMENTS = frozenset({"notfound", "not-found", "pagenotfound", "page-not-found", "404"})
FAULT_SEGMENTS = frozenset({"error", "errors", "internalserver", "servererror", "500"})


def of_status(http_status: int, final_url: str | None = None) -> Refusal:
    """Returns the refusal that a status outside 2xx is."""
    liveness = _STATUSES.get(http_status, Liveness.ERROR)
    return Refusal(liveness, f"http {http_status}", http_status, final_url)


def of_redirect(asked: str, final_url: str, http_status: int) -> Refusal | None:
    """Returns the refusal that a redirect to an error page is, though it was served with 2xx.

    Whole path segments only, and only where the path moved: an address that was asked for with
    such a word in it is no evidence.
    """
    before, after = urlsplit(asked), urlsplit(final_url)
    if before.path == after.path:
        return None
    segments = {each.lower() for each in after.path.split("/")}
    for words, liveness in ((MISSING_SEGMENTS, Liveness.GONE), (FAULT_SEGMENTS, Liveness.ERROR)):
        if found := sorted(segments & words):
            return Refusal(liveness, f"redirect to /{found[0]}", http_status, final_url)
    if "aspxerrorpath=" in after.query.lower():
        return Refusal(Liveness.ERROR, "redirect with aspxerrorpath", http_status, final_url)
    return None
