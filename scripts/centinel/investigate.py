"""What would this address give: who recognises it, why, and the block for the sources file."""

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from centinel import addresses, crumbs
from centinel.configuration import Configuration, Ruling
from centinel.investigation.asking import BUDGET, BudgetedClient, BudgetSpent
from centinel.investigation.blocks import as_yaml, named
from centinel.investigation.findings import Seen, advice, findings
from centinel.investigation.measures import measure
from centinel.investigation.recognition import Case, Offer, Recognition
from centinel.investigation.registry import recognise
from centinel.investigation.seed import Seed, ask
from centinel.investigation.shapes import cluster
from centinel.record import Json
from centinel.report.wording import of, printable, size
from centinel.robots import Rules
from centinel.schemas import one_line

MOST_CRUMBS = 8
"""Hosts that are named; the rest is counted."""


class NotAsked(Exception):
    """The address could not be asked at all; the message says why."""


@dataclass(frozen=True)
class Investigation:
    """Everything that is said of one address."""

    seen: Seen
    recognitions: tuple[Recognition, ...]
    blocks: dict[str, Offer]
    crumbs: list[Json]
    requests: int

    @property
    def seed(self) -> Seed:
        """The address and its answer."""
        return self.seen.case.seed

    def to_json(self) -> Json:
        """Returns everything as one JSON object."""
        client, rules = self.seen.case.client, self.seen.case.rules
        return {
            "target": self.seed.asked,
            "seed": self.seed.to_json(),
            "robots": {
                "note": rules.note,
                "declared": rules.declared,
                "crawl_delay": rules.crawl_delay,
                "sitemaps": list(rules.sitemaps),
            },
            "recognisers": [_recognition_json(each) for each in self.recognitions],
            "measures": self.seen.measures.to_json() if self.seen.measures else None,
            "shapes": self.seen.shapes.to_json(),
            "findings": findings(self.seen),
            "crumbs": self.crumbs[:MOST_CRUMBS],
            "crumbs_more": len(self.crumbs[MOST_CRUMBS:]),
            "blocks": [_block_json(name, offer) for name, offer in self.blocks.items()],
            "yaml": as_yaml(self.blocks),
            "advice": None if self.blocks else advice(self.seen),
            "requests": self.requests,
            "budget": client.most,
            "unasked": self.seen.unasked,
        }

    def lines(self) -> Iterator[str]:
        """Yields everything for a person; the blocks to paste come last."""
        yield from map(printable, self._lines())

    def _lines(self) -> Iterator[str]:
        yield from _seed_lines(self.seed)
        yield from _robots_lines(self.seen.case.rules)
        yield from _section("who recognises it", _recognition_lines(self.recognitions))
        measures = self.seen.measures
        yield from _section("the page", measures.lines() if measures else [])
        shapes = self.seen.shapes
        title = f"what is published, by shape (the first {shapes.looked_at} addresses)"
        yield from _section(title, shapes.lines())
        yield from _section("findings", findings(self.seen) or ["none"])
        hosts = list(_crumb_lines(self.crumbs)) or ["none"]
        yield from _section("other hosts that it links to", hosts)
        yield ""
        yield f"{of(self.requests, 'request', 'requests')} of {self.seen.case.client.most}"
        yield ""
        if self.blocks:
            yield "for config/sources.yaml, the most specific first:"
            yield ""
            yield from as_yaml(self.blocks).splitlines()
        else:
            yield advice(self.seen)


def refuse(target: str) -> str:
    """Returns the canonical form of an address; raises NotAsked for what is no http(s) address."""
    address = addresses.canonical(target)
    if address is None:
        raise NotAsked("it is no http address: only http and https are asked")
    return address


def investigate(target: str, configuration: Configuration) -> Investigation:
    """Asks what an address would give, within 25 requests; raises NotAsked.

    Nothing is stored: what was fetched lies in a temporary folder until this returns.
    """
    address = refuse(target)
    with tempfile.TemporaryDirectory(prefix="centinel-investigate-") as folder:
        private = addresses.is_private(urlsplit(address).hostname or "")
        client = BudgetedClient(
            Path(folder), configuration.contact, private_is_allowed=private, most=BUDGET
        )
        try:
            rules = client.rules(address)
        except BudgetSpent:
            raise NotAsked(f"robots.txt took more than {BUDGET} requests") from None
        if rules.unreachable:
            raise NotAsked(rules.note)
        client.slow_down(rules.crawl_delay)
        seed = ask(address, client)
        # Where it led to another host, that one's rules were read on the way.
        case = Case(seed, client.rules(seed.final_url), client)
        client.slow_down(case.rules.crawl_delay)
        return _concluded(case, configuration)


def _concluded(case: Case, configuration: Configuration) -> Investigation:
    recognitions = recognise(case)
    offers = [offer for each in recognitions for offer in each.offers]
    # The site's own comes last: it stands for the whole, else the most general of the blocks does.
    stated = (*(each.walk for each in offers), case.website)
    walks = list({id(each): each for each in stated if each}.values())
    whole = next((each for each in reversed(walks) if each.resources), case.website)
    shapes = cluster(whole.resources, case.site)
    unasked = sum(each.unasked for each in walks)
    seen = Seen(case, measure(case.seed), shapes, configuration, unasked)
    return Investigation(
        seen=seen,
        recognitions=recognitions,
        blocks=named(offers, case.seed.final_url, configuration.sources),
        crumbs=_crumbs(case, configuration),
        requests=case.client.requests_sent,
    )


def _crumbs(case: Case, configuration: Configuration) -> list[Json]:
    """The hosts that the page links to, and how each stands with the operator."""
    page = case.seed.page
    standing = crumbs.standing(configuration)
    found = crumbs.links_of(page) if page else []
    return [{**each, "ruling": _ruling(standing, str(each["host"]))} for each in found]


def _ruling(standing: Mapping[str, Ruling], host: str) -> str:
    return standing[host].ruling if host in standing else "open"


def _recognition_json(recognition: Recognition) -> Json:
    return {
        "recogniser": recognition.recogniser,
        "recognised": recognition.recognised,
        "evidence": list(recognition.evidence),
    }


def _block_json(identifier: str, offer: Offer) -> Json:
    walk = offer.walk
    return {
        "id": identifier,
        "block": offer.block,
        "found": len(walk.resources) if walk else None,
        "at_least": walk.truncated if walk else None,
        "by_fallback": walk.by_fallback if walk else None,
        "method": walk.method if walk else None,
        "promise": offer.promise,
    }


def _seed_lines(seed: Seed) -> Iterator[str]:
    said = seed.to_json()
    yield f"address: {seed.asked}"
    refusal = seed.refusal
    if refusal:
        yield f"status: no status ({refusal.liveness}: {refusal.reason})"
    else:
        yield f"status: {said['http_status']}"
    if said["final_url"] and said["final_url"] != seed.asked:
        yield f"led to: {said['final_url']}"
    if said["kind"]:
        evidence = (
            f"type {said['declared_type'] or 'none'}, bytes {said['magic'] or 'none'}, "
            f"extension {said['extension'] or 'none'}"
        )
        yield f"kind: {said['kind']} (decided by {said['decided_by']}; {evidence})"
        yield f"size: {size(said['size'])}"
    if said["title"]:
        yield f"title: {said['title']}"
    yield from (f"note: {note}" for note in said["notes"])


def _robots_lines(rules: Rules) -> Iterator[str]:
    delay = f", Crawl-delay {rules.crawl_delay:g} s" if rules.crawl_delay else ""
    yield f"robots: {rules.note}{delay}"
    yield from (f"sitemap declared: {each}" for each in rules.sitemaps)


def _recognition_lines(recognitions: tuple[Recognition, ...]) -> Iterator[str]:
    for each in recognitions:
        first, *rest = each.evidence or ("",)
        yield f"{each.recogniser}: {'yes' if each.recognised else 'no'}: {one_line(first)}"
        yield from (f"  {one_line(line)}" for line in rest)


def _crumb_lines(found: list[Json]) -> Iterator[str]:
    for each in found[:MOST_CRUMBS]:
        links = of(int(each["links"]), "link", "links")
        yield f"{each['host']}: {links}, {each['ruling']}; {each['example']}"
    if len(found) > MOST_CRUMBS:
        yield f"{of(len(found) - MOST_CRUMBS, 'host', 'hosts')} more"


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    found = list(lines)
    if found:
        yield ""
        yield f"{title}:"
        yield from (f"  {line}" for line in found)
