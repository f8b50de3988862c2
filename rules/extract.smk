# Reads one shard of one kind into markdown, or says why not. The version is in the path.
# Reads a work file and the blobs that it names, or their transcripts; never the network.


rule extract:
    input:
        work=f"{RESULTS}/{{source}}/work/{{kind}}/{{shard}}.jsonl",
        transcripts=transcripts_of,
    output:
        derived=f"{RESULTS}/{{source}}/derived/{{kind}}/v{{version}}/{{shard}}.jsonl",
    log:
        f"{RESULTS}/logs/extract/{{source}}/{{kind}}.v{{version}}.{{shard}}.log",
    conda:
        "../envs/read.yaml"
    params:
        at_hand=readers_at_hand,
    script:
        "../scripts/extract.py"
