"""Addresses of web pages → their content, through a single fetcher with safety checks, politeness and limits."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
