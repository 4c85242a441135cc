"""Judgements → verdicts: of a claim, of its segment, of the whole response.

Pure functions of records: no call, no clock, and the order of the records makes no difference, so that the same
function (`roll_up`) serves the end of a check and a later recomputation without some of the evidence.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
