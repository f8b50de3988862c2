"""What is an answer with bytes: which kind, which page, and is it an error served as a page?"""

from dataclasses import dataclass

from centinel import addresses, kinds, liveness, webpage
from centinel.answers import Fetched
from centinel.download import Interrupted
from centinel.liveness import Refusal
from centinel.webpage import WebPage


@dataclass(frozen=True)
class Looked:
    """An answer with bytes, looked at: what it is, and the page that it holds."""

    answer: Fetched
    kind: str
    page: WebPage | None
    notes: tuple[str, ...] = ()

    def soft_error(self) -> Refusal | None:
        """Returns the refusal that an answer 2xx is when it is empty, or calls itself an error."""
        status, final_url = self.answer.http_status, self.answer.final_url
        if status is None:
            return None
        if self.page is None:
            return liveness.of_size(self.answer.body.size, status, final_url)
        titled = liveness.of_title(self.page.title, status, final_url)
        return titled or liveness.of_form(self.page.forms(), status, final_url)


def look_at(answer: Fetched) -> Looked:
    """Returns what an answer is; a page that cannot be parsed costs its links, never its bytes."""
    extension = addresses.served_extension(answer.final_url, answer.filename)
    kind = kinds.classify(answer.declared_type, answer.body.head, extension).kind
    if not kinds.encloses(kind):
        return Looked(answer, kind, None)
    try:
        return Looked(answer, kind, webpage.page_of(answer))
    except (Interrupted, OSError):
        raise
    except Exception as error:  # noqa: BLE001 (the edge of a unit of work)
        return Looked(answer, kind, None, (f"not parsed: {type(error).__name__}: {error}",))
