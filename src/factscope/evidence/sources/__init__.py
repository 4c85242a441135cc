"""Categories of web sources by their host names: tables and rules first, a model for the rest."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
