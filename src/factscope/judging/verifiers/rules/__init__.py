"""Rules of the built-in verifier: what decides a claim without the network, and what its verdicts must not rest on.

`rules` lists those that decide, in order; `vetoes` those by which the network's support or contradiction does not
count. Each is in a file of its own.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
