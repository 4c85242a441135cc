"""The promises of Factscope about failure and hostile input, tested on this machine, and the card with the results.

The laboratory is the project's own tests: servers of models, of search and of pages that behave as badly as a script
says, in processes of their own. They come with the package; what runs them is the extra `selftest`.
"""

from factscope.cli.selftest.card import card_result
from factscope.cli.selftest.promises import Promise, read_promises
from factscope.cli.selftest.trial import TrialCard, TrialRow, try_promises

__all__ = ["Promise", "TrialCard", "TrialRow", "card_result", "read_promises", "try_promises"]
