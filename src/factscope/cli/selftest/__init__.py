"""The promises of Factscope about failure and hostile input, tested on this machine, and the card with the results.

The laboratory is the project's own tests: servers of models, search and pages that misbehave as scripted, in separate
processes. They come with the package; the extra `selftest` installs the packages that run them.
"""

from factscope.cli.selftest.card import card_result
from factscope.cli.selftest.trial import Promise, TrialCard, TrialRow, read_promises, try_promises

__all__ = ["Promise", "TrialCard", "TrialRow", "card_result", "read_promises", "try_promises"]
