"""Makes the tree of links to the texts that stand now (rule current)."""

import logging

from centinel import jobs, locks
from centinel.current import mirror
from centinel.standing import texts_of
from centinel.store import Store

with jobs.job(f"current {snakemake.wildcards.source}", snakemake.log[0]):
    configuration = jobs.configuration_of(snakemake.config)
    source = configuration.sources[snakemake.wildcards.source]
    store = Store(configuration.results, source.identifier)
    with locks.held(store.current_lock, jobs.LOCK_SECONDS):
        texts = texts_of(store, source, configuration.pipeline)
        if texts is not None:
            logging.info("%s", mirror(store, texts))
