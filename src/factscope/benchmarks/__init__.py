"""Benchmarks, a folder for each, that tells its whole story: data, runs, scores and tables."""
