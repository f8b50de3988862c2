"""The snapshot as it lies on disk: a source may publish more than is worth holding in memory."""

from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import overload

import orjson

from centinel.files import placed_lines
from centinel.record import Resource


class Published(Sequence[Resource]):
    """The resources of a snapshot, sorted by address; each is read when it is looked at."""

    def __init__(self, path: Path) -> None:
        """Raises ValueError with file and line number for a line that is no JSON object."""
        self._starts = array("q")
        is_sorted, last = True, ""
        for start, line in placed_lines(path):
            self._starts.append(start)
            address = str(line.get("address"))
            is_sorted, last = is_sorted and last <= address, address
        if not is_sorted:
            by_address = sorted(placed_lines(path), key=lambda each: str(each[1].get("address")))
            self._starts = array("q", (start for start, _ in by_address))
        self._is_sorted = is_sorted
        self._path = path
        self._stream = path.open("rb")

    def __iter__(self) -> Iterator[Resource]:
        """Yields the resources in one pass over the file, where its lines are sorted."""
        if not self._is_sorted:
            yield from map(self._at, self._starts)
            return
        with self._path.open("rb") as stream:
            yield from map(_resource, stream)

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, place: int) -> Resource: ...
    @overload
    def __getitem__(self, place: slice) -> list[Resource]: ...
    def __getitem__(self, place: int | slice) -> Resource | list[Resource]:
        if isinstance(place, slice):
            return [self._at(start) for start in self._starts[place]]
        return self._at(self._starts[place])

    def _at(self, start: int) -> Resource:
        self._stream.seek(start)
        return _resource(self._stream.readline())


def _resource(line: bytes) -> Resource:
    return Resource.from_json(orjson.loads(line))
