"""What comes of asking for an address: bytes, nothing new, or a refusal."""

from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from email.utils import collapse_rfc2231_value

from centinel.download import Body
from centinel.liveness import Refusal

_DISPOSITION = "content-disposition"


@dataclass(frozen=True)
class Fetched:
    """An answer with bytes."""

    final_url: str
    http_status: int | None
    """None for what was not asked over HTTP."""
    headers: Mapping[str, str]
    """As served, names in lower case, lines of one name joined by a comma."""
    body: Body
    pause: float | None = None
    """Seconds until it is to be asked for again, where that is sooner than its source says."""
    title: str | None = None
    """What its source's kind knows it to be called, where its bytes are no page."""

    @property
    def declared_type(self) -> str | None:
        return self.headers.get("content-type") or None

    @property
    def filename(self) -> str | None:
        """The file name in Content-Disposition (RFC 6266), without folders."""
        return disposition_name(self.headers.get("content-disposition"))


@dataclass(frozen=True)
class NotModified:
    """Seen, and unchanged: an answer 304, or a file that is as it was."""

    final_url: str
    http_status: int | None = 304


Answer = Fetched | NotModified | Refusal


def disposition_name(header: str | None) -> str | None:
    """Returns the file name that a Content-Disposition header gives, its last path segment."""
    if not header:
        return None
    message = Message()
    message[_DISPOSITION] = header
    try:
        stated = [value for key, value in message.get_params([], _DISPOSITION) if key == "filename"]
        # A name with its own charset is a tuple; it goes before a plain one (RFC 6266, 4.3).
        name = collapse_rfc2231_value(max(stated, key=lambda value: isinstance(value, tuple)))
    except (ValueError, LookupError):
        return None
    return name.replace("\\", "/").rpartition("/")[2].strip() or None
