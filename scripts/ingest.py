"""Makes the results of one source of datasets (rule ingest)."""

import logging

from centinel import jobs, locks
from centinel.ingest import listing
from centinel.store import Store

with jobs.job(f"ingest {snakemake.wildcards.source}", snakemake.log[0]):
    configuration = jobs.configuration_of(snakemake.config)
    source = configuration.sources[snakemake.wildcards.source]
    store = Store(configuration.results, source.identifier)
    with locks.held(store.record_lock, jobs.LOCK_SECONDS):
        counts = listing.write_results(store, source, configuration.contact)
    logging.info("%s", dict(counts))
