"""Segments → claims: by rules (`cut`), or by a model (`extract`), then rewritten to be self-contained."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
