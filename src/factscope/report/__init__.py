"""One report, or many, in the terminal, as a page, or as data, with the same states, words and numbers."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
