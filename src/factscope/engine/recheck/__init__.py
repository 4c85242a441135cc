"""Checks of changed texts, which reuse whatever still applies in an earlier report.

Sentences in both texts keep their claims, evidence, judgements and verdicts, under their ids in the new text. The
engine treats these as the records of an earlier attempt and continues from there. A sentence that depends on a changed
one is checked again with it.
"""

from factscope.engine.recheck.planning import ReusePlan, method_of, plan
from factscope.engine.recheck.recheck import carried, must_match, passages_now, recheck, seed

__all__ = ["ReusePlan", "carried", "method_of", "must_match", "passages_now", "plan", "recheck", "seed"]
