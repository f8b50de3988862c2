"""Walks the pages of a query to the end, and says so where the end was not reached."""

from collections import deque
from dataclasses import dataclass, field

from centinel.answers import Fetched
from centinel.liveness import Refusal
from centinel.record import Resource
from centinel.sources.platforms.asking import Asking
from centinel.sources.platforms.platform import Platform
from centinel.sources.platforms.records import Block, Page, Place, Record, Walked
from centinel.sources.platforms.values import CHANGED, Unreadable
from centinel.sources.source_kind import Enumeration

MOST_REQUESTS = 1000
"""Pages of one query; catalog.data.gov has 346,434 datasets, which are 347 of CKAN's."""

MOST_RECORDS = 500_000

PAST_THE_WINDOW = frozenset({400, 500})
"""What vendors answer to an offset behind the last that they page to."""


def walk(platform: Platform, block: Block, asking: Asking) -> Walked:
    """Returns what every page of a query gave. Raises what `Client.get` raises."""
    walking = _Walk(platform, block, asking)
    walking.run()
    return walking.found


def enumeration(platform: Platform, block: Block, walked: Walked) -> Enumeration:
    """Returns a walk as an enumeration: one resource an address."""
    found = Enumeration(platform.name, list(_resources(walked).values()))
    found.reason = failure(platform, walked)
    found.notes += platform.hints(block, walked)
    found.warnings += walked.remarks
    for cut in (*filter(None, (walked.stopped,)), *walked.cuts):
        found.cut(cut)
    found.figures = {"requests": walked.requests, "declared": walked.total}
    if walked.parts:
        found.notes.append(
            f"its pages end early: gone on with {walked.parts} times, behind the last record"
        )
    if walked.repeated:
        found.notes.append(f"{walked.repeated} rows repeat records that were there before")
    shared = len(walked.records) - len(found.resources)
    if shared:
        found.notes.append(
            f"{len(walked.records)} records have {len(found.resources)} addresses: some share one"
        )
    return found


def _resources(walked: Walked) -> dict[str, Resource]:
    """One resource an address: the first title, and the latest change, of the records there."""
    resources: dict[str, Resource] = {}
    for each in walked.records:
        known = resources.get(each.address)
        lastmod = max(filter(None, (each.lastmod, known.lastmod if known else None)), default=None)
        title = known.title if known and known.title else each.title
        original = known.original if known else each.original
        resources[each.address] = Resource(each.address, lastmod, title, original=original)
    return resources


def failure(platform: Platform, walked: Walked) -> str | None:
    """Returns why a walk gave nothing; None where it gave records, or there are none."""
    if walked.records:
        return None
    if walked.stopped:
        return walked.stopped
    if walked.unusable:
        return f"{CHANGED}: no {platform.lacking} in any of {walked.unusable} rows"
    return next(iter(walked.cuts), None)


@dataclass
class _Part:
    """What is walked from page to page without a gap: the whole query, or what is behind a record.

    A list that its paging does not give whole is gone on with behind its last record, by a filter
    of the vendor's own; what is left then is all that cannot be had.
    """

    block: Block
    start: Place | None = None
    """Where it begins; None for the whole query."""
    rows: int = 0
    pages: int = 0
    fresh: int = 0
    total: int | None = None
    last: Page | None = None
    end: Place | None = None
    """The place of the last record."""
    shortfall: str | None = None
    """Why there may be more than its pages gave; empty where comparing counts will say so."""
    is_ordered: bool = True
    """Whether its records come in the order of their places, none before its start."""

    def take(self, page: Page, fresh: list[Record]) -> None:
        """Takes note of a page, and of those of its records that were not there before."""
        self.rows += page.size
        if page.size:
            self.last, self.pages = page, self.pages + 1
        if page.total is not None:
            self.total = max(page.total, self.total or 0)
        self.fresh += len(fresh)
        self.is_ordered &= not any(_is_before(each.place, self.start) for each in page.records)
        for each in fresh:
            self.is_ordered &= not _is_before(each.place, self.end)
            self.end = each.place

    def is_at_start(self, page: Page) -> bool:
        """Returns whether a page only has what stands at the very start, and was had before."""
        return self.start is not None and all(each.place == self.start for each in page.records)

    def look_back(self) -> None:
        """Sees at its end whether there may be more."""
        last = self.last
        if self.shortfall is not None or last is None:
            return
        if self.total is not None:
            self.shortfall = "" if self.rows < self.total else None
        elif not last.is_complete and last.size == last.cap:
            said = (
                f"exactly {self.rows} records, the most that one page has, and no total: "
                "there may be more"
            )
            self.shortfall = said if self.pages == 1 else ""


def _is_before(one: Place | None, other: Place | None) -> bool:
    if one is None or other is None:
        return False
    if isinstance(one, int) and isinstance(other, int):
        return one < other
    return str(one) < str(other)


@dataclass
class _Walk:
    platform: Platform
    block: Block
    asking: Asking
    found: Walked = field(default_factory=Walked)
    seen: set[tuple[str, str]] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    queue: deque[str] = field(default_factory=deque)
    named: set[str] = field(default_factory=set)
    """Further lists that were named: several may name the same."""
    has_branches: bool = False
    """Whether a page named further lists: one that fails then does not end the others."""

    def run(self) -> None:
        part: _Part | None = _Part(self.block)
        before: _Part | None = None
        while part is not None:
            self._walk(part)
            part, before = self._beyond(part, before), part
        self._finish()

    def _walk(self, part: _Part) -> None:
        self.queue.append(self.platform.first(part.block))
        while self.queue and self._may_ask(self.queue[0]):
            address = self.queue.popleft()
            page = self._page(part, address)
            following = self._after(part, address, page) if page else None
            if following:
                self.queue.appendleft(following)
        part.look_back()

    def _may_ask(self, address: str) -> bool:
        if address in self.asked:
            self.found.cuts.append(f"{address}: named as the next page, and was read already")
            return False
        if self.found.requests >= MOST_REQUESTS:
            self.found.cuts.append(f"stopped at {MOST_REQUESTS} requests, with a next page left")
            return False
        return len(self.found.records) <= MOST_RECORDS

    def _page(self, part: _Part, address: str) -> Page | None:
        self.asked.add(address)
        self.found.requests += 1
        answer = self.asking.get(address)
        if not isinstance(answer, Fetched):
            reason = answer.reason if isinstance(answer, Refusal) else "http 304"
            self.found.http_status = getattr(answer, "http_status", None)
            self._failed(part, f"{address}: {reason}", self.found.http_status)
            return None
        try:
            page = self.platform.read(part.block, answer)
        except Unreadable as error:
            self._failed(part, f"{address}: {error}")
            return None
        finally:
            answer.body.discard()
        self.found.cuts += [f"{address}: {warning}" for warning in page.warnings]
        return page

    def _failed(self, part: _Part, said: str, http_status: int | None = None) -> None:
        """A page that could not be had: beyond what an API pages to, it is no end of the list."""
        if self.has_branches:
            self.found.cuts.append(said)
        elif part.start is not None or (part.rows and http_status in PAST_THE_WINDOW):
            part.shortfall = said
        else:
            self.found.stopped = said

    def _after(self, part: _Part, address: str, page: Page) -> str | None:
        """Takes a page; returns the next one's address, None where there is nothing to go on."""
        fresh = [each for each in page.records if self._is_new(each)]
        part.take(page, fresh)
        found = self.found
        found.records += fresh
        found.rows += page.size
        found.unusable += page.unusable
        is_known = part.is_at_start(page)
        found.repeated += 0 if is_known else len(page.records) - len(fresh)
        if part.start is None and part.total is not None:
            found.total = part.total
        if page.size:
            found.last = page
        self.queue.extend(each for each in page.branches if each not in self.named | self.asked)
        self.named.update(page.branches)
        self.has_branches |= bool(page.branches)
        # A record may stand in several lists: that is no page that came again.
        if page.records and not fresh and not is_known and not self.has_branches:
            part.shortfall = f"{address}: the same records again: its paging has no effect"
            return None
        following = self.platform.following(part.block, page, part.rows)
        if not page.records:
            if page.following:
                found.cuts.append(f"{address}: names a next page, but has no record itself")
            return None
        return following

    def _beyond(self, part: _Part, before: _Part | None) -> _Part | None:
        """Returns the part behind one that ended early; None where there is none, or no way to it.

        That there is nothing behind the last record shows that the list was whole.
        """
        if part.start is not None and not part.fresh:
            is_proof = part.is_ordered and part.shortfall in (None, "")
            self._give_up(before.shortfall if before and not is_proof else None)
            return None
        if part.shortfall is None or self.queue or self.found.stopped:
            return None
        block = None
        if part.end is not None and part.is_ordered and part.end != part.start:
            block = self.platform.beyond(self.block, part.end)
        if block is None:
            self._give_up(part.shortfall)
            return None
        self.found.parts += 1
        return _Part(block, part.end)

    def _give_up(self, shortfall: str | None) -> None:
        if shortfall:
            self.found.cuts.append(shortfall)

    def _is_new(self, record: Record) -> bool:
        key = (record.address, record.identity)
        if key in self.seen:
            return False
        self.seen.add(key)
        return True

    def _finish(self) -> None:
        found = self.found
        if len(found.records) > MOST_RECORDS:
            found.cuts.append(f"stopped at {MOST_RECORDS} records")
            del found.records[MOST_RECORDS:]
        if found.unusable and found.records:
            found.cuts.append(
                f"{CHANGED}: no {self.platform.lacking} in {found.unusable} of {found.rows} rows: "
                "left out"
            )
        self._compare()
        if not found.records and not found.is_cut and not found.unusable:
            found.remarks.append("the query gave no record at all")

    def _compare(self) -> None:
        """Compares with what the vendor declares."""
        found = self.found
        had = len(found.records) + found.unusable
        if found.total is not None and had < found.total:
            found.cuts.append(f"{found.total} records are declared, {had} were found")
        elif found.total is not None and had > found.total:
            found.remarks.append(f"{found.total} records are declared, and {had} were found")
