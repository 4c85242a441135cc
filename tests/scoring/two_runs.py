"""Reports for comparisons: a response of given statements, each with a given outcome."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence

from factscope.core import OUTCOMES, Outcome, id_key
from factscope.core.records import Claim, Report, Response, Segment, Span, Verdict

Ends = Sequence[tuple[str, Outcome]]

METHOD: Mapping[str, object] = {"name": "test", "scores": ["factual_precision", "hallucination(alpha=0.5)"]}


def checked(
    name: str, ends: Ends, *, method: Mapping[str, object] = METHOD, reason: str | None = None, **more: object
) -> Report:
    """Make a report of one sentence and one claim per item; an empty text is a sentence without a claim."""
    text = " ".join(sentence or "Well." for sentence, _ in ends)
    segments, claims, verdicts, at = [], [], [], 0
    for i, (sentence, outcome) in enumerate(ends, start=1):
        words = sentence or "Well."
        span = Span(start=at, end=at + len(words))
        at = span.end + 1
        segments.append(Segment(id=f"s{i}", span=span, text=words, kind="sentence"))
        verdicts.append(Verdict(unit_id=f"s{i}", level="segment", outcome=outcome, rule="worst"))
        if sentence:
            claims.append(Claim(id=f"s{i}.c1", segment_id=f"s{i}", text=words, standalone=words, span=span))
            verdicts.append(
                Verdict(unit_id=f"s{i}.c1", level="claim", outcome=outcome, rule="strongest", reason=reason)
            )
    return finished(name, text, segments, claims, verdicts, method=method, **more)


def finished(
    name: str,
    text: str,
    segments: Sequence[Segment],
    claims: Sequence[Claim],
    verdicts: Sequence[Verdict],
    method: Mapping[str, object] = METHOD,
    **more: object,
) -> Report:
    """Make a report that adds up."""
    bare = {segment.id for segment in segments} - {claim.segment_id for claim in claims}
    units = bare | {claim.id for claim in claims}
    ended = Counter(verdict.outcome for verdict in verdicts if verdict.unit_id in units)
    return Report.model_validate(
        {
            "factscope": "0.1.0",
            "response": Response(id=name, text=text),
            "method": method,
            "segments": tuple(segments),
            "claims": tuple(claims),
            "verdicts": tuple(sorted(verdicts, key=lambda verdict: id_key(verdict.unit_id))),
            "counts": {outcome: ended[outcome] for outcome in OUTCOMES},
        }
        | more
    )


def runs(n: int, better: float, seed: int = 1) -> tuple[dict[str, Report], dict[str, Report]]:
    """Make two runs over `n` responses; in the second, each unsupported claim is supported with chance `better`."""
    chance = random.Random(seed)
    first, second = {}, {}
    for i in range(n):
        ends: list[tuple[str, Outcome]] = []
        again: list[tuple[str, Outcome]] = []
        for k in range(chance.randint(3, 9)):
            outcome = chance.choice(("supported", "supported", "contradicted", "undecided", "no_evidence"))
            ends.append((f"Fact {k} of {i} is known.", outcome))
            again.append((f"Fact {k} of {i} is known.", "supported" if chance.random() < better else outcome))
        first[f"r{i}"] = checked(f"r{i}", ends)
        second[f"r{i}"] = checked(f"r{i}", again)
    return first, second
