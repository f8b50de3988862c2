"""One module a kind of source. `registry` holds them; nothing else asks which kind a source is."""
