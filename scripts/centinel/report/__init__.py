"""The audits: what a source publishes, what was kept of it, what was read, and what was not.

`source.write` makes the page and the tables of one source, `overview.write` the page of all.
"""
