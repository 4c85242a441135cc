"""Stored runs and result files → tables with intervals and ranks → a static site that opens from a file system."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
