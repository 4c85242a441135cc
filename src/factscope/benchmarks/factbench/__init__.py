"""FactBench (Bayat et al. 2024): models answer prompts in tiers, and the claims in their answers are checked."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
