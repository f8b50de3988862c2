"""Readers: a document of one kind in, markdown out, or the reason why not.

`reading.read` tries the readers of a kind in order; `registry` knows them all.
"""
