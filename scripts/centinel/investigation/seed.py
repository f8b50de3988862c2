"""The address that was given: what it answered, and what that is."""

from dataclasses import dataclass
from functools import cached_property

from centinel import addresses, kinds, liveness, webpage
from centinel.answers import Fetched
from centinel.http import Client
from centinel.liveness import Refusal
from centinel.record import Claim, Json
from centinel.webpage import WebPage


@dataclass(frozen=True)
class Seed:
    """One address and its answer."""

    asked: str
    answer: Fetched | Refusal

    @property
    def fetched(self) -> Fetched | None:
        """The answer, where it has bytes."""
        return self.answer if isinstance(self.answer, Fetched) else None

    @property
    def refusal(self) -> Refusal | None:
        """The refusal that the answer is, also one that is served as a page."""
        if isinstance(self.answer, Refusal):
            return self.answer
        title = self.page.title if self.page else ""
        return liveness.of_title(title, self.answer.http_status or 0, self.answer.final_url)

    @property
    def final_url(self) -> str:
        """Where the address led; the address itself where it was refused on the way."""
        return self.fetched.final_url if self.fetched else self.asked

    @property
    def was_asked(self) -> bool:
        """Whether a server said anything at all of it."""
        return self.answer.http_status is not None

    @cached_property
    def content(self) -> bytes:
        """The bytes; none of a refusal."""
        return self.fetched.body.content() if self.fetched else b""

    @cached_property
    def claim(self) -> Claim | None:
        """What the bytes are, by the table of kinds."""
        answer = self.fetched
        if answer is None:
            return None
        extension = addresses.served_extension(answer.final_url, answer.filename)
        return kinds.classify(answer.declared_type, answer.body.head, extension)

    @cached_property
    def page(self) -> WebPage | None:
        """The page, where it is one that can be parsed."""
        answer = self.fetched
        if answer is None or self.claim is None or not kinds.encloses(self.claim.kind):
            return None
        return webpage.open_page(self.content, answer.declared_type, answer.final_url)

    def is_of(self, *names: str) -> bool:
        """Returns whether the bytes are of one of these kinds."""
        return self.claim is not None and self.claim.kind in names

    def to_json(self) -> Json:
        """Returns what there is to know, as it was answered."""
        refusal, claim = self.refusal, self.claim
        return {
            "address": self.asked,
            "final_url": self.answer.final_url,
            "http_status": self.answer.http_status,
            "liveness": str(refusal.liveness) if refusal else "live",
            "reason": refusal.reason if refusal else None,
            "size": self.fetched.body.size if self.fetched else None,
            "kind": claim.kind if claim else None,
            "decided_by": claim.decided_by if claim else None,
            "declared_type": claim.declared_type if claim else None,
            "magic": claim.magic if claim else None,
            "extension": claim.extension if claim else None,
            "title": (self.page.title or None) if self.page else None,
            "notes": list(claim.notes) if claim else [],
        }


def ask(address: str, client: Client) -> Seed:
    """Asks for an address. Raises what `Client.get` raises."""
    answer = client.get(address)
    assert isinstance(answer, Fetched | Refusal)  # it was asked without conditions
    return Seed(address, answer)
