"""Judgements → verdicts: of a claim, of its segment, of the whole response.

Pure functions of records: no call, no clock, and the order of the records makes no difference, so that the same door
(`roll_up`) serves the end of a check and a later look with some evidence ruled out.
"""

from .claim import by_judge, claim_verdict, disagree
from .exclusion import excluded_passages, is_excluded, web_host
from .roll import WORST_FIRST, counts, response_verdict, roll_up, segment_verdict
from .rules import CONFLICT, UNSETTLED

__all__ = [
    "CONFLICT",
    "UNSETTLED",
    "WORST_FIRST",
    "by_judge",
    "claim_verdict",
    "counts",
    "disagree",
    "excluded_passages",
    "is_excluded",
    "response_verdict",
    "roll_up",
    "segment_verdict",
    "web_host",
]
