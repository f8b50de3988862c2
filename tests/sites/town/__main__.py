"""Serves the town: `python -m tests.sites.town --port 8707 --ready FILE`."""

from tests.sites.town.town import main

main()
