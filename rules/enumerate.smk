# Takes a full snapshot of a source: every address that it publishes now.
# Reads the network; writes the snapshot, how it was taken, and a line in the record.


rule enumerate:
    output:
        snapshot=f"{RESULTS}/{{source}}/snapshot.jsonl",
        how=f"{RESULTS}/{{source}}/snapshot.json",
    log:
        f"{RESULTS}/logs/enumerate/{{source}}.log",
    # Before any acquire: what is not known yet can be acquired beside no other source.
    priority: 1
    # On a cluster too: pacing is one machine's, and nodes seldom reach the network.
    localrule: True
    conda:
        "../envs/acquire.yaml"
    threads: 0
    resources:
        network=1,
        enumerating=1,
    params:
        address=address_of,
    script:
        "../scripts/enumerate.py"
