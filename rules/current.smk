# Makes results/<source>/current/: at each address's path a link to the text that stands now.
# Asked for by name: snakemake --cores 4 results/town/.current. The tree is no output, since only
# differences are touched: .current says that it was made.


rule current:
    input:
        page=f"{RESULTS}/{{source}}/report.html",
    output:
        done=touch(f"{RESULTS}/{{source}}/.current"),
    log:
        f"{RESULTS}/logs/current/{{source}}.log",
    # On a cluster too: seconds' work, and one machine's.
    localrule: True
    conda:
        "../envs/acquire.yaml"
    script:
        "../scripts/current.py"
