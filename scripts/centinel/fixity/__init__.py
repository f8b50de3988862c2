"""Are the blobs on disk still the bytes that the record names?

`verifying.verify` compares one shard, `findings.read` returns what was found last.
"""

from centinel.fixity.findings import Fixity, Lost, Shard, read

__all__ = ["Fixity", "Lost", "Shard", "read"]
