"""What an enclosed document is called by the page that carries it: until it says so itself."""

from collections.abc import Callable
from dataclasses import dataclass

from centinel.history import History
from centinel.record import Resource
from centinel.webpage import WebPage, open_page


@dataclass
class Titles:
    """The titles of the pages whose documents are being acquired."""

    history: History
    bytes_of: Callable[[str], bytes | None]
    """Gives the bytes of a blob; None where they are lost."""
    _last: tuple[str, str | None] = ("", None)
    """The page that was looked at last, and its title: its documents are asked for next."""

    def note(self, resource: str, page: WebPage | None) -> None:
        """Takes note of what a page is called."""
        self._last = (resource, page.title or None if page is not None else None)

    def of_part(self, resource: Resource, artifact: str, blob: str) -> str | None:
        """Returns the title of a part: what the source calls its resource, else the page's own.

        A title that a part had stays, and so does its lack as long as the bytes are the same: the
        same document under another title would be read once more.
        """
        before = self.history.observed(artifact)
        if before is not None and (before.title or before.blob == blob):
            return before.title
        return resource.title or self._of_page(resource.address)

    def _of_page(self, resource: str) -> str | None:
        """The page's title; from its bytes where it was acquired in another job."""
        if self._last[0] != resource:
            seen = self.history.observed(resource)
            page = None
            if seen is not None and "html" in (seen.declared_type or ""):
                body = self.bytes_of(seen.blob) or b""
                page = open_page(body, seen.declared_type, seen.final_url)
            self.note(resource, page)
        return self._last[1]
