"""Benchmarks, one folder each, with everything about it: data, runs, scores and tables."""
