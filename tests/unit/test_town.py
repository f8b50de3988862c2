"""The town of the demo, enumerated and acquired: each address stands as it is expected to."""

from centinel import classify, crumbs
from centinel.configuration import Ruling
from centinel.files import read_lines
from centinel.snapshot import take
from centinel.sources.website import Website
from centinel.store import Store
from tests.sites.server import Site
from tests.sites.town.town import EXPECTED, serve
from tests.unit.support import Clock, acquire, client, source, statuses_of

REFUSED = {"refused": "blocked", "denied": "blocked", "gone": "gone", "error": "error"}


def test_each_address_of_the_town_stands_as_expected_and_no_other_host_is_asked(
    store: Store, site: Site
) -> None:
    serve(site)
    given, clock = source(f"{site.address}/"), Clock()
    take(store, given, Website(), client(store.incoming), clock)
    acquire(store, given, clock)
    observed = {line["artifact"] for line in read_lines(store.artifacts)}
    statuses = statuses_of(store)
    for path, expected in EXPECTED.items():
        address = site.address + path
        if expected.outcome in REFUSED:
            assert statuses[address]["liveness"] == REFUSED[expected.outcome], path
        else:
            assert address in observed, path
    assert {each.partition("/")[0] for each in statuses} == {"http:"}
    hosts = {each.split("/")[2] for each in {*observed, *statuses}}
    assert hosts == {site.address.removeprefix("http://")}


def test_the_hosts_that_the_town_links_to_are_counted(store: Store, site: Site) -> None:
    serve(site)
    given, clock = source(f"{site.address}/"), Clock()
    take(store, given, Website(), client(store.incoming), clock)
    acquire(store, given, clock)
    classify.run(store, 1)
    ruled = {"www.facebook.com": Ruling("ignore", "a social network")}
    crumbs.write(store, ruled)
    found = {line["host"]: (line["pages"], line["ruling"]) for line in read_lines(store.crumbs)}
    assert found == {
        "maps.portalder.example": (2, "open"),
        "archives.heron-district.example": (1, "open"),
        "www.facebook.com": (1, "ignore"),
    }
