"""Dataset ingest: from a landing page to a verified set of files."""
