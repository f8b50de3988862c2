"""Documents that are damaged or hostile, the same ones on every machine.

`mutants(2000)` are good documents with something wrong, from a seed; `hostile()` are made by hand,
each to take a reader's time, its memory or its stack.
"""
