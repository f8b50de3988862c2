"""Port Alder, an invented town: the site of the demo, and of the tests that run a whole workflow.

`python -m tests.sites.town --port 8707 --ready FILE` serves it.
"""

from tests.sites.town.expected import Expectation
from tests.sites.town.town import EXPECTED, build, serve, sitemap_paths

__all__ = ["EXPECTED", "Expectation", "build", "serve", "sitemap_paths"]
