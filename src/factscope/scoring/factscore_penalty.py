"""FActScore: precision with a penalty on answers that say little."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp

from factscope.scoring.counts import Tally
from factscope.scoring.measure import Formula, Parameter, Reading


def _read(tally: Tally, parameters: Mapping[str, float]) -> Reading:
    n, gamma = tally.judged, parameters["gamma"]
    if not n:
        return Reading(None, n, tally.failed)
    # The penalty counts judged claims: a failed one must not make the answer look longer.
    penalty = 1.0 if n > gamma else exp(1 - gamma / n)
    return Reading(penalty * tally.units("supported") / n, n, tally.failed)


FACTSCORE = Formula(
    name="factscore",
    sentence="Factual precision, lowered for answers with no more than gamma claims.",
    cites="FActScore (Min et al. 2023): times exp(1 - gamma / facts) unless there are more than gamma facts",
    read=_read,
    parameters=(Parameter("gamma", 10, 0, 1_000_000, "how many claims an answer should exceed; 0 for no penalty"),),
)
