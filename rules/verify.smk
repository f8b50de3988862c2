# Compares blobs with their hashes, and says what is damaged, missing or unknown.
# Asked for by name: snakemake --cores 4 results/town/.verified, or results/.verified for all sources.
# Reads the record and the blobs, never the network; adds to the record. What was found lies in
# fixity/<shard>.json, which is no output, so that a job that fails leaves what was found before it.


rule verify:
    output:
        done=touch(f"{RESULTS}/{{source}}/fixity/{{shard}}.verified"),
    log:
        f"{RESULTS}/logs/verify/{{source}}.{{shard}}.log",
    # On a cluster too: it adds to the record, which has one writer by a lock of this machine's kernel.
    localrule: True
    conda:
        "../envs/acquire.yaml"
    params:
        turn=verification_turn_of,
    script:
        "../scripts/verify.py"


rule verified:
    input:
        shards=verified_shards_of,
    output:
        done=touch(f"{RESULTS}/{{source}}/.verified"),
    log:
        f"{RESULTS}/logs/verified/{{source}}.log",
    localrule: True
    conda:
        "../envs/acquire.yaml"


rule all_verified:
    input:
        sources=expand(f"{RESULTS}/{{source}}/.verified", source=SOURCES),
    output:
        done=touch(f"{RESULTS}/.verified"),
    log:
        f"{RESULTS}/logs/all_verified/all.log",
    localrule: True
    conda:
        "../envs/acquire.yaml"
