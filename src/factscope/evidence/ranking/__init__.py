"""Ranking of passages beyond keywords: semantic similarity, fusion of two rankings, and chunks of fixed length.

Imported when a collection is opened; the code that runs a model is imported only when there is something to compute.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
