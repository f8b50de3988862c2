# The audits: one a source, with its tables, and one of all sources.
# Reads what the other rules wrote; writes pages and tables that may be deleted at any time.


rule report:
    input:
        how=f"{RESULTS}/{{source}}/snapshot.json",
        artifacts=f"{RESULTS}/{{source}}/artifacts.jsonl",
        resources=f"{RESULTS}/{{source}}/resources.jsonl",
        work=f"{RESULTS}/{{source}}/work",
        derived=derived_of,
        ingested=ingested_of,
    output:
        page=f"{RESULTS}/{{source}}/report.html",
        tables=directory(f"{RESULTS}/{{source}}/tables"),
        changes=f"{RESULTS}/{{source}}/changes.jsonl",
        crumbs=f"{RESULTS}/{{source}}/crumbs.jsonl",
    log:
        f"{RESULTS}/logs/report/{{source}}.log",
    conda:
        "../envs/report.yaml"
    script:
        "../scripts/report.py"


rule overview:
    input:
        pages=expand(f"{RESULTS}/{{source}}/report.html", source=SOURCES),
    output:
        page=f"{RESULTS}/report.html",
    log:
        f"{RESULTS}/logs/overview/all.log",
    # On a cluster too: a second's work.
    localrule: True
    conda:
        "../envs/report.yaml"
    script:
        "../scripts/overview.py"


# Fails where a source could not be enumerated; a rule of its own, so that the audit stays.
rule strict:
    input:
        page=f"{RESULTS}/report.html",
    output:
        done=touch(f"{RESULTS}/.strict"),
    log:
        f"{RESULTS}/logs/strict/all.log",
    # What it says does not change by being asked again.
    retries: 0
    localrule: True
    conda:
        "../envs/report.yaml"
    script:
        "../scripts/strict.py"
