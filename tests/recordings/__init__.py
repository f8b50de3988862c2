"""Recordings that the tests and the benchmark make for themselves, and a model for them."""
