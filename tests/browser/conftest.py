"""One archive and one browser for all tests here; the pictures that they take are kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import archive
from tests.browser.devtools import CHROMIUM, Page, browser

ARTIFACTS = Path(__file__).parents[1] / ".artifacts"
"""Ignored by git."""


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`results/` with the audits of an archive that has a history."""
    made = tmp_path_factory.mktemp("archive")
    archive.make(made)
    return made


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The browser; only what the audits' files say reaches it."""
    if CHROMIUM is None:
        pytest.skip("no chromium: apt-get install chromium")
    with browser(tmp_path_factory.mktemp("browser") / "profile") as page:
        yield page


@pytest.fixture
def page(chromium: Page) -> Page:
    """A desktop's window, whatever the test before did to it."""
    chromium.call("Emulation.setScriptExecutionDisabled", value=False)
    chromium.show(1280, 800)
    return chromium


@pytest.fixture(scope="session")
def pictures() -> Path:
    """The folder of the pictures."""
    ARTIFACTS.mkdir(exist_ok=True)
    return ARTIFACTS
