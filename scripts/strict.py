"""Fails where a source could not be enumerated (rule strict, only with `strict: true`)."""

from centinel import jobs
from centinel.files import read_json
from centinel.store import Store

with jobs.job("strict", snakemake.log[0]):
    configuration = jobs.configuration_of(snakemake.config)
    stores = [
        Store(configuration.results, name)
        for name, source in configuration.sources.items()
        if source.enabled
    ]
    failed = [
        store.source
        for store in stores
        if (read_json(store.snapshot_report) or {}).get("outcome") != "ok"
    ]
    if failed:
        raise RuntimeError(f"not enumerated: {', '.join(failed)}; the reports say why")
