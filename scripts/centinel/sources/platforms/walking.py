"""Walks the pages of a query to the end, and says so where the end was not reached."""

from dataclasses import dataclass, field

from centinel.http import Fetched
from centinel.liveness import Refusal
from centinel.record import Resource
from centinel.sources.platforms.asking import Asking
from centinel.sources.platforms.platform import Platform
from centinel.sources.platforms.records import Block, Page, Record, Walked
from centinel.sources.platforms.values import CHANGED, Unreadable
from centinel.sources.source_kind import Enumeration

MOST_REQUESTS = 1000
"""Pages of one query; catalog.data.gov has 346,434 datasets, which are 347 of CKAN's."""

MOST_RECORDS = 500_000


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
class _Walk:
    platform: Platform
    block: Block
    asking: Asking
    found: Walked = field(default_factory=Walked)
    seen: set[tuple[str, str]] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)

    def run(self) -> None:
        address: str | None = self.platform.first(self.block)
        while address and self._may_ask(address):
            page = self._page(address)
            address = self._after(address, page) if page else None
        self._finish()

    def _may_ask(self, address: str) -> bool:
        if address in self.asked:
            self.found.cuts.append(f"{address}: named as the next page, and was read already")
            return False
        if self.found.requests >= MOST_REQUESTS:
            self.found.cuts.append(f"stopped at {MOST_REQUESTS} requests, with a next page left")
            return False
        return len(self.found.records) <= MOST_RECORDS

    def _page(self, address: str) -> Page | None:
        self.asked.add(address)
        self.found.requests += 1
        answer = self.asking.get(address)
        if not isinstance(answer, Fetched):
            reason = answer.reason if isinstance(answer, Refusal) else "http 304"
            self.found.http_status = getattr(answer, "http_status", None)
            self.found.stopped = f"{address}: {reason}"
            return None
        try:
            page = self.platform.read(self.block, answer)
        except Unreadable as error:
            self.found.stopped = f"{address}: {error}"
            return None
        finally:
            answer.body.discard()
        self.found.cuts += [f"{address}: {warning}" for warning in page.warnings]
        return page

    def _after(self, address: str, page: Page) -> str | None:
        """Takes a page; returns the next one's address, None where there is nothing to go on."""
        fresh = [each for each in page.records if self._is_new(each)]
        self.found.records += fresh
        self.found.repeated += len(page.records) - len(fresh)
        self.found.rows += page.size
        self.found.unusable += page.unusable
        if page.total is not None:
            self.found.total = max(page.total, self.found.total or 0)
        if page.records and not fresh:
            self.found.cuts.append(f"{address}: the same records again: its paging has no effect")
            return None
        following = self.platform.following(self.block, page, self.found.rows)
        if page.size:
            self.found.last = page
            self.found.pages += 1
        if not page.records:
            if page.following:
                self.found.cuts.append(f"{address}: names a next page, but has no record itself")
            return None
        return following

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
        """Compares with what the vendor declares; without that, the cap itself is suspect."""
        found = self.found
        had = len(found.records) + found.unusable
        if found.total is not None and had < found.total:
            found.cuts.append(f"{found.total} records are declared, {had} were found")
        elif found.total is not None and had > found.total:
            found.remarks.append(f"{found.total} records are declared, and {had} were found")
        elif found.total is None and not found.stopped and self._is_exactly_the_cap():
            found.cuts.append(
                f"exactly {found.rows} records, the most that one page has, and no total: "
                "there may be more"
            )

    def _is_exactly_the_cap(self) -> bool:
        last = self.found.last
        return (
            last is not None
            and not last.is_complete
            and self.found.pages == 1
            and self.found.rows == last.cap
        )
