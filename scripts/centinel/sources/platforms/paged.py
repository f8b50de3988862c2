"""What the platforms share whose pages are asked for by an offset."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from urllib.parse import quote, urlencode

from centinel import addresses
from centinel.answers import Answer, Fetched
from centinel.liveness import Refusal
from centinel.record import Liveness
from centinel.sources.platforms import values
from centinel.sources.platforms.asking import Asking, Secret
from centinel.sources.platforms.records import Block, Memory, Page, Place, Walked


def with_query(address: str, parameters: Mapping[str, str]) -> str:
    """Returns a canonical address with a query, in the order given; without one where it is {}."""
    query = urlencode(parameters, quote_via=quote, safe="$(),:'*")
    whole = f"{address}?{query}" if query else address
    return addresses.canonical(whole) or whole


def base_of(block: Block, default: str = "") -> str:
    """Returns the address that a block overrides, or the vendor's, without a slash at its end."""
    stated = str(block.get("url") or default)
    return (addresses.canonical(stated) or stated).rstrip("/")


class Paged(ABC):
    """The walk by an offset: to the end that the vendor declares, and to an empty page without.

    A page that was full is never the last: declared totals are capped as well (a search engine
    counts to 10,000), so that one more page is asked for.
    """

    cap: int
    both: str
    """How two filters are both asked for."""

    @abstractmethod
    def address(self, block: Block) -> str:
        """Returns the list that is asked for, without its paging."""

    @abstractmethod
    def at(self, block: Block, rows: int) -> Mapping[str, str]:
        """Returns the parameters that ask for the page behind so many rows."""

    def secret(self, block: Block) -> Secret | None:  # noqa: ARG002 (others need it)
        """Returns None: the public part of these platforms asks for no token."""
        return None

    def first(self, block: Block) -> str:
        """Returns the address of the first page."""
        return self._page(block, 0)

    def following(self, block: Block, page: Page, rows: int) -> str | None:
        """Returns the next page's address; None where the declared total is reached."""
        if page.total is not None and rows >= page.total and page.size < self.cap:
            return None
        return self._page(block, rows)

    def _page(self, block: Block, rows: int) -> str:
        address = self.address(block)
        stated, _, query = address.partition("?")
        paging = with_query(stated, self.at(block, rows)).partition("?")[2]
        return f"{stated}?{query}&{paging}" if query else f"{stated}?{paging}"

    def beyond(self, block: Block, place: Place) -> Block | None:
        """Returns the block narrowed to what is behind a place, in the words of its `filter`."""
        stated = self.behind(block, place)
        if "filter" in block:
            stated = self.both.format(block["filter"], stated)
        return {**block, "filter": stated}

    @abstractmethod
    def behind(self, block: Block, place: Place) -> str:
        """Returns the filter that leaves only what is behind a place in the order of `at`."""

    def hints(self, block: Block, walked: Walked) -> list[str]:  # noqa: ARG002 (others need it)
        """Returns nothing: the walk says all there is to know."""
        return []

    @abstractmethod
    def is_record(self, block: Block, artifact: str) -> bool:
        """Returns whether an address is one at which the platform gives JSON."""

    def fetch(
        self,
        block: Block,
        asking: Asking,
        artifact: str,
        validators: Mapping[str, str],
        memory: Memory,  # noqa: ARG002 (others need it)
    ) -> Answer:
        """Asks for a record, or for a file that one names."""
        if self.is_record(block, artifact):
            return self.record(asking, artifact, validators)
        return asking.get(artifact, validators)

    def record(self, asking: Asking, artifact: str, validators: Mapping[str, str]) -> Answer:
        """Asks for JSON; an error that is served with 200 is none of it."""
        answer = asking.get(artifact, validators)
        if isinstance(answer, Fetched) and (refused := self.refused(answer)):
            answer.body.discard()
            return refused
        return answer

    def refused(self, answer: Fetched) -> Refusal | None:
        """Returns the refusal that an answer with 200 is; None where it is a record."""
        if values.is_web_page(answer.body.head):
            return Refusal(Liveness.ERROR, values.WEB_PAGE, answer.http_status, answer.final_url)
        return None
