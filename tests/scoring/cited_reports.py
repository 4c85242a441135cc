"""Reports on texts with citations, made by hand: for each claim, what each cited source says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from factscope.core import Label
from factscope.core.records import (
    Citation,
    CitedSource,
    Claim,
    Document,
    Exclusions,
    Judgement,
    Passage,
    Report,
    Response,
    Segment,
    Span,
)
from factscope.methods import cited as cited_method
from factscope.methods import method_named
from factscope.scoring.verdicts import counts, roll_up

BUILTIN = method_named("builtin")

AT = 100
"""Offset of each passage in its document."""


class C(NamedTuple):
    """A claim, and the label of each source it cites; `None` for a source without a judgement."""

    text: str
    sources: Mapping[str, Label | None] = {}
    skipped: str | None = None


def cited(*sentences: Sequence[C], states: Mapping[str, Any] | None = None, **more: Any) -> Report:
    """Make a report on a text of these sentences, each a list of claims; `states` are those of unread sources."""
    segments, claims, citations, passages, judgements = [], [], [], [], []
    names: dict[str, None] = {}
    text = ""
    for i, sentence in enumerate(sentences, 1):
        start = len(text)
        for k, (words, sources, skipped) in enumerate(sentence, 1):
            span = Span(start=len(text), end=len(text) + len(words))
            text += words + " "
            unit = f"s{i}.c{k}"
            claims.append(Claim(id=unit, segment_id=f"s{i}", text=words, standalone=words, span=span, skipped=skipped))
            for name, label in sources.items():
                names[name] = None
                mark = Span(start=span.end - 1, end=span.end)
                citations.append(
                    Citation(
                        id=f"k{len(citations) + 1}", span=mark, text=mark.of(text), form="numbered", source_id=name,
                        segment_id=f"s{i}", scope=span,
                    )
                )  # fmt: skip
                if label:
                    passage = Passage(
                        id=f"{unit}.p{name}", claim_id=unit, document_id=f"d-{name}",
                        span=Span(start=AT, end=AT + 10), text="0123456789", rank=1, score=1.0,
                    )  # fmt: skip
                    passages.append(passage)
                    judgements.append(judged(unit, name, label))
        segments.append(Segment(id=f"s{i}", span=Span(start=start, end=len(text)), text=text[start:], kind="sentence"))
    sources = tuple(_source(name, (states or {}).get(name, "read")) for name in [*names, *(states or {})])
    values: dict[str, Any] = {
        "factscope": "0.1.0", "response": Response(text=text), "method": BUILTIN.model_dump(mode="json"),
        "segments": tuple(segments),
        "claims": tuple(claims), "citations": tuple(citations), "passages": tuple(passages),
        "documents": tuple(Document(id=f"d-{name}", text=None, sha256=name) for name in names),
        "judgements": tuple(judgements), "sources": tuple({source.id: source for source in sources}.values()),
        "excluded": Exclusions(),
    }  # fmt: skip
    return Report.model_construct(**{**values, **more})


def judged(unit: str, source: str, label: Label | None, **more: Any) -> Judgement:
    """Make a judgement of a claim by one source."""
    values: dict[str, Any] = {
        "id": f"{unit}.p{source}.j1", "unit_id": unit, "passage_ids": (f"{unit}.p{source}",), "judge": "test-1",
        "label": label, "confidence": 0.9 if label else None, "failure": None if label else "the judge timed out",
    }  # fmt: skip
    return Judgement(**{**values, **more})


def _source(name: str, state: Any) -> CitedSource:
    if state == "read":
        return CitedSource(id=name, key=name, state="read", document_id=f"d-{name}")
    return CitedSource(id=name, key=name, state=state, reason="gone")


def rolled_up(report: Report) -> Report:
    """Return the report with its verdicts and counts by the rules for citations."""
    method = cited_method(BUILTIN)
    verdicts = roll_up(report, method.roll_up, Exclusions())
    found = {"verdicts": verdicts, "counts": counts(verdicts, report.segments, report.claims)}
    return report.model_copy(update={"method": method.model_dump(mode="json"), **found})
