"""Problems of a text's citations, one line each, with line and column."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
