# What other tools take, made when it is asked for by name: no part of `rule all`.
# Reads the record, the blobs and what was made of them; never the network.


rule warc:
    input:
        artifacts=f"{RESULTS}/{{source}}/artifacts.jsonl",
    output:
        # The first file; those that follow it where it is full are named in the list.
        warc=f"{RESULTS}/{{source}}/export/{{source}}.warc.gz",
        list=f"{RESULTS}/{{source}}/export/{{source}}.warc.json",
    log:
        f"{RESULTS}/logs/warc/{{source}}.log",
    conda:
        "../envs/export.yaml"
    params:
        size=CONFIGURATION.warc_size,
    script:
        "../scripts/warc.py"


rule bag:
    input:
        artifacts=f"{RESULTS}/{{source}}/artifacts.jsonl",
        page=f"{RESULTS}/{{source}}/report.html",
    output:
        bag=directory(f"{RESULTS}/{{source}}/export/{{source}}.bag"),
    log:
        f"{RESULTS}/logs/bag/{{source}}.log",
    conda:
        "../envs/export.yaml"
    script:
        "../scripts/bag.py"
