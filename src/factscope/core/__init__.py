"""The ground floor: records, labels, errors, and the small helpers that every room uses."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
