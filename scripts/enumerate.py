"""Takes a snapshot of one source (rule enumerate)."""

import logging

from centinel import jobs, locks, snapshot
from centinel.http import Client
from centinel.sources.registry import kind_of
from centinel.store import Store

with jobs.job(f"enumerate {snakemake.wildcards.source}", snakemake.log[0]):
    configuration = jobs.configuration_of(snakemake.config)
    source = configuration.sources[snakemake.wildcards.source]
    kind = kind_of(source)
    store = Store(configuration.results, source.identifier)
    client = Client(
        folder=store.incoming,
        contact=configuration.contact,
        rps=source.rps,
        private_is_allowed=kind.private_is_allowed(source),
        robots_unreachable=source.robots_unreachable,
        stop=jobs.stop_event(),
    )
    with locks.held(store.record_lock, jobs.LOCK_SECONDS):
        report = snapshot.take(store, source, kind, client)
    logging.info("%s: %s found, truncated: %s", report.outcome, report.found, report.truncated)
