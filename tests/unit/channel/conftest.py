"""Fixtures of the tests of channels."""

from pathlib import Path

import pytest

from tests.unit.channel.recordings import Vendor, installed


@pytest.fixture
def vendor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vendor:
    """A fake yt-dlp on the PATH."""
    return installed(tmp_path / "bin", monkeypatch)
