"""Compares a shard of a source's blobs with their hashes and with the record (rule verify)."""

import logging

from centinel import jobs, locks
from centinel.fixity import shards, verifying
from centinel.store import Store

name = f"verify {snakemake.wildcards.source} {snakemake.wildcards.shard}"
with jobs.job(name, snakemake.log[0]) as progress:
    configuration = jobs.configuration_of(snakemake.config)
    store = Store(configuration.results, snakemake.wildcards.source)
    all_lost = configuration.verification.all_lost
    compared = verifying.compare(store, snakemake.wildcards.shard, progress, all_lost=all_lost)
    # Where the same run acquires as well, it is waited for: what comes meanwhile is no loss.
    source = configuration.sources.get(store.source)
    acquiring = source.acquire_for.total_seconds() if source else 0.0
    with locks.held(store.record_lock, acquiring + jobs.LOCK_SECONDS):
        found = verifying.settle(store, compared, snakemake.params.turn)
        shards.remove_outgrown(store)
    said = found.in_words()
    logging.info("%s", said)
    if found.is_to_be_said:
        progress.say(f"centinel: {name}: {said}: {store.fixity_file(found.shard)}")
