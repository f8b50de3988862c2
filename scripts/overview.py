"""Writes the audit of all sources (rule overview)."""

import logging

from centinel import jobs
from centinel.report import overview

with jobs.job("overview", snakemake.log[0]):
    configuration = jobs.configuration_of(snakemake.config)
    rows = overview.write(configuration)
    logging.info("%s sources", len(rows))
