"""Labelled data sets: a catalogue of those known by name, and readers for their formats.

name or file → rows → samples (`Sample`, `Gold`), with notes on irregular rows

No data set comes with Factscope: each is fetched from its owners, or read from a local copy.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
