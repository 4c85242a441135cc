"""Records of FACTS Grounding: labels of single sentences, and whether the response answers its request."""

from __future__ import annotations

from typing import Literal

from factscope.core.labels import Label
from factscope.core.records.flow import Quote, Record, Span

FindingFlag = Literal["quote_missing", "quote_not_found", "downgraded"]
"""`quote_missing`: a label that needs an excerpt came without one; `quote_not_found`: the excerpt, or a part of it, is
not in the documents; `downgraded`: asked again with the excerpt alone, the judge withdrew its support."""


class Finding(Record):
    """A judge's label of one sentence, from a judgement of the whole response."""

    type: Literal["finding"] = "finding"
    id: str
    """`s1.c1.j2.f3`: third sentence of judgement `s1.c1.j2`."""
    judgement_id: str
    """The judgement that it is a part of."""
    text: str
    """The sentence, as the judge gives it."""
    span: Span | None = None
    """Span in the response; `None` if it could not be aligned."""
    label: Label
    """The label; `irrelevant` for a sentence that needs no grounding."""
    raw_label: str
    """The judge's own word for it."""
    rationale: str | None = None
    """The judge's reason, in its own words."""
    quotes: tuple[Quote, ...] = ()
    """The words of the documents that the label rests on."""
    flags: tuple[FindingFlag, ...] = ()
    """Notes for a reader."""


class Eligibility(Record):
    """Whether a response does what it was asked, according to one judge; a failed call leaves a `Failure` instead."""

    type: Literal["eligibility"] = "eligibility"
    id: str
    """`r1.e2`: by the second judge of the response `r1`."""
    judge: str
    """Name and version of the judge."""
    eligible: bool
    """Whether it has no major issue."""
    raw_label: str
    """The judge's own word."""
    rationale: str | None = None
    """The judge's words before it, shortened."""
