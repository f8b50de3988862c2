"""Writes the bag of one source, for hand-over (rule bag)."""

import logging

from centinel import jobs
from centinel.export import bag
from centinel.store import Store

with jobs.job(f"bag {snakemake.wildcards.source}", snakemake.log[0]) as progress:
    configuration = jobs.configuration_of(snakemake.config)
    store = Store(configuration.results, snakemake.wildcards.source)
    bagged = bag.write(store, configuration)
    logging.info("%s blobs", bagged.blobs)
    if bagged.without_bytes:
        lost = f"{len(bagged.without_bytes)} blobs are not in it"
        progress.say(f"{progress.name}: {lost}: contents.json in the bag names them")
