"""A method is a frozen value that holds all settings of a check.

A paper's method is one such value, and so is a user's TOML file.

segment → extract → evidence → judge → correct → roll_up → scores

Without `extract` claims are made by rules. The engine reads a `Method` and knows nothing else about a paper.
A file is validated into the same type; it holds only values, no code.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
