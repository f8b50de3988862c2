# Acquires what the snapshot names and the record does not have, within the source's bounds.
# Reads the network and the snapshot; adds to the record and the blobs, which are no outputs,
# because Snakemake removes a job's outputs before it runs.


rule acquire:
    input:
        snapshot=f"{RESULTS}/{{source}}/snapshot.jsonl",
    output:
        artifacts=f"{RESULTS}/{{source}}/artifacts.jsonl",
        resources=f"{RESULTS}/{{source}}/resources.jsonl",
    log:
        f"{RESULTS}/logs/acquire/{{source}}.log",
    # On a cluster too: pacing is one machine's, and nodes seldom reach the network.
    localrule: True
    conda:
        "../envs/acquire.yaml"
    threads: 0
    resources:
        network=1,
    params:
        limit=lambda wildcards: source_of(wildcards).limit,
        match=lambda wildcards: list(source_of(wildcards).match),
        exclude=lambda wildcards: list(source_of(wildcards).exclude),
        max_bytes=lambda wildcards: source_of(wildcards).max_bytes,
        turn=turn_of,
    script:
        "../scripts/acquire.py"
