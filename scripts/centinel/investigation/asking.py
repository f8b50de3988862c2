"""A client with a budget: so many requests in all, and each address asked once."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from centinel.answers import Answer, Fetched
from centinel.download import Body, Download, Wanted
from centinel.http import Client
from centinel.liveness import Refusal
from centinel.record import Liveness

BUDGET = 25
"""Requests of one investigation: robots.txt, redirects and second tries included."""

SPENT = "not asked: the budget of this investigation is spent"

LONGEST_SECONDS = 300.0
"""How long the pauses of one investigation may take; a Crawl-delay makes the budget smaller."""

FEWEST = 6
"""Requests that are left whatever the Crawl-delay: robots.txt, the page, and some sitemaps."""


class BudgetSpent(Exception):
    """The next request would be one too many."""


@dataclass(frozen=True)
class Kept(Body):
    """A body that may be handed out again; it goes with the temporary folder."""

    def discard(self) -> None:
        """Keeps the file."""


@dataclass
class BudgetedClient(Client):
    """Sends no request above its budget: a walker is then told of a refusal, and says so."""

    most: int = BUDGET
    unasked: int = 0
    """How many addresses were refused because the budget was spent."""
    _answers: dict[str, Answer] = field(default_factory=dict)

    def get(
        self,
        address: str,
        validators: Mapping[str, str] | None = None,
        wanted: Wanted | None = None,
    ) -> Answer:
        """Asks for an address, or gives the answer that it gave before. See `Client.get`."""
        known = self._answers.get(address)
        if known is not None:
            return known
        try:
            answer = super().get(address, validators, wanted)
        except BudgetSpent:
            self.unasked += 1
            return Refusal(Liveness.ERROR, SPENT, None, address, answered=False)
        if isinstance(answer, Fetched):
            body = answer.body
            answer = replace(answer, body=Kept(body.path, body.sha256, body.size, body.start))
        self._answers[address] = answer
        return answer

    @contextmanager
    def within(self, requests: int) -> Iterator[None]:
        """Holds what is asked inside to so many requests of the budget."""
        whole = self.most
        self.most = min(whole, self.requests_sent + requests)
        try:
            yield
        finally:
            self.most = whole

    def slow_down(self, pause: float) -> None:
        """Takes a Crawl-delay (seconds) into account, so that nobody waits for hours."""
        if pause > 0:
            self.most = min(self.most, max(FEWEST, int(LONGEST_SECONDS / pause)))

    def _once(
        self, address: str, headers: Mapping[str, str], download: Download
    ) -> tuple[Answer | str, float]:
        if self.requests_sent >= self.most:
            raise BudgetSpent
        return super()._once(address, headers, download)
