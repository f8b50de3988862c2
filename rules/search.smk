# Brings results/search.sqlite up to date: the words of all texts that stand now.
# Asked for by name: snakemake --cores 4 results/.search. The index is no output, since it grows in
# place: .search says that it was made.


rule search:
    input:
        pages=expand(f"{RESULTS}/{{source}}/report.html", source=SOURCES),
    output:
        done=touch(f"{RESULTS}/.search"),
    log:
        f"{RESULTS}/logs/search/all.log",
    # On a cluster too: SQLite's file is one machine's at a time.
    localrule: True
    conda:
        "../envs/acquire.yaml"
    script:
        "../scripts/search.py"
