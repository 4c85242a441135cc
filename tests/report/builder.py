"""Collector of the records of a report built by hand."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

from factscope.core import Label, Outcome, SegmentKind
from factscope.core.records import (
    Claim,
    Correction,
    Document,
    Failure,
    Judgement,
    Passage,
    Query,
    Quote,
    Report,
    Response,
    Score,
    Searched,
    Segment,
    Span,
    Usage,
    Verdict,
)
from factscope.scoring.verdicts import worst


class Builder:
    """Collects the records of one report; `build` counts and closes it."""

    def __init__(self, text: str, **response: object) -> None:
        self.response = Response(text=text, **response)
        self.at = 0
        self.segments: list[Segment] = []
        self.claims: list[Claim] = []
        self.queries: list[Query] = []
        self.documents: dict[str, Document] = {}
        self.passages: list[Passage] = []
        self.judgements: list[Judgement] = []
        self.verdicts: list[Verdict] = []
        self.corrections: list[Correction] = []
        self.failures: list[Failure] = []

    def document(self, title: str | None, url: str | None, **more: object) -> str:
        digest = sha256(f"{title}{url}".encode()).hexdigest()
        document = Document(id=f"d-{digest[:16]}", text=None, title=title, url=url, sha256=digest, **more)
        self.documents[document.id] = document
        return document.id

    def segment(self, text: str, kind: SegmentKind = "sentence") -> Segment:
        start = self.response.text.index(text, self.at)
        self.at = start + len(text)
        segment = Segment(id=f"s{len(self.segments) + 1}", span=Span(start=start, end=self.at), text=text, kind=kind)
        self.segments.append(segment)
        return segment

    def skip(self, text: str, kind: SegmentKind = "sentence", reason: str = "there is no claim in it") -> None:
        segment = self.segment(text, kind)
        self.verdict(segment.id, "segment", "not_checkable", reason=reason)

    def verdict(self, unit: str, level: str, outcome: Outcome, **more: object) -> None:
        self.verdicts.append(Verdict(unit_id=unit, level=level, outcome=outcome, rule="strongest", **more))

    def judged(
        self,
        claim: str,
        rank: int,
        document: str,
        passage: str,
        label: Label | None,
        quote: str | None = None,
        confidence: float | None = 0.9,
        rationale: str | None = None,
        judge: str = "builtin-1",
    ) -> str:
        """Add a passage with one judgement; a quote that is not in the passage stays as it is, at offset 0."""
        name = f"{claim}.p{rank}"
        self.passages.append(
            Passage(
                id=name,
                claim_id=claim,
                document_id=document,
                span=Span(start=0, end=len(passage)),
                text=passage,
                rank=rank,
                score=9.5 / rank,
            )
        )
        start = max(passage.find(quote or ""), 0)
        self.judgements.append(
            Judgement(
                id=f"{name}.j1",
                unit_id=claim,
                passage_ids=(name,),
                judge=judge,
                label=label,
                failure=None if label else "The judge's answer could not be read. Run the same command again.",
                rationale=rationale,
                confidence=confidence if label else None,
                quote=Quote(passage_id=name, span=Span(start=start, end=start + len(quote)), text=quote)
                if quote
                else None,
            )
        )
        return f"{name}.j1"

    def claim(self, segment: Segment, text: str | None = None, **more: object) -> str:
        number = sum(c.segment_id == segment.id for c in self.claims) + 1
        claim = Claim(
            id=f"{segment.id}.c{number}",
            segment_id=segment.id,
            text=text or segment.text,
            standalone=text or segment.text,
            **more,
        )
        self.claims.append(claim)
        return claim.id

    def close(self, segment: Segment) -> None:
        """Add the segment's own verdict: the worst of its claims."""
        mine = {v.outcome for v in self.verdicts if v.unit_id.startswith(f"{segment.id}.c")}
        self.verdict(segment.id, "segment", worst(mine))

    def build(self, scores: tuple[Score, ...] = (), **more: object) -> Report:
        with_claims = {c.segment_id for c in self.claims}
        units = [v for v in self.verdicts if v.level == "claim" or v.unit_id not in with_claims]
        outcomes = {v.outcome for v in units}
        whole = Verdict(unit_id="r1", level="response", outcome=worst(outcomes), rule="worst")
        return Report(
            factscope="0.1.0",
            response=self.response,
            method={
                "name": "builtin",
                "title": "Sentences against your documents, judged by the built-in verifier",
                "segment": "sentences",
                "evidence": {"name": "local", "passages": {"ranker": "bm25", "top_k": 5, "window": 1}},
                "roll_up": {"unit": "strongest", "margin": 0.1},
            },
            searched=Searched(id="c-5f2d0c1a9e", n_documents=3, n_passages=12, problems=("old.pdf: is damaged",)),
            segments=tuple(self.segments),
            claims=tuple(self.claims),
            queries=tuple(self.queries),
            documents=tuple(self.documents.values()),
            passages=tuple(self.passages),
            judgements=tuple(self.judgements),
            verdicts=(*self.verdicts, whole),
            corrections=tuple(self.corrections),
            failures=tuple(self.failures),
            counts=dict(Counter(v.outcome for v in units)),
            scores=scores,
            **{"usage": (Usage(role="judge", model="builtin-1", calls=19, seconds=0.42),), **more},
        )
