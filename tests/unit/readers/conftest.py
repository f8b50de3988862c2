"""Documents that the tests of the readers write for themselves."""

from collections.abc import Callable
from pathlib import Path

import pytest

from centinel.readers.document import Document

Make = Callable[..., Document]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Returns a function that writes a document: its content, its kind, its declared type."""

    def write(
        content: str | bytes, kind: str = "html", declared_type: str | None = None
    ) -> Document:
        path = tmp_path / "blob"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return Document(path, kind, declared_type)

    return write
