"""The behaviour suite: clear cases that any checker should get right, as pairs by kind and as texts with documents.

    folder → suite → a checker's rows (running) → figures (measures) → result → terminal, Markdown, page

The suite in this package is ours (Apache-2.0), with invented names throughout, so that no model can know the answers.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
