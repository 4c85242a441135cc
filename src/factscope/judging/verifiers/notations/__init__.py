"""Dates, times, numbers and measures that two texts write differently, put into the same words.

`notation` writes a pair alike, before a rule or the network reads it; the other files have a kind of notation each.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
