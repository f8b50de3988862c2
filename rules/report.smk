# The audits: one a source, with its tables, and one of all sources.
# Reads what the other rules wrote; writes pages and tables that may be deleted at any time.
# `snakemake --report FILE.zip` packs them, with the captions here.


rule report:
    input:
        how=f"{RESULTS}/{{source}}/snapshot.json",
        artifacts=f"{RESULTS}/{{source}}/artifacts.jsonl",
        resources=f"{RESULTS}/{{source}}/resources.jsonl",
        work=f"{RESULTS}/{{source}}/work",
        derived=derived_of,
        ingested=ingested_of,
        fixity=fixity_of,
    output:
        page=report(
            f"{RESULTS}/{{source}}/report.html",
            caption="captions/audit.rst",
            category="{source}",
            labels={"document": "audit"},
        ),
        tables=report(
            directory(f"{RESULTS}/{{source}}/tables"),
            patterns=["{table}.csv"],
            caption="captions/table.rst",
            category="{source}",
            labels={"document": "table: {table}"},
        ),
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
        page=report(
            f"{RESULTS}/report.html",
            caption="captions/overview.rst",
            category="All sources",
            labels={"document": "audit of all sources"},
        ),
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
