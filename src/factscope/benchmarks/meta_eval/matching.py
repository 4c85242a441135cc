"""Matching of a checker's verdicts with human labels: by the named unit, otherwise by position in the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from factscope.benchmarks.meta_eval.figures import MatchedAnswer
from factscope.benchmarks.meta_eval.predictions import CheckerPrediction
from factscope.benchmarks.meta_eval.tasks import Units
from factscope.core import Gold, Level, Sample, Span

LEVELS: tuple[Level, ...] = ("claim", "segment", "response")

DOMAINS = ("domain", "topic", "tier", "model", "dataset")
"""Tags that results are grouped by, unless one is named: the first with several values."""
_MOST_DOMAINS = 40  # a tag with more values is not a domain


class MatchedUnit(NamedTuple):
    """One labelled unit with a checker's answer to it."""

    answer: MatchedAnswer
    sample: Sample
    gold: Gold
    predictions: tuple[CheckerPrediction, ...]
    """All predictions about it; empty if there is none."""


def levels_of(samples: Sequence[Sample]) -> tuple[Level, ...]:
    """Return the levels with labels to compare with, the finest first.

    A response has a label when one is given, or when several of its units have one and it is not said to have none.
    """
    labelled = [[gold.level for gold in sample.gold if gold.factual is not None] for sample in samples]
    present: set[Level] = {level for levels in labelled for level in levels}
    if any(len(levels) > 1 and not sample.of("response") for sample, levels in zip(samples, labelled, strict=True)):
        present.add("response")
    return tuple(level for level in LEVELS if level in present)


def domain_tag(samples: Sequence[Sample], requested: str | None = None) -> str | None:
    """Return the tag that holds the domain; `None` if there is none."""
    for name in [requested] if requested else DOMAINS:
        values = {sample.tags[name] for sample in samples if name in sample.tags}
        if (requested and values) or 1 < len(values) <= _MOST_DOMAINS:
            return name
    return None


def matched(
    samples: Sequence[Sample],
    level: Level,
    predictions_by_id: Mapping[str, Sequence[CheckerPrediction]],
    *,
    units: Units = "own",
    domain: str | None = None,
) -> list[MatchedUnit]:
    """Return every labelled unit of a level with the answer to it, in order; `predictions_by_id` is by sample.

    A unit is wrong when any prediction about it is flagged, and otherwise unanswered when any has no answer (FELM,
    section 5: a response is wrong if any segment is), or when it is judged by its parts and a labelled one of these has
    no prediction. Units without a label are left out. A unit without predictions counts as unanswered, as does a given
    sentence whose claims are all without a label; but if the units were given, a sentence without claims counts as
    right. A unit of empty text states nothing; it counts as right if the checker answered on the rest.
    """
    matched_units = []
    for sample in samples:
        if sample.response is None or not sample.response.strip():
            continue
        every = predictions_by_id.get(sample.id, ())
        pooled = level != "claim" and any(prediction.pooled for prediction in every)
        own = [prediction for prediction in every if prediction.pooled == pooled]
        golds = _golds(sample, level)
        scored = [gold for gold in golds if gold.factual is not None]
        for index, gold in enumerate(golds):
            if gold.factual is None:
                continue
            about = _about(gold, own, sample, is_single=len(scored) == 1)
            flag = _flag(about)
            if flag is False and _misses_units(gold, about, every, sample):
                flag = None
            unclaimed = (
                units == "given"
                and level == "segment"
                and sample.of("claim")
                and not any(_shares_letters(gold.span, claim.span, sample.response) for claim in sample.of("claim"))
            )
            empty = gold.span is not None and gold.span.start == gold.span.end
            if not about and (unclaimed or empty) and any(each.flagged is not None for each in own):
                flag = False
            answer = MatchedAnswer(
                sample=sample.id,
                wrong=not gold.factual,
                flagged=flag,
                p_wrong=_p_wrong(about, flag),
                domain=sample.tags.get(domain) if domain else None,
                error_type=_error_type(gold),
                position=(index + 0.5) / len(golds) if len(golds) > 1 else None,
                tendency=max((each.tendency for each in about if each.tendency is not None), default=None),
            )
            matched_units.append(MatchedUnit(answer, sample, gold, tuple(about)))
    return matched_units


def _golds(sample: Sample, level: Level) -> tuple[Gold, ...]:
    golds = sample.of(level)
    if level != "response" or golds:
        return golds
    defined = [gold.factual for gold in sample.gold if gold.factual is not None]
    return (Gold(id="response", level="response", factual=all(defined)),) if defined else ()


def _about(
    gold: Gold, predictions: Sequence[CheckerPrediction], sample: Sample, *, is_single: bool
) -> list[CheckerPrediction]:
    """Select the predictions about a unit: those that name it, else all for a response, else those that overlap it.

    A prediction that names a unit is about no other of its level, even if both share words.
    """
    by_name = [prediction for prediction in predictions if prediction.gold == gold.id]
    if by_name:
        return by_name
    of_all = [prediction for prediction in predictions if prediction.gold is None and prediction.span is None]
    if gold.level == "response":
        return of_all or list(predictions)
    text = sample.response or ""
    finer = (unit for level in _finer(gold.level) for unit in sample.of(level))
    inside = {unit.id for unit in finer if _shares_letters(gold.span, unit.span, text)}
    overlapping = [
        prediction
        for prediction in predictions
        if (prediction.gold in inside if prediction.gold else _shares_letters(gold.span, prediction.span, text))
    ]
    return overlapping or (of_all if is_single else [])


def _finer(level: Level) -> tuple[Level, ...]:
    return LEVELS[: LEVELS.index(level)]


def _misses_units(
    gold: Gold, about: Sequence[CheckerPrediction], predictions: Sequence[CheckerPrediction], sample: Sample
) -> bool:
    """Return whether a unit is judged by its parts, and at each finer level a labelled one of them has no prediction.

    One level suffices: a checker may answer on segments alone where people also labelled claims.
    """
    if any(
        prediction.gold == gold.id
        or (prediction.gold is None and (prediction.span is None or gold.level != "response"))
        for prediction in about
    ):
        return False  # it has a prediction of its own
    levels = [_finer_units(gold, level, predictions, sample) for level in _finer(gold.level)]
    return any(levels) and not any(
        units and all(_is_predicted(unit, predictions, sample) for unit in units) for units in levels
    )


def _is_predicted(gold: Gold, predictions: Sequence[CheckerPrediction], sample: Sample) -> bool:
    about = _about(gold, predictions, sample, is_single=False)
    return bool(about) and not _misses_units(gold, about, predictions, sample)


def _finer_units(gold: Gold, level: Level, predictions: Sequence[CheckerPrediction], sample: Sample) -> list[Gold]:
    """Select the labelled units of a finer level in this one that can have a prediction.

    A claim that is not in the response has one only if predictions name claims; empty text never has one.
    """
    text = sample.response or ""
    units = sample.of(level)
    names = {prediction.gold for prediction in predictions}
    named = any(unit.id in names for unit in units)
    return [
        unit
        for unit in units
        if unit.factual is not None
        and ((unit.text if named else None) or (unit.span.of(text) if unit.span else "")).strip()
        and (gold.level == "response" or _shares_letters(gold.span, unit.span, text))
    ]


def _shares_letters(span: Span | None, other: Span | None, text: str) -> bool:
    if span is None or other is None:
        return False
    return bool(text[max(span.start, other.start) : min(span.end, other.end)].strip())


def _flag(about: Sequence[CheckerPrediction]) -> bool | None:
    if any(prediction.flagged for prediction in about):
        return True
    return None if not about or any(prediction.flagged is None for prediction in about) else False


def _p_wrong(about: Sequence[CheckerPrediction], flag: bool | None) -> float | None:
    """Return the highest probability of an error, as one suffices; for a unit called right, all must state one."""
    defined = [each.p_wrong for each in about if each.p_wrong is not None and (not flag or each.flagged)]
    if not flag and len(defined) < sum(each.flagged is None or each.outcome != "not_checkable" for each in about):
        return None
    return max(defined, default=None)


def _error_type(gold: Gold) -> str | None:
    """Return the labelled kind of error; in data sets with more than right and wrong, the label itself."""
    three_way = gold.label if gold.label in ("contradicted", "not_enough_evidence") else None
    return gold.error_type or three_way
