"""Data sets → responses, row by row: files, standard input, and data sets of a Hugging Face hub.

    source → raw rows (tables, parquet) → columns to fields (fields) → Response | BadRow

Memory stays flat however large the source: a row is read, handed on and forgotten; of its id a hash is kept. What is
wrong with a row is a `BadRow` among the others; only a source that can't be used at all is an exception.
"""

from factscope.datasets.io.hub_datasets import as_dataset, dataset_files
from factscope.datasets.io.read_rows import count_rows, file_rows, read_rows, table_rows
from factscope.datasets.io.row import BadRow, ResponseRow

__all__ = ["BadRow", "ResponseRow", "as_dataset", "count_rows", "dataset_files", "file_rows", "read_rows", "table_rows"]
