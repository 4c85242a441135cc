"""The verifier that comes with Factscope: features that a person can check by hand, and a small cross-encoder.

Its accuracy and limits are in `MODEL_CARD.md`, its training data in `DATA_CARD.md`. The features alone, with a small
learned model of their own, are a verifier too: smaller, quicker and weaker.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
