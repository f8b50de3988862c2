"""Findings in plain words: what an operator should know before the block is pasted."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from centinel import addresses
from centinel.configuration import Configuration
from centinel.investigation.asking import BUDGET
from centinel.investigation.measures import Measures
from centinel.investigation.recognition import Case
from centinel.investigation.shapes import Shapes
from centinel.readers.markdown import menu_note
from centinel.report.wording import of, percent

MUCH_SCRIPT = 0.5
ONE_SHAPE = 0.5
FEWEST_OF_A_SHAPE = 50
"""Addresses, below which it is no matter that most are of one shape."""


@dataclass(frozen=True)
class Seen:
    """All that was looked at."""

    case: Case
    measures: Measures | None
    shapes: Shapes
    configuration: Configuration
    unasked: int = 0
    """Addresses of what is offered that the budget left unasked."""


def findings(seen: Seen) -> list[str]:
    """Returns what is to be said, a sentence each."""
    return [said for find in _FINDINGS for said in find(seen)]


def _refused(seen: Seen) -> Iterator[str]:
    refusal = seen.case.seed.refusal
    if refusal:
        yield (
            f"the page was refused ({refusal.liveness}: {refusal.reason}): "
            "nothing could be looked for on it"
        )


def _moved(seen: Seen) -> Iterator[str]:
    asked, final = seen.case.seed.asked, seen.case.seed.final_url
    if addresses.host(asked) != addresses.host(final):
        yield f"the address leads to another host, {addresses.host(final)}: the blocks name that"


def _configured(seen: Seen) -> Iterator[str]:
    for source in seen.configuration.sources.values():
        known = addresses.canonical(str(source.value))
        if known in (seen.case.seed.asked, seen.case.site):
            yield f"it is in your sources file already, as `{source.identifier}`"


def _script(seen: Seen) -> Iterator[str]:
    if seen.measures and seen.measures.script_share > MUCH_SCRIPT:
        share = percent(100 * seen.measures.script_share)
        yield f"script is {share} of the page: its addresses may be built at run time"


def _sitemap(seen: Seen) -> Iterator[str]:
    if not seen.case.rules.sitemaps:
        yield "robots.txt declares no sitemap"


def _menu(seen: Seen) -> Iterator[str]:
    # A listing is links by its nature: that it is one is no fault.
    if seen.measures and seen.case.listing is None and menu_note(seen.measures.link_share):
        share = percent(100 * seen.measures.link_share)
        yield f"the page is mostly links: {share} of its text is link text"


def _pager(seen: Seen) -> Iterator[str]:
    count = seen.measures.postback_links if seen.measures else 0
    if count:
        said = of(count, "link sends", "links send")
        yield (
            f"{said} the page's form again (`__doPostBack`): "
            "what lies behind a pager of these cannot be reached by GET, and is not driven"
        )


def _box(seen: Seen) -> Iterator[str]:
    measures = seen.measures
    if measures and measures.post_boxes:
        captcha = ", behind a CAPTCHA" if measures.has_captcha else ""
        yield (
            f"a query box is sent by POST{captcha}: "
            "the list that it gives cannot be reached by GET, and is not driven"
        )


def _one_shape(seen: Seen) -> Iterator[str]:
    shapes = seen.shapes
    largest = next(iter(shapes.shapes), None)
    if largest and largest.count >= max(FEWEST_OF_A_SHAPE, ONE_SHAPE * shapes.looked_at):
        share = percent(100 * largest.count / shapes.looked_at)
        yield (
            f"{share} of the first {shapes.looked_at} addresses have the shape {largest.shape}: "
            "`exclude` leaves them out where they are not wanted"
        )


def _budget(seen: Seen) -> Iterator[str]:
    client = seen.case.client
    if seen.unasked:
        allowed = f"{client.most} requests"
        if client.most < BUDGET:
            allowed += f" (fewer than {BUDGET}, because of its Crawl-delay)"
        yield (
            f"the budget of {allowed}, with a few for each API, cut what was asked: "
            f"{of(seen.unasked, 'request', 'requests')} left unsent, "
            "so that counts are `at least`; a run sends all of them"
        )


_FINDINGS: tuple[Callable[[Seen], Iterator[str]], ...] = (
    _refused,
    _moved,
    _configured,
    _budget,
    _script,
    _sitemap,
    _menu,
    _pager,
    _box,
    _one_shape,
)


def advice(seen: Seen) -> str:
    """Returns the sentence for an address that nothing recognises, and what could be done."""
    return f"Nothing recognises this address. {_what_could_be_done(seen)}"


def _what_could_be_done(seen: Seen) -> str:
    seed, measures = seen.case.seed, seen.measures
    if seed.refusal:
        return (
            f"It was refused ({seed.refusal.reason}): put a contact into config/config.yaml, "
            "ask the publisher, or try again later."
        )
    if measures is None and seed.claim:
        return (
            f"It is one {seed.claim.kind} document: `centinel check` reads it; "
            "investigate the page that links to it."
        )
    if measures and (measures.postback_links or measures.post_boxes):
        return (
            "Its list is given to a form, and no address names it: "
            "ask the publisher for a file of it, and archive that with `folder`."
        )
    if measures and measures.script_share > MUCH_SCRIPT:
        return (
            "Its addresses may be built at run time: the network panel of a browser shows the API "
            "that it asks, which docs/query.md may have a platform for."
        )
    return (
        "Look for its sitemap, a feed, a data catalogue or a directory of files, "
        "and investigate that; what you have on disk is archived with `folder`."
    )
