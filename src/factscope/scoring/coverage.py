"""Coverage: how much of what should have been judged was."""

from __future__ import annotations

from collections.abc import Mapping

from factscope.scoring.counts import Tally
from factscope.scoring.measure import Formula, Reading


def _read(tally: Tally, parameters: Mapping[str, float]) -> Reading:
    return Reading(tally.coverage, tally.judged, tally.failed)


COVERAGE = Formula(
    name="coverage",
    sentence="Units with a verdict out of the units to judge. No score should be read without it.",
    cites="Factscope",
    read=_read,
)
