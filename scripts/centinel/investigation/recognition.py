"""What is looked at, and what a recogniser answers."""

import re
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from typing import Any, Protocol
from urllib.parse import urlsplit

from centinel import addresses
from centinel.configuration import SOURCE_KEYS, Source
from centinel.investigation.asking import SPENT, BudgetedClient, BudgetSpent
from centinel.investigation.seed import Seed
from centinel.record import Json, Resource
from centinel.report.wording import counted, of
from centinel.robots import Rules
from centinel.schemas import one_line
from centinel.sources import bucket, listing, registry
from centinel.sources.channel import places
from centinel.sources.source_kind import Enumeration
from centinel.sources.website import BY_CONVENTION

SHARED_HOSTS = places.YOUTUBE
"""Hosts of many publishers: their sitemaps are nobody's own."""

MOST_WARNINGS = 5
"""Warnings of a walk that are shown; the rest is counted."""


@dataclass(frozen=True)
class Walk:
    """What the enumeration of a block gave: the same that a run would ask."""

    method: str
    resources: list[Resource] = field(default_factory=list)
    truncated: bool = False
    by_fallback: bool = False
    """Whether a run falls back to it, because nothing is declared."""
    reason: str | None = None
    declared: int | None = None
    """How many the vendor says that there are."""
    unasked: int = 0
    """Addresses that the budget left unasked."""
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    disallowed: int = 0

    @property
    def spoken(self) -> str:
        """What was found, as it may be said: `at least` where it is not known to be all."""
        count = len(self.resources)
        noun = "address" if count == 1 else "addresses"
        said = f"{counted(count, self.truncated)} {noun}"
        if self.declared is not None and self.declared != count:
            said += f", {self.declared:,} declared"
        if self.unasked:
            said += f"; {of(self.unasked, 'request', 'requests')} more left unasked by the budget"
        return said

    @property
    def shown_warnings(self) -> list[str]:
        """The warnings without those of the budget, which `unasked` counts."""
        own = [each for each in self.warnings if not each.endswith(SPENT)]
        rest = len(own) - MOST_WARNINGS
        return own[:MOST_WARNINGS] + ([f"{rest} warnings more"] if rest > 0 else [])


@dataclass(frozen=True)
class Offer:
    """A block for the sources file."""

    key: str
    value: Any
    suffix: str
    """What its id ends with, where it is not the only block."""
    walk: Walk | None = None
    """What its enumeration gave; None where it was not asked."""
    remark: str = ""

    @property
    def block(self) -> Json:
        """The block itself."""
        return {self.key: self.value}

    @property
    def promise(self) -> str:
        """One line on what it gives."""
        said = self.walk.spoken if self.walk else "not asked"
        return f"{said}; {self.remark}" if self.remark else said


@dataclass(frozen=True)
class Recognition:
    """What one recogniser says of an address."""

    recogniser: str
    evidence: tuple[str, ...] = ()
    """What shows it; where it is not recognised, what was looked for."""
    recognised: bool = False
    offers: tuple[Offer, ...] = ()


class Recogniser(Protocol):
    """One thing that an address may be. The elements of `registry.RECOGNISERS`."""

    name: str

    def look(self, case: "Case") -> Recognition:
        """Returns whether the address is one, and the blocks that it would be."""
        ...


@dataclass(frozen=True)
class Case:
    """One investigation: what was answered so far, and whom to ask."""

    seed: Seed
    rules: Rules
    client: BudgetedClient

    @cached_property
    def origin(self) -> str:
        """Scheme, host and port of where the address led."""
        return addresses.origin(self.seed.final_url)

    @cached_property
    def hostname(self) -> str:
        """The host without its port."""
        return urlsplit(self.seed.final_url).hostname or ""

    @cached_property
    def markup(self) -> str:
        """The bytes of a page as text, to look for what products put there; empty without one."""
        return self.seed.content.decode("utf-8", "replace") if self.seed.page else ""

    def says(self, pattern: re.Pattern[str]) -> str | None:
        """Returns what of the markup is like this."""
        match = pattern.search(self.markup)
        return " ".join(match[0].split())[:100] if match else None

    @cached_property
    def links(self) -> tuple[str, ...]:
        """Where the page's links and frames lead, each once, in order."""
        page = self.seed.page
        if page is None:
            return ()
        stated = [*page.attributes("a", "href"), *page.attributes("iframe", "src")]
        found = (addresses.canonical(each, page.base) for each in stated)
        return tuple(dict.fromkeys(filter(None, found)))

    @cached_property
    def listing(self) -> listing.Listing | None:
        """The directory listing that the address itself is."""
        answer = self.seed.fetched
        if answer is None:
            return None
        return listing.recognise(self.seed.content, answer.final_url, answer.declared_type)

    @cached_property
    def site(self) -> str:
        """The address that a website's block would have: a listing's own, else the host's."""
        if self.listing:
            return self.listing.root
        answer = self.seed.fetched
        page = answer and listing.Page(self.seed.content, answer.final_url, answer.declared_type)
        return self.seed.final_url if page and bucket.recognise(page) else f"{self.origin}/"

    @cached_property
    def website(self) -> Walk:
        """What a run would find at the site, asked with all that is left of the budget."""
        if self.hostname in SHARED_HOSTS:
            reason = "not walked: a host of many publishers, whose sitemaps are not this one's"
            return Walk("sitemap", reason=reason)
        return self.walk("site", self.site)

    def walk(self, key: str, value: Any, most: int | None = None) -> Walk:
        """Enumerates a block as a run would, within so many requests."""
        source = _source(key, value)
        before = self.client.unasked
        with self.client.within(self.client.most if most is None else most):
            try:
                found = registry.kind_of(source).enumerate(source, self.client)
            except BudgetSpent:
                found = Enumeration(key, reason=SPENT)
            except Exception as error:  # noqa: BLE001 (one odd input never ends a run)
                found = Enumeration(key, reason=one_line(f"{type(error).__name__}: {error}"))
        declared = found.figures.get("declared")
        return Walk(
            method=found.method,
            resources=found.resources,
            truncated=found.truncated,
            by_fallback=BY_CONVENTION in found.warnings,
            reason=found.reason,
            declared=declared if isinstance(declared, int) else None,
            unasked=self.client.unasked - before,
            notes=found.notes,
            warnings=found.warnings,
            disallowed=int(found.figures.get("disallowed", 0)),
        )


def has_kind(key: str) -> bool:
    """Returns whether this version has such a kind of source."""
    return any(kind.key == key for kind in registry.SOURCE_KINDS)


def _source(key: str, value: Any) -> Source:
    """A block as a run would see it; an enumeration looks at nothing but its value."""
    assert key in SOURCE_KEYS
    day = timedelta(days=1)
    return Source(
        identifier="investigated",
        key=key,
        value=value,
        enabled=True,
        rps=1.0,
        lang="en",
        limit=None,
        match=(),
        exclude=(),
        revisit=30 * day,
        retry={},
        acquire_for=day,
        max_bytes=256 << 20,
    )
