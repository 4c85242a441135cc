"""Prompts: one file per step of a method, `<method>/<step>.md`, and the code that fills their variables."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
