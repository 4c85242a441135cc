"""Verdicts → numbers: pure functions of a report. Intervals and means are shared by all measures."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
