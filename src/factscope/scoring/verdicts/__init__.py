"""Judgements → verdicts: of a claim, of its segment, of the whole response.

Pure functions of records: no call, no clock, and the order of the records makes no difference, so that the same
function (`roll_up`) serves the end of a check and a later recomputation without some of the evidence.
"""

from factscope.scoring.verdicts.claim_verdict import by_judge, claim_verdict, disagree
from factscope.scoring.verdicts.exclusion import excluded_passages, is_excluded, web_host
from factscope.scoring.verdicts.judgement_rules import UNSETTLED
from factscope.scoring.verdicts.roll_up import WORST_FIRST, counts, response_verdict, roll_up, segment_verdict, worst

__all__ = [
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
    "worst",
]
