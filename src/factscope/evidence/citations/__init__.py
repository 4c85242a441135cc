"""Cited sources → their texts: from local files first, then from recorded fetches, then from the web."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
