"""Keeps the public record: enumerate, acquire, classify, extract, report.

Knows nothing of Snakemake, so that it is tested and used without it.
"""

__version__ = "0.1.0"
