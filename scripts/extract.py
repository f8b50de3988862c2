"""Reads one shard of one kind (rule extract)."""

from centinel import jobs
from centinel.extract import Extract
from centinel.readers.isolation import Isolation
from centinel.store import Store

wildcards = snakemake.wildcards
kind, shard = wildcards.kind, wildcards.shard
with jobs.job(f"extract {wildcards.source} {kind} {shard}", snakemake.log[0]) as progress:
    configuration = jobs.configuration_of(snakemake.config)
    store = Store(configuration.results, wildcards.source)
    orders = configuration.pipeline.orders
    with Isolation(orders, store.scratch(kind, shard), configuration.limits) as reads:
        languages = configuration.pipeline.languages
        extract = Extract(store, kind, int(wildcards.version), reads, progress, languages=languages)
        extract.run(shard)
