"""The words, names and numbers of a claim and a passage, and how they are put beside each other.

    text → items (`analysis`, `text_items`) → clauses, rows → the two texts aligned (`alignment`, `clauses`, `features`)

The rules, the notations and the network's weighted sum all rest on it.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
