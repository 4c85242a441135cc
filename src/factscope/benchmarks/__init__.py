"""Benchmarks, one folder each, with everything about it: data, runs, scores and tables.

`datasets/` reads the labelled data that they run on, and imports none of them.
"""
