"""The platforms that this version has."""

from centinel.sources.platforms.arcgis_hub import ArcgisHub
from centinel.sources.platforms.ckan import Ckan
from centinel.sources.platforms.dcat import Dcat
from centinel.sources.platforms.feed import Feed
from centinel.sources.platforms.legistar import Legistar
from centinel.sources.platforms.municode import Municode
from centinel.sources.platforms.platform import Platform
from centinel.sources.platforms.primegov import PrimeGov
from centinel.sources.platforms.records import Block

PLATFORMS: tuple[Platform, ...] = (
    Legistar(),
    Ckan(),
    Dcat(),
    Feed(),
    ArcgisHub(),
    PrimeGov(),
    Municode(),
)


def platform_of(block: Block) -> Platform:
    """Returns the platform of a block, which the schema has checked."""
    return next(each for each in PLATFORMS if each.name == block["platform"])
