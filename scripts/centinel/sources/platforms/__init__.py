"""One module a platform, keyed on a product or a standard. `registry` holds them all."""
