"""Data sets → responses, row by row: files, standard input, and data sets of a Hugging Face hub.

    source → raw rows (tables, parquet) → columns to fields (fields) → Response | BadRow

Memory use is constant however large the source: rows are read one by one, and only a hash of each id is kept. An
unusable row becomes a `BadRow` among the others; only a source that can't be used at all raises an exception.
"""

from factscope.benchmarks.datasets.io.hub_datasets import as_dataset, dataset_files
from factscope.benchmarks.datasets.io.read_rows import count_rows, file_rows, read_rows, table_rows
from factscope.benchmarks.datasets.io.row import BadRow, ResponseRow
from factscope.benchmarks.datasets.io.source_names import copy_standard_input, source_name, with_columns

__all__ = [
    "BadRow", "ResponseRow", "as_dataset", "copy_standard_input", "count_rows", "dataset_files",
    "file_rows", "read_rows", "source_name", "table_rows", "with_columns",
]  # fmt: skip
