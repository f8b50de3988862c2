"""What other tools take: the record as WARC, and as a bag for hand-over."""
