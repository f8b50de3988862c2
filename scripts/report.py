"""Writes what changed, what pages link to, and the audit of one source (rule report)."""

import logging

from centinel import changes, crumbs, jobs
from centinel.report import source as audit
from centinel.store import Store

with jobs.job(f"report {snakemake.wildcards.source}", snakemake.log[0]):
    configuration = jobs.configuration_of(snakemake.config)
    source = configuration.sources[snakemake.wildcards.source]
    store = Store(configuration.results, source.identifier)
    changes.write(store)
    crumbs.write(store, crumbs.standing(configuration))
    figures = audit.write(store, source, configuration.pipeline)
    logging.info("needs attention: %s", [each.text for each in figures.needs])
