"""Factual precision: how much of what was checked is supported."""

from __future__ import annotations

from collections.abc import Mapping

from factscope.scoring.counts import Tally
from factscope.scoring.intervals import wilson
from factscope.scoring.measure import Formula, Reading


def _read(tally: Tally, parameters: Mapping[str, float]) -> Reading:
    supported, n = tally.units("supported"), tally.judged
    return Reading(supported / n if n else None, n, tally.failed, wilson(supported, n))


FACTUAL_PRECISION = Formula(
    name="factual_precision",
    sentence="Share of the judged claims that are supported; undecided ones count against it.",
    cites="FactBench (Bayat et al. 2024), section 3: supported / (supported + unsupported + undecidable)",
    read=_read,
)
