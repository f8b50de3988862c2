"""What came of one answer of a site, for the tests of requests."""

from centinel.answers import Fetched
from centinel.http import Client
from centinel.liveness import Refusal
from tests.sites.server import Answer, Site


def fetched(asking: Client, site: Site, answer: Answer, path: str = "/a") -> Fetched:
    """The bytes that came of an answer."""
    site.set(path, answer)
    found = asking.get(site.address + path)
    assert isinstance(found, Fetched), found
    return found


def refused(asking: Client, site: Site, answer: Answer, path: str = "/a") -> Refusal:
    """The refusal that came of an answer; no bytes are left."""
    site.set(path, answer)
    found = asking.get(site.address + path)
    assert isinstance(found, Refusal), found
    assert list(asking.folder.iterdir()) == []
    return found


def encoded(body: bytes, encoding: str) -> Answer:
    """An answer under a content encoding."""
    return Answer(body, "text/plain", headers=(("Content-Encoding", encoding),))
