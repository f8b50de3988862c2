"""Writes the record of one source as WARC (rule warc)."""

import logging

from centinel import jobs
from centinel.export import warc
from centinel.store import Store

with jobs.job(f"warc {snakemake.wildcards.source}", snakemake.log[0]) as progress:
    configuration = jobs.configuration_of(snakemake.config)
    store = Store(configuration.results, snakemake.wildcards.source)
    written = warc.write(store, snakemake.params.size, progress)
    logging.info("%s records in %s files", written["records"], len(written["files"]))
    if written["without_bytes"]:
        lost = f"{len(written['without_bytes'])} observations have no bytes in it"
        progress.say(f"{progress.name}: {lost}: {store.warc_list} names them")
