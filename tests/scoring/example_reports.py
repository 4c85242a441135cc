"""Reports made by hand: one segment per claim, one passage and one document per judgement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import strategies as st

from factscope.core import Label
from factscope.core.records import (
    Claim,
    Document,
    Exclusions,
    Failure,
    Judgement,
    Passage,
    Report,
    Response,
    Segment,
    Span,
)
from factscope.methods import RollUp
from factscope.scoring.verdicts import counts, roll_up


class J(NamedTuple):
    """A judgement to make; one without a label failed."""

    label: Label | None
    confidence: float | None = None


FAILED = J(None)
YES, NO, OPEN, OFF = J("supported"), J("contradicted"), J("not_enough_evidence"), J("irrelevant")
LABELS: tuple[Label, ...] = ("supported", "contradicted", "not_enough_evidence", "not_supported", "irrelevant")

judgements = st.builds(
    J, st.sampled_from((*LABELS, None)), st.none() | st.integers(0, 20).map(lambda twentieths: twentieths / 20)
)
claims = st.lists(st.lists(judgements, max_size=5), max_size=6)
claims_with_evidence = st.lists(st.lists(judgements, min_size=1, max_size=5), min_size=1, max_size=6)
every_rule = st.sampled_from([RollUp(unit="strongest"), RollUp(unit="share"), RollUp(unit="strongest", margin=0)])


def make_report(
    per_claim: Sequence[Sequence[J]],
    *,
    rules: RollUp | None = None,
    failed_claims: Sequence[int] = (),
    skipped: int = 0,
    response_id: str = "r1",
) -> Report:
    """Make a report on one claim per item; `failed_claims` count from 1; `skipped` more claims are not checkable."""
    segments, made, passages, documents, judged = [], [], [], [], []
    for i in range(1, len(per_claim) + skipped + 1):
        segments.append(Segment(id=f"s{i}", span=Span(start=i - 1, end=i), text="x", kind="sentence"))
        reason = "a question" if i > len(per_claim) else None
        made.append(Claim(id=f"s{i}.c1", segment_id=f"s{i}", text="x", standalone="x", skipped=reason))
    for i, items in enumerate(per_claim, start=1):
        for k, item in enumerate(items, start=1):
            name = f"s{i}.c1.p{k}"
            documents.append(Document(id=f"d-{i}-{k}", text=None, sha256=f"{i:032}{k:032}"))
            passages.append(
                Passage(
                    id=name,
                    claim_id=f"s{i}.c1",
                    document_id=f"d-{i}-{k}",
                    span=Span(start=0, end=1),
                    text="y",
                    rank=k,
                    score=1.0,
                )
            )
            judged.append(
                Judgement(
                    id=f"{name}.j1",
                    unit_id=f"s{i}.c1",
                    passage_ids=(name,),
                    judge="test-1",
                    label=item.label,
                    confidence=item.confidence if item.label else None,
                    failure=None if item.label else "the judge timed out",
                )
            )
    failures = [
        Failure(unit_id=f"s{i}.c1", stage="evidence", boundary="search", message="the search failed")
        for i in failed_claims
    ]
    blank = Report.model_construct(
        factscope="0.1.0",
        response=Response(id=response_id, text="x" * max(1, len(segments))),
        method={"name": "test", "roll_up": (rules or RollUp()).model_dump()},
        segments=tuple(segments),
        claims=tuple(made),
        passages=tuple(passages),
        documents=tuple(documents),
        judgements=tuple(judged),
        failures=tuple(failures),
    )
    return without(blank, Exclusions())


def without(report: Report, exclude: Exclusions) -> Report:
    """Return the report with other evidence ruled out, validated again."""
    rules = RollUp.model_validate(report.method["roll_up"])
    verdicts = roll_up(report, rules, exclude)
    more = {
        "verdicts": verdicts,
        "counts": counts(verdicts, report.segments, report.claims),
        "excluded": exclude,
    }
    return Report.model_validate({**dict(report), **more})
