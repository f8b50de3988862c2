"""Who recognises an address, the most specific first: product, standard, server, convention."""

from centinel.investigation.asking import SPENT, BudgetSpent
from centinel.investigation.channels import Channel
from centinel.investigation.products import (
    CkanSite,
    HubSite,
    LegistarSite,
    MunicodeSite,
    PrimeGovSite,
)
from centinel.investigation.recognition import Case, Recogniser, Recognition
from centinel.investigation.standards import Catalogue, Feeds
from centinel.investigation.websites import (
    BucketListing,
    DirectoryListing,
    DocumentFolder,
    Sitemaps,
)
from centinel.schemas import one_line

RECOGNISERS: tuple[Recogniser, ...] = (
    LegistarSite(),
    PrimeGovSite(),
    MunicodeSite(),
    CkanSite(),
    HubSite(),
    Channel(),
    Catalogue(),
    Feeds(),
    DocumentFolder(),
    BucketListing(),
    DirectoryListing(),
    Sitemaps(),
)
"""In this order; the last three share what is left of the budget."""


def recognise(case: Case) -> tuple[Recognition, ...]:
    """Returns what each of them says."""
    return tuple(_look(each, case) for each in RECOGNISERS)


def _look(recogniser: Recogniser, case: Case) -> Recognition:
    """One of them; that it stumbles over an odd answer is its answer."""
    try:
        return recogniser.look(case)
    except BudgetSpent:
        return Recognition(recogniser.name, (SPENT,))
    except Exception as error:  # noqa: BLE001 (one odd input never ends a run)
        fault = one_line(f"{type(error).__name__}: {error}")
        return Recognition(recogniser.name, (f"could not be looked for: {fault}",))
