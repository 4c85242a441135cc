"""The search engines that come with Factscope: one file each, which registers itself."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
