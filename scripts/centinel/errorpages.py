"""The pages that come with refusals: one that is served with 2xx elsewhere is a refusal there too.

Costs no request: what a host shows where it refuses is taken from the answers that came anyway, in
this job and in earlier ones.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from centinel import addresses
from centinel.history import History
from centinel.liveness import HOMES, NOT_THERE, TO_THE_HOME_PAGE, Refusal
from centinel.record import Liveness, Status
from centinel.webpage import WebPage, open_page, without_stamps

FEWEST_CHARACTERS = 20
"""A page that says less is the shell of an application, or empty: alike wherever it is served."""


def read_of(page: WebPage | None, address: str) -> str | None:
    """Returns a hash of what a person reads on a page; None where that is too little to know it by.

    Of its host, its title and its text, without stamps, and without its own address, which many
    error pages repeat.
    """
    if page is None or len(page.text) < FEWEST_CHARACTERS:
        return None
    text = without_stamps(f"{page.title} {page.text}")
    path = urlsplit(address).path
    for spelled in (address, unquote(address), path, unquote(path)) if len(path) > 1 else ():
        text = text.replace(spelled, "")
    host = addresses.host(address)
    return hashlib.sha256(f"{host}\n{text}".encode("utf-8", "replace")).hexdigest()


def evidence_in(artifact: str, refusal: Refusal, page: WebPage | None = None) -> str | None:
    """Returns the hash by which the page of a refusal is known again; None where it shows nothing.

    Only of refusals that say that a thing is not there, or that the server failed: a wall, a login
    page and a home page are good pages at their own address.
    """
    is_soft = refusal.http_status == 200 and refusal.reason != TO_THE_HOME_PAGE
    says_so = refusal.liveness in (Liveness.GONE, Liveness.ERROR)
    if not says_so or not (is_soft or refusal.http_status in NOT_THERE):
        return None
    if page is None:
        page = open_page(refusal.page, refusal.declared_type, refusal.final_url or artifact)
    return read_of(page, artifact)


@dataclass
class ErrorPages:
    """What the record shows of the pages with which hosts refuse."""

    history: History
    bytes_of: Callable[[str], bytes | None]
    """Gives the bytes of a blob, also of one that is on its way; None where they are lost."""

    def refusal(
        self, artifact: str, page: WebPage, http_status: int, final_url: str
    ) -> Refusal | None:
        """Returns the refusal that a page is which its host gave with a refusal elsewhere.

        An address that was live with this page stays live; and a page with which the home page, or
        the address that was refused, is live is an ordinary one.
        """
        if not self.history.refused_pages or _is_home(artifact):
            return None
        read = read_of(page, artifact)
        before = self._elsewhere(read, artifact) if read else None
        if before is None:
            return None
        home = addresses.origin(artifact) + "/"
        if any(self._live_with(each) == read for each in (artifact, home, before.artifact)):
            return None
        reason = f"the page of a refusal: {before.reason} at {before.artifact}"
        return Refusal(Liveness(before.liveness), reason, http_status, final_url)

    def _elsewhere(self, read: str, artifact: str) -> Status | None:
        refused = self.history.refused_pages.get(read, {})
        return next((each for name, each in refused.items() if name != artifact), None)

    def _live_with(self, artifact: str) -> str | None:
        """What a person read on the page that an artifact was live with, from its bytes."""
        seen = self.history.observed(artifact)
        if seen is None:
            return None
        body = self.bytes_of(seen.blob) or b""
        return read_of(open_page(body, seen.declared_type, seen.final_url), artifact)


def _is_home(address: str) -> bool:
    return urlsplit(address).path.strip("/").lower() in HOMES
