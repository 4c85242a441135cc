"""The promises of Factscope about failure and hostile input, tested on this machine, and the card with the results.

The laboratory is the project's own tests: servers of models, search and pages that misbehave as scripted, in separate
processes. They come with the package; the extra `selftest` installs the packages that run them.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
