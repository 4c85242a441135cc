"""Data sets → responses, row by row: files, standard input, and data sets of a Hugging Face hub.

    source → raw rows (tables, parquet) → columns to fields (fields) → Response | BadRow

Memory use is constant however large the source: rows are read one by one, and only a hash of each id is kept. An
unusable row becomes a `BadRow` among the others; only a source that can't be used at all raises an exception.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
