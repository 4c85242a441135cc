"""Credibility: the share of the evidence that supports the text, pooled over all pieces of evidence."""

from __future__ import annotations

from typing import Literal, NamedTuple

from factscope.core.records import Report
from factscope.scoring.counts import kept_judgements, pieces

Band = Literal["red", "orange", "green"]


class Share(NamedTuple):
    """Supporting pieces of evidence out of all."""

    supporting: int
    total: int

    @property
    def value(self) -> float | None:
        """Credibility, 0 to 1; `None` without evidence, which is shown grey."""
        return self.supporting / self.total if self.total else None


def band(value: float | None) -> Band | None:
    """Return the colour of a credibility: red below 0.3, orange below 0.6, else green (Facts&Evidence, section 3)."""
    if value is None:
        return None
    return "red" if value < 0.3 else "orange" if value < 0.6 else "green"


def shares(report: Report) -> dict[str, Share]:
    """Return the credibility of every claim, every segment and the response, by id, each pooled over its judgements.

    Excluded and failed judgements are in none of them.
    """
    segment_of = {claim.id: claim.segment_id for claim in report.claims}
    ids = [report.response.id, *(s.id for s in report.segments), *segment_of]
    counted = {unit_id: [0, 0] for unit_id in ids}
    for judged, label in pieces(kept_judgements(report)):
        for unit_id in {judged, segment_of.get(judged), report.response.id}:
            if unit_id in counted:
                counted[unit_id][0] += label == "supported"
                counted[unit_id][1] += 1
    return {unit_id: Share(supporting, total) for unit_id, (supporting, total) in counted.items()}
