"""The command line: one module per command. Nothing heavy is imported before a command needs it."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
