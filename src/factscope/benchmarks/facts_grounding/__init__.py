"""FACTS Grounding (Jacovi et al. 2025): models answer from a document, judges label the answers."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
