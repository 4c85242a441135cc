"""Checks of changed texts, which reuse whatever still applies in an earlier report.

Sentences that stand in both texts keep their claims, evidence, judgements and verdicts, under the ids that they have in
the new text. The engine takes them for the records of an earlier attempt and carries on from there. A sentence that
depends on a changed one is checked again with it.
"""

from factscope.engine.recheck.planning import ReusePlan, method_of, plan
from factscope.engine.recheck.recheck import must_match, recheck, seed
from factscope.engine.recheck.reuse import carried

__all__ = ["ReusePlan", "carried", "method_of", "must_match", "plan", "recheck", "seed"]
