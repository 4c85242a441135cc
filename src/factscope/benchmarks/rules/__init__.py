"""Rules that replace models, and the labelled sets that measure their accuracy."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
