"""Labelled data sets: a catalogue of those known by name, and readers for their formats.

name or file → rows → samples (`Sample`, `Gold`), with notes on irregular rows

No data set comes with Factscope: each is fetched from its owners, or read from a local copy.
"""

from factscope.benchmarks.datasets.catalogue import DATASETS, Benchmark, register_dataset, register_form
from factscope.benchmarks.datasets.labelled_rows import sample_hints
from factscope.benchmarks.datasets.load import LabelledData, fetched, find, load

__all__ = [
    "DATASETS",
    "Benchmark",
    "LabelledData",
    "fetched",
    "find",
    "load",
    "register_dataset",
    "register_form",
    "sample_hints",
]
