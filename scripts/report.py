from pathlib import Path

Path(snakemake.output[0]).write_text("x")
