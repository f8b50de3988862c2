"""Acquires what is due of one source, and others beside it (rule acquire)."""

import logging

from centinel import beside, jobs

with jobs.job(f"acquire {snakemake.wildcards.source}", snakemake.log[0]) as progress:
    configuration = jobs.configuration_of(snakemake.config)
    source = configuration.sources[snakemake.wildcards.source]
    counts = beside.acquire(configuration, source, snakemake.params.turn, progress)
    logging.info("%s", dict(counts))
