"""Brings the index of all texts that stand now up to date (rule search)."""

import logging

from centinel import jobs
from centinel.search.updating import update

with jobs.job("search", snakemake.log[0]) as progress:
    configuration = jobs.configuration_of(snakemake.config)
    updated = update(configuration, progress, jobs.LOCK_SECONDS)
    logging.info("%s", updated)
