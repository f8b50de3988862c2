# Keeps the public record of the places in config/sources.yaml.
#
#   results/<source>/snapshot.jsonl, .json           enumerate   every address that the source publishes
#   results/<source>/record/, blobs/                 acquire     the truth: only ever added to, never an output
#   results/<source>/artifacts.jsonl, resources.jsonl acquire    the newest bytes, and how each address lives
#   results/<source>/work/<kind>/<shard>.jsonl       classify    what is to be read, split by hash (a checkpoint)
#   results/<source>/derived/<kind>/v<N>/<shard>.jsonl extract   what reading gave, one line an artifact
#     …/v<N>-<model>/recordings/<sha256>.json        transcribe  how a recording was transcribed
#   results/<source>/ingest/results.jsonl            ingest      what became of each dataset request
#   results/<source>/report.html, tables/            report      the audit of a source
#   results/report.html                              overview    the audit of all
#   results/<source>/export/<source>.warc.gz, .bag/  warc, bag   for other tools; only where they are asked for
#   results/<source>/current/                        current     links by address to what was read; only where .current is asked for
#   results/<source>/fixity/                         verify      which blobs are damaged or missing; only where .verified is asked for
#   results/search.sqlite                            search      the words of all of it; only where .search is asked for
#
# What lies where, to the letter: docs/architecture.md

import sys

from snakemake.utils import min_version, validate

min_version("9.20")
sys.path.insert(0, f"{workflow.basedir}/scripts")


configfile: "config/config.yaml"
configfile: "config/pipeline.yaml"


report: "rules/captions/workflow.rst"


include: "rules/common.smk"
include: "rules/enumerate.smk"
include: "rules/acquire.smk"
include: "rules/classify.smk"
include: "rules/extract.smk"
include: "rules/transcribe.smk"
include: "rules/ingest.smk"
include: "rules/report.smk"
include: "rules/current.smk"
include: "rules/search.smk"
include: "rules/export.smk"
include: "rules/verify.smk"


rule all:
    default_target: True
    input:
        everything(),


onstart:
    begin_run(workflow.dag)


onsuccess:
    run.end()


onerror:
    run.fail()
