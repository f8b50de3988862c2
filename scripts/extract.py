"""Reads one shard of one kind (rule extract)."""

from centinel import jobs, kinds
from centinel.extract import Extract
from centinel.readers.isolation import Isolation
from centinel.store import Store
from centinel.transcribe import needs
from centinel.transcribe.texts import Transcripts
from centinel.transcribe.transcript import Shelf

wildcards = snakemake.wildcards
kind, shard = wildcards.kind, wildcards.shard
with jobs.job(f"extract {wildcards.source} {kind} {shard}", snakemake.log[0]) as progress:
    configuration = jobs.configuration_of(snakemake.config)
    store = Store(configuration.results, wildcards.source)
    pipeline, scratch = configuration.pipeline, store.scratch(kind, shard)
    if kind in kinds.RECORDINGS:
        lang = configuration.sources[wildcards.source].lang
        shelf = Shelf(store, kind, wildcards.version)
        reading = Transcripts(shelf, scratch, needs.missing(configuration, lang))
    else:
        reading = Isolation(pipeline.orders, scratch, configuration.limits)
    number, _, model = wildcards.version.partition("-")
    with reading as reads:
        languages = pipeline.languages
        Extract(store, kind, int(number), reads, progress, languages=languages, model=model).run(
            shard
        )
