"""Web search behind one small protocol: engines, their failures, the cache, and the filter for pages."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
