# Makes the results of a source of datasets: one row a request, entities, items, and the table in SQL.
# Reads the record and the blobs, and the list; the table, which all sources share, is no output.


rule ingest:
    input:
        artifacts=f"{RESULTS}/{{source}}/artifacts.jsonl",
        resources=f"{RESULTS}/{{source}}/resources.jsonl",
    output:
        results=f"{RESULTS}/{{source}}/ingest/results.jsonl",
        filesets=f"{RESULTS}/{{source}}/ingest/filesets.jsonl",
    log:
        f"{RESULTS}/logs/ingest/{{source}}.log",
    # On a cluster too: it holds the record's lock, and the table that all sources share.
    localrule: True
    conda:
        "../envs/acquire.yaml"
    script:
        "../scripts/ingest.py"
