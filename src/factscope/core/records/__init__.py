"""The frozen records that flow through Factscope: `flow` from text to verdict, `report` with their totals."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
