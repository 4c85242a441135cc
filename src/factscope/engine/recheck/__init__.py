"""Checks of changed texts, which reuse whatever still applies in an earlier report.

Sentences in both texts keep their claims, evidence, judgements and verdicts, under their ids in the new text. The
engine treats these as the records of an earlier attempt and continues from there. A sentence that depends on a changed
one is checked again with it.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
