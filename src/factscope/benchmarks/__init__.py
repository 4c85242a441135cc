"""Benchmarks, one folder each, with everything about it: data, runs, scores and tables.

`datasets/` reads the labelled data that they run on, and imports none of them.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
