"""What "collect all" would mean: the addresses of an enumeration by their shape."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from urllib.parse import parse_qsl, urlsplit

from centinel import addresses
from centinel.record import Json, Resource

MOST_ADDRESSES = 500
MOST_SHAPES = 8
MOST_NAMES = 10
"""Folders beside each other; where there are more, the small ones are data and no structure."""

SMALL = 0.02
"""Share of all addresses, below which a folder is a small one."""

MOST_FOLDERS = 4
"""Folders of a shape; what lies deeper is one with its folder."""

_NUMBER = re.compile(r"[0-9][0-9._-]*")


@dataclass(frozen=True)
class Shape:
    """One shape: `*` is a name, `#` a number."""

    shape: str
    count: int
    example: str

    def to_json(self) -> Json:
        """Returns it by name."""
        return asdict(self)


@dataclass(frozen=True)
class Shapes:
    """The shapes of the first addresses, the largest first."""

    looked_at: int
    shapes: tuple[Shape, ...]
    more: int
    """Shapes beside those."""

    def to_json(self) -> Json:
        """Returns them by name."""
        return {
            "looked_at": self.looked_at,
            "shapes": [each.to_json() for each in self.shapes],
            "more": self.more,
        }

    def lines(self) -> list[str]:
        """Returns them for a person."""
        width = len(str(self.looked_at))
        lines = [f"{each.count:>{width}}  {each.shape}" for each in self.shapes]
        rest = self.looked_at - sum(each.count for each in self.shapes)
        return lines + ([f"{rest:>{width}}  in {self.more} shapes more"] if self.more else [])


def cluster(resources: Sequence[Resource], site: str) -> Shapes:
    """Returns the shapes of the first 500 addresses; another host than the site's is named."""
    here = addresses.host(site)
    found = [each.address for each in resources[:MOST_ADDRESSES]]
    data = _data(found)
    counts: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for address in found:
        shape = _shape(address, here, data)
        counts[shape] += 1
        examples.setdefault(shape, address)
    largest = sorted(counts, key=lambda shape: (-counts[shape], shape))[:MOST_SHAPES]
    shapes = tuple(Shape(each, counts[each], examples[each]) for each in largest)
    return Shapes(len(found), shapes, len(counts) - len(shapes))


Folder = tuple[str, ...]


def _data(found: list[str]) -> set[Folder]:
    """The folders whose names are data: small, and among many beside each other."""
    inside: defaultdict[Folder, Counter[Folder]] = defaultdict(Counter)
    for address in found:
        whole = (addresses.host(address), *_folders(address))
        for depth in range(1, len(whole)):
            inside[whole[:depth]][whole[: depth + 1]] += 1
    return {
        folder
        for beside in inside.values()
        for folder, count in beside.items()
        if len(beside) > MOST_NAMES and folder[-1] != "#" and count < SMALL * len(found)
    }


def _folders(address: str) -> list[str]:
    """The folders of an address, numbers as `#`."""
    names = urlsplit(address).path.split("/")[1:-1]
    return ["#" if _NUMBER.fullmatch(each) else each for each in names]


def _shape(address: str, here: str, data: set[Folder]) -> str:
    host, folders = addresses.host(address), _folders(address)
    whole = (host, *folders)
    shown = ["*" if whole[: depth + 2] in data else name for depth, name in enumerate(folders)]
    if len(shown) > MOST_FOLDERS:
        shown = [*shown[:MOST_FOLDERS], "…"]
    path = "/".join(["", *shown, _last(address)])
    parameters = dict.fromkeys(name for name, _ in parse_qsl(urlsplit(address).query, True))
    query = "?" + "&".join(f"{name}=" for name in parameters) if parameters else ""
    return ("" if host == here else host) + path + query


def _last(address: str) -> str:
    """The last segment: its extension, where it has one."""
    name = addresses.file_name(address)
    if not name:
        return ""
    extension = addresses.extension(address)
    return f"*.{extension}" if extension else "*"
