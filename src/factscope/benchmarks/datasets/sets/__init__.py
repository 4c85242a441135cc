"""The labelled data sets that come with Factscope: their forms, and where each is. Each file registers its own."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
