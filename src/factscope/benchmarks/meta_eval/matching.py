"""Matching of a checker's verdicts with people's labels: by the unit that is named, else by position in the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from factscope.benchmarks.meta_eval.figures import MatchedAnswer
from factscope.benchmarks.meta_eval.predictions import CheckerPrediction
from factscope.benchmarks.meta_eval.tasks import Units
from factscope.core.records import Gold, Level, Sample, Span

LEVELS: tuple[Level, ...] = ("claim", "segment", "response")

DOMAINS = ("domain", "topic", "tier", "model", "dataset")
"""Tags that results are told apart by, unless one is named: the first with several values."""
_MOST_DOMAINS = 40


class MatchedUnit(NamedTuple):
    """One labelled unit with what a checker says of it."""

    answer: MatchedAnswer
    sample: Sample
    gold: Gold
    said: tuple[CheckerPrediction, ...]
    """All that is said of it; empty when nothing is."""


def levels_of(samples: Sequence[Sample]) -> tuple[Level, ...]:
    """The levels at which there is something to compare with, the finest first.

    A response has a label when it is given, or when several of its units have one.
    """
    there: set[Level] = {one.level for sample in samples for one in sample.gold if one.factual is not None}
    if any(len([one for one in sample.gold if one.factual is not None]) > 1 for sample in samples):
        there.add("response")
    return tuple(level for level in LEVELS if level in there)


def domain_tag(samples: Sequence[Sample], wanted: str | None = None) -> str | None:
    """The tag that tells domains apart; `None` when there is no such."""
    for name in [wanted] if wanted else DOMAINS:
        values = {sample.tags[name] for sample in samples if name in sample.tags}
        if (wanted and values) or 1 < len(values) <= _MOST_DOMAINS:
            return name
    return None


def matched(
    samples: Sequence[Sample],
    level: Level,
    said: Mapping[str, Sequence[CheckerPrediction]],
    *,
    units: Units = "own",
    domain: str | None = None,
) -> list[MatchedUnit]:
    """Every labelled unit of a level with the answer to it, in order; `said` is by sample.

    A unit is wrong when any of what is said of it is flagged, and unanswered when, without that, anything has no
    answer (FELM, section 5: a response is wrong if any segment is). Units without a label are not there. Where the
    units were given, one of which nothing is said, such as a sentence without claims, is called right; where they were
    not, it is unanswered. A unit of empty text states nothing, and is called right by a checker that read the rest.
    """
    found = []
    for sample in samples:
        if sample.response is None or not sample.response.strip():
            continue
        mine = list(said.get(sample.id, ()))
        pooled = any(one.pooled for one in mine)
        mine = [one for one in mine if one.pooled == (pooled and level != "claim")]
        golds = _golds(sample, level)
        scored = [gold for gold in golds if gold.factual is not None]
        for place, gold in enumerate(golds):
            if gold.factual is None:
                continue
            about = _about(gold, mine, sample.response, alone=len(scored) == 1)
            flag = _flag(about)
            unclaimed = units == "given" and level == "segment" and sample.of("claim")
            if not about and (unclaimed or _empty(gold)) and any(one.flagged is not None for one in mine):
                flag = False
            answer = MatchedAnswer(
                sample=sample.id,
                wrong=not gold.factual,
                flagged=flag,
                p_wrong=_p_wrong(about, flag),
                domain=sample.tags.get(domain) if domain else None,
                error_type=_error_type(gold),
                place=(place + 0.5) / len(golds) if len(golds) > 1 else None,
                leaning=max((one.leaning for one in about if one.leaning is not None), default=None),
            )
            found.append(MatchedUnit(answer, sample, gold, tuple(about)))
    return found


def _golds(sample: Sample, level: Level) -> tuple[Gold, ...]:
    golds = sample.of(level)
    if level != "response" or golds:
        return golds
    known = [one.factual for one in sample.gold if one.factual is not None]
    return (Gold(id="response", level="response", factual=all(known)),) if known else ()


def _about(gold: Gold, predictions: Sequence[CheckerPrediction], text: str, *, alone: bool) -> list[CheckerPrediction]:
    """Select the predictions about a unit: those that name it, else all for a response, else those that overlap it."""
    named = [one for one in predictions if one.gold == gold.id]
    if named:
        return named
    if gold.level == "response":
        whole = [one for one in predictions if one.gold is None and one.span is None]
        return whole or list(predictions)
    if gold.span is None:
        return [one for one in predictions if one.gold is None and one.span is None] if alone else []
    place = gold.span
    near = [one for one in predictions if one.span and _shares_letters(place, one.span, text)]
    return near or ([one for one in predictions if one.gold is None and one.span is None] if alone else [])


def _shares_letters(span: Span, other: Span, text: str) -> bool:
    return bool(text[max(span.start, other.start) : min(span.end, other.end)].strip())


def _empty(gold: Gold) -> bool:
    return gold.span is not None and gold.span.start == gold.span.end


def _flag(about: Sequence[CheckerPrediction]) -> bool | None:
    if any(one.flagged for one in about):
        return True
    return None if not about or any(one.flagged is None for one in about) else False


def _p_wrong(about: Sequence[CheckerPrediction], flag: bool | None) -> float | None:
    """One error is enough: the most probable one speaks; for a unit called right it takes all of its parts to say."""
    known = [one.p_wrong for one in about if one.p_wrong is not None and (not flag or one.flagged)]
    if not known or (not flag and len(known) < len([one for one in about if one.outcome != "not_checkable"])):
        return None
    return max(known)


def _error_type(gold: Gold) -> str | None:
    """The kind of error that people name; in sets that tell more than right from wrong, the label."""
    three_way = gold.label if gold.label in ("contradicted", "not_enough_evidence") else None
    return gold.error_type or three_way
