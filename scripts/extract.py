"""Reads one shard of one kind (rule extract)."""

from centinel import jobs
from centinel.configuration import Reading
from centinel.extract import Extract
from centinel.store import Store

wildcards = snakemake.wildcards
name = f"extract {wildcards.source} {wildcards.kind} {wildcards.shard}"
with jobs.job(name, snakemake.log[0]) as progress:
    configuration = jobs.configuration_of(snakemake.config)
    store = Store(configuration.results, wildcards.source)
    readers = configuration.pipeline.reading(wildcards.kind).readers
    reading = Reading(int(wildcards.version), readers)
    Extract(store, wildcards.kind, reading, progress).run(wildcards.shard)
