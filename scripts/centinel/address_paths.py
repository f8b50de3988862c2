"""What is an address called as a path? Pure: the path follows from the address and nothing else.

`https://www.tampa.gov/agendas/2026/a` is `www.tampa.gov/agendas/2026/a.md`. What cannot stand as it
is has a mark behind a `~`, which no ordinary name has: so two addresses never share a path, also
where a file system does not tell upper from lower case.
"""

import hashlib
import re
from functools import lru_cache

SUFFIX = ".md"

LONGEST_NAME = 120
"""Characters of a name that stands as it is; with its marks it stays below 255 bytes, the most that
file systems take."""

LONGEST_PATH = 1000
"""Characters of a path; Linux takes 4,096 bytes, and the results lie in a folder of their own."""

DEEPEST = 40
"""Segments of a path; one that is deeper, or longer, is one name under its host."""

_PLAIN = re.compile(r"(?:[A-Za-z0-9._+=@,:!()-]|%[0-9A-F]{2})+")
_ESCAPE = re.compile(r"%[0-9A-F]{2}")
_ODD = re.compile(r"[^A-Za-z0-9.+=@,()-]+")
_WEB = re.compile(r"(https?)://([^/]*)(.*)", re.DOTALL)
_USUALLY_HTTP = re.compile(r"[0-9.]+|.*:.*", re.DOTALL)
"""Hosts with a port or a bare IP address: services on a machine, seldom with a certificate."""

_FILES = "file:///"


def path_of(address: str) -> str:
    """Returns the path of an address, relative and with slashes; it never climbs.

    The last segment ends in `.md` and no other does: a page may be a folder as well. Capitals are
    told by `~` and which letters they are (hexadecimal, the first letter is 1); what is too long,
    or has characters that no name should have, is told by `~h` and a hash. `~http` or `~https`
    marks the scheme that is not the usual one of such a host.
    """
    top, rest = _top(address)
    *folders, leaf = [*top, *rest]
    names = [*map(_folder, folders[len(top) :]), _leaf(leaf)] if rest else []
    path = "/".join([*top, *names]) if rest else f"{top[0]}{SUFFIX}"
    if len(path) > LONGEST_PATH or len(top) + len(names) > DEEPEST:
        return f"{top[0]}/{_readable(leaf)}~w{_hash(address)}{SUFFIX}"
    return path


def _top(address: str) -> tuple[list[str], list[str]]:
    """The first folder, as it is named, and the other segments as they are written."""
    web = _WEB.fullmatch(address)
    if web is None:
        if address.startswith(_FILES):
            return ["file~"], address.removeprefix(_FILES).split("/")
        return ["other~"], address.split("/")
    scheme, host, rest = web.groups()
    usual = "http" if _USUALLY_HTTP.fullmatch(host) else "https"
    name = _folder(host)
    name = name if scheme == usual else f"{name}~{scheme}"
    return [name], rest.split("/")[1:]


@lru_cache(maxsize=4096)
def _folder(segment: str) -> str:
    name = _name(segment) if segment else "~"
    return f"{name}~" if name.endswith(SUFFIX) else name


def _leaf(segment: str) -> str:
    return f"{_name(segment) if segment else 'index~'}{SUFFIX}"


def _name(segment: str) -> str:
    """A segment as a name: itself where it is plain, else what is readable of it and a hash."""
    if len(segment) > LONGEST_NAME or not _PLAIN.fullmatch(segment) or not segment.strip("."):
        return f"{_readable(segment)}~h{_hash(segment)}"
    if segment.islower():
        return segment
    letters = _ESCAPE.sub("", segment)
    capitals = sum(1 << place for place, letter in enumerate(letters) if letter.isupper())
    return f"{segment}~{capitals:x}" if capitals else segment


def _readable(segment: str) -> str:
    return _ODD.sub("_", segment[:LONGEST_NAME]).strip(".")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
