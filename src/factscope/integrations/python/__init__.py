"""The Python interface: one call to check a text, a reusable checker, runs over tables, and measurements.

    check, acheck, stream, Checker → Report     Checker.run → Run     evaluate, benchmark, verify

A layer over the engine: it accepts texts, paths, addresses and data frames, reports each mistake as a `UsageError` with
its fix, and presents records in a readable form. `factscope` exports its names.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
