"""Text → segments with exact offsets; a claim → the span that it came from; words → terms."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
