"""The methods that come with Factscope: a TOML file each, like those that users write, or a function for families."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
