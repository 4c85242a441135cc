"""The four papers' tables, recomputed from recorded material: published, recomputed, the difference, and why."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
