"""Fetched pages → the text that a person would read there: HTML, PDF and plain text, parsed in a limited child process.

Nothing is imported here: a child that reads one kind of page needs none of the others.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
