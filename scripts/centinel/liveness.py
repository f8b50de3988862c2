"""What an answer shows of an address: the tables of refusals, each with its reason."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

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
    pause: float | None = None
    """Seconds until it is asked again, where its source's `retry` is not to say; they double."""
    page: bytes = field(default=b"", repr=False, compare=False)
    """The page that came with it, where it is evidence for other addresses of its host."""
    declared_type: str | None = field(default=None, repr=False, compare=False)
    """The type of that page."""


_STATUSES = {
    404: Liveness.GONE,
    410: Liveness.GONE,
    401: Liveness.BLOCKED,
    403: Liveness.BLOCKED,
    429: Liveness.BLOCKED,
    451: Liveness.BLOCKED,
}

NOT_THERE = frozenset({404, 410})
"""The statuses that say that there is no such thing."""

MISSING_SEGMENTS = frozenset({"notfound", "not-found", "pagenotfound", "page-not-found", "404"})
FAULT_SEGMENTS = frozenset({"error", "errors", "internalserver", "servererror", "500"})


_CHALLENGES = ("x-amzn-waf-action", "cf-mitigated")
"""Headers of walls that want a browser to prove itself (vendors' documentation)."""


def of_status(
    http_status: int,
    final_url: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Refusal:
    """Returns the refusal that an answer without a whole body is."""
    wall = next((name for name in _CHALLENGES if name in (headers or {})), None)
    if wall is not None:
        return Refusal(Liveness.BLOCKED, f"http {http_status} ({wall})", http_status, final_url)
    liveness = _STATUSES.get(http_status, Liveness.ERROR)
    return Refusal(liveness, f"http {http_status}", http_status, final_url)


HOMES = frozenset({"", "index.html", "index.htm", "index.php", "default.aspx", "home", "home.aspx"})
LOGINS = frozenset(
    {"login", "log-in", "signin", "sign-in", "logon", "login.aspx", "login.php", "saml", "sso"}
)


def of_redirect(asked: str, final_url: str, http_status: int | None) -> Refusal | None:
    """Returns the refusal that a redirect is, though its end was served with 2xx.

    To an error page, to a login page, or of a deep address to the home page of its host. Whole path
    segments only, and only where the path moved: an address that was asked for with such a word in
    it is no evidence.
    """
    before, after = urlsplit(asked), urlsplit(final_url)
    if before.path == after.path:
        return None
    segments = [each.lower() for each in after.path.split("/")]
    for words, liveness in (
        (MISSING_SEGMENTS, Liveness.GONE),
        (FAULT_SEGMENTS, Liveness.ERROR),
        (LOGINS, Liveness.BLOCKED),
    ):
        if found := sorted(set(segments) & words):
            return Refusal(liveness, f"redirect to /{found[0]}", http_status, final_url)
    if "aspxerrorpath=" in after.query.lower():
        return Refusal(Liveness.ERROR, "redirect with aspxerrorpath", http_status, final_url)
    if _is_home(segments, after.query) and _is_deep(before.path):
        return Refusal(Liveness.GONE, TO_THE_HOME_PAGE, http_status, final_url)
    return None


TO_THE_HOME_PAGE = "redirect to the home page"

_FRONT_DOORS = frozenset({"welcome", "main", "start", "portal", "index", "default"})
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_][a-z]{2,4})?")


def _is_home(segments: list[str], query: str) -> bool:
    return not query and len(segments) == 2 and segments[1] in HOMES


def _is_deep(path: str) -> bool:
    """Whether it lies behind the front door, which moves (`/home` or `/en` to `/`)."""
    segments = [each.lower() for each in path.split("/") if each]
    if len(segments) != 1:
        return bool(segments)
    return segments[0] not in HOMES | _FRONT_DOORS and not _LANGUAGE.fullmatch(segments[0])


_SOFT_TITLES = (
    (
        re.compile(
            r"(?:error )?404\b.*|(?:the )?page (?:could |can ?)?not (?:be )?found|not found"
            r"|page (?:does not|doesn['’]t) exist",
            re.I,
        ),
        Liveness.GONE,
    ),
    (
        re.compile(
            r"(?:error )?50[0-4]\b.*|(?:runtime|server|internal server|application) error"
            r"|an error (?:has )?occurred|error",
            re.I,
        ),
        Liveness.ERROR,
    ),
    (
        re.compile(r"(?:error )?403\b.*|access denied|forbidden|attention required!?", re.I),
        Liveness.BLOCKED,
    ),
)
"""Titles that are nothing but an error's, before a separator or alone."""

_SEPARATOR = re.compile(r"\s+[|–—»:·-]+\s+")


def of_title(title: str, http_status: int, final_url: str) -> Refusal | None:
    """Returns the refusal that a page served with 2xx is, whose title is that of an error page.

    The whole title, or the whole of a part of it between separators: "Not found | Town of Alder"
    is one, "Lost and not found: a report" is none.
    """
    for part in _SEPARATOR.split(title):
        for pattern, liveness in _SOFT_TITLES:
            if pattern.fullmatch(part.strip(" .!")):
                return Refusal(liveness, f"titled {part.strip()!r}", http_status, final_url)
    return None


_ASP_NET = re.compile(r"([\w-]{1,80})\.aspx", re.I)


def of_form(forms: Sequence[str], http_status: int, final_url: str) -> Refusal | None:
    """Returns the refusal that a page served with 2xx is, whose only form is an error page's.

    `forms` says where each form is posted to. ASP.NET writes there which page made the answer: one
    that the server went on to without a redirect (`Server.Transfer`) is not the one of the address.
    """
    if len(forms) != 1:
        return None
    made_by = urlsplit(urljoin(final_url, forms[0])).path.rpartition("/")[2]
    match = _ASP_NET.fullmatch(made_by)
    if match is None or made_by.lower() == urlsplit(final_url).path.rpartition("/")[2].lower():
        return None
    for words, liveness in ((MISSING_SEGMENTS, Liveness.GONE), (FAULT_SEGMENTS, Liveness.ERROR)):
        if match[1].lower() in words:
            return Refusal(liveness, f"a form of {made_by}", http_status, final_url)
    return None


def of_size(size: int, http_status: int, final_url: str) -> Refusal | None:
    """Returns the refusal that an answer 2xx without a byte is.

    It shows neither that the thing is there nor that it is gone: an observation always has bytes.
    """
    if size:
        return None
    return Refusal(Liveness.ERROR, "an empty body, 0 bytes", http_status, final_url)
