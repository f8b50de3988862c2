"""Transcribes one recording (rule transcribe)."""

import logging

from centinel import jobs
from centinel.extract import Extract
from centinel.store import Store
from centinel.transcribe import job
from centinel.transcribe.texts import Transcripts
from centinel.transcribe.transcript import Shelf

wildcards = snakemake.wildcards
kind, blob = wildcards.kind, wildcards.recording
name = f"transcribe {wildcards.source} {blob[:12]} (seconds)"
with jobs.job(name, snakemake.log[0]) as progress:
    configuration = jobs.configuration_of(snakemake.config)
    store = Store(configuration.results, wildcards.source)
    shelf = Shelf(store, kind, wildcards.version)
    source = configuration.sources[wildcards.source]
    job.transcribe(shelf, blob, configuration, source.lang, snakemake.threads, progress)
    number, _, model = wildcards.version.partition("-")
    with Transcripts(shelf, store.scratch(kind, blob)) as reads:
        lines = Extract(store, kind, int(number), reads, progress, model=model).make_texts(blob)
    logging.info("%s", [(line.outcome, line.chars, line.reason) for line in lines])
