# Names each blob's kind and plans the shards; a checkpoint, because only then is known what to read.
# Reads what acquire knows and the first bytes of blobs; writes kind sidecars and work files.


checkpoint classify:
    input:
        artifacts=f"{RESULTS}/{{source}}/artifacts.jsonl",
    output:
        work=directory(f"{RESULTS}/{{source}}/work"),
    log:
        f"{RESULTS}/logs/classify/{{source}}.log",
    conda:
        "../envs/read.yaml"
    params:
        kinds_version=CONFIGURATION.pipeline.kinds_version,
    script:
        "../scripts/classify.py"
