"""Acquires what is due of one source (rule acquire)."""

import logging

from centinel import jobs, locks
from centinel.acquire import Loop
from centinel.http import Client
from centinel.sources.registry import kind_of
from centinel.store import Store

with jobs.job(f"acquire {snakemake.wildcards.source}", snakemake.log[0]) as progress:
    configuration = jobs.configuration_of(snakemake.config)
    source = configuration.sources[snakemake.wildcards.source]
    kind = kind_of(source)
    store = Store(configuration.results, source.identifier)
    stop = jobs.stop_event()
    client = Client(
        folder=store.incoming,
        contact=configuration.contact,
        rps=source.rps,
        max_bytes=source.max_bytes,
        private_is_allowed=kind.private_is_allowed(source),
        robots_unreachable=source.robots_unreachable,
        stop=stop,
    )
    with locks.held(store.record_lock, jobs.LOCK_SECONDS):
        loop = Loop(store, source, kind, client, progress, stop=stop)
        loop.run(snakemake.params.turn)
    logging.info("%s", dict(loop.counts))
