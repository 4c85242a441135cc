"""Short answers: SimpleQA Verified, SimpleQA, FACTS Parametric and FACTS Search, graded against one correct answer."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
