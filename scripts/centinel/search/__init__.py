"""Where do these words stand? An index over the texts that stand now, and what asks it."""
