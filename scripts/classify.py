"""Names the kinds of one source's blobs and plans its shards (checkpoint classify)."""

from centinel import classify, jobs
from centinel.store import Store

with jobs.job(f"classify {snakemake.wildcards.source}", snakemake.log[0]):
    configuration = jobs.configuration_of(snakemake.config)
    store = Store(configuration.results, snakemake.wildcards.source)
    classify.run(store, snakemake.params.kinds_version)
