"""Samples and the predictions of checkers → the result. Nothing is run here."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from factscope.benchmarks.datasets import LabelledData
from factscope.benchmarks.meta_eval.evaluation_result import (
    MOST_CASES,
    AlphaStudy,
    CheckerFigures,
    DisagreementCase,
    EvaluationResult,
    Pairing,
    Sweep,
)
from factscope.benchmarks.meta_eval.figures import Figures, baselines, compute_figures
from factscope.benchmarks.meta_eval.matching import MatchedUnit, domain_tag, levels_of, matched
from factscope.benchmarks.meta_eval.permutation_test import COMPARED, contrasts
from factscope.benchmarks.meta_eval.predictions import CheckerPrediction, Rule
from factscope.benchmarks.meta_eval.tasks import Units
from factscope.core import InputError, Level, Outcome, Sample, Usage, UsageError, __version__, group_by, made_at
from factscope.methods import LEAST_COVERAGE
from factscope.scoring import RESAMPLES, Proportion, finding, holm, krippendorff_alpha, pearson, spearman
from factscope.scoring.alpha import GRID, EndedUnits, Sensitivity, estimate_alpha, sensitivity

_UNDECIDED: tuple[Outcome, ...] = ("undecided", "no_evidence")
_GROUPS = ("model", "tier", "topic", "domain")
"""Tags that alpha is grouped by."""
_MOST_GROUPS = 40  # more groups have too few units for an alpha of their own

_TAKEN_OVER = ("name", "title", "models", "run", "usage", "passed_on", "members", "notes")
"""Fields of a checker that its figures repeat."""

_EndedResponse = Sequence[tuple[MatchedUnit, Outcome]]
"""The units of a response, each with its most serious outcome."""


class CheckerSide(NamedTuple):
    """One checker, and its verdicts on each sample."""

    name: str
    predictions: Mapping[str, Sequence[CheckerPrediction]]
    title: str | None = None
    models: Mapping[str, str] = {}
    run: str | None = None
    usage: tuple[Usage, ...] = ()
    notes: tuple[str, ...] = ()
    passed_on: Proportion | None = None
    members: tuple[str, ...] = ()
    """For an ensemble: the checkers that it combines."""
    incomplete: bool = False
    """Whether a text was refused, failed in part, or was not reached."""
    to_try_again: bool = False
    """Whether running it again may complete it."""


class EvaluationOptions(NamedTuple):
    """Options of an evaluation."""

    units: Units = "own"
    rule: Rule = "unsupported"
    levels: tuple[Level, ...] = ()
    """Requested levels; empty for all."""
    domain: str | None = None
    """Tag that results are grouped by; None for the first tag with several values."""
    alphas: tuple[float, ...] = ()
    """Values of alpha to try; empty for 0, 0.1 … 1."""
    resamples: int = RESAMPLES
    seed: int = 0


def compare(
    data: LabelledData, sides: Sequence[CheckerSide], options: EvaluationOptions, sweeps: Sequence[Sweep] = ()
) -> EvaluationResult:
    """Return the result on all checkers.

    Raises UsageError when two have the same name, for another level than people labelled, or a tag that no sample has.
    """
    if twice := [name for name, n in Counter(side.name for side in sides).items() if n > 1]:
        raise UsageError(
            f"Two checkers are called {twice[0]!r}.",
            "Name each once. Files need names of their own, and so do functions: write them with def.",
        )
    present = must_have(data, options.levels, options.domain)
    levels = tuple(level for level in present if not options.levels or level in options.levels)
    domain = domain_tag(data.samples, options.domain)
    alignment = {
        level: [matched(data.samples, level, side.predictions, units=options.units, domain=domain) for side in sides]
        for level in levels
    }
    golds = [gold for sample in data.samples for gold in sample.gold]
    return EvaluationResult(
        dataset=data.name,
        sha256=data.sha256 or None,
        licence=data.benchmark.licence if data.benchmark else None,
        citation=data.benchmark.citation if data.benchmark else None,
        n_samples=len(data.samples),
        n_without_text=sum(not (sample.response or "").strip() for sample in data.samples),
        n_unlabelled=sum(gold.factual is None for gold in golds),
        units=options.units,
        rule=options.rule,
        domain=domain,
        checkers=tuple(
            _checker(data, side, {level: alignment[level][number] for level in levels}, options)
            for number, side in enumerate(sides)
        ),
        baselines={level: baselines([item.answer for item in alignment[level][0]]) for level in levels if sides},
        agreement={level: _together(sides, alignment[level]) for level in levels},
        pairings=tuple(
            pair
            for level in levels
            for pair in _pairings(level, sides, alignment[level], options, _pairs(sides, sweeps))
        ),
        sweeps=tuple(sweeps),
        alphas=options.alphas,
        notes=data.notes,
        resamples=options.resamples,
        seed=options.seed,
        factscope=__version__,
        made=made_at(),
    )


def must_have(data: LabelledData, levels: Sequence[Level], tag: str | None) -> Sequence[Level]:
    """Return the levels that have labels, before anything is run.

    Raises InputError when there are none, and UsageError for a level without labels or a tag that no sample has.
    """
    present = levels_of(data.samples)
    if not present:
        raise InputError(f"No unit of {data.name} is labelled right or wrong.")
    if missing := [level for level in levels if level not in present]:
        raise UsageError(f"No {missing[0]} of {data.name} has a label.", f"There are labels for: {', '.join(present)}.")
    tags = sorted({name for sample in data.samples for name in sample.tags})
    if tag and tag not in tags:
        raise UsageError(f"No sample has the tag {tag!r}.", f"Choose from: {', '.join(tags) or 'none'}.")
    return present


def _checker(
    data: LabelledData, side: CheckerSide, alignment: Mapping[Level, Sequence[MatchedUnit]], options: EvaluationOptions
) -> CheckerFigures:
    finest = next(iter(alignment.values()))
    cases = [row for row in finest if row.answer.flagged not in (None, row.answer.wrong)]
    cases.sort(key=lambda case: 0.0 if case.answer.p_wrong is None else -abs(case.answer.p_wrong - 0.5))
    kinds = ([case for case in cases if case.answer.wrong is wrong] for wrong in (True, False))
    return CheckerFigures(
        **{field: getattr(side, field) for field in _TAKEN_OVER},
        levels={
            level: compute_figures([row.answer for row in rows], resamples=options.resamples, seed=options.seed)
            for level, rows in alignment.items()
        },
        outcomes=_outcomes(finest),
        n_disagreements=len(cases),
        disagreements=tuple(_case(case) for kind in kinds for case in kind[: MOST_CASES // 2]),
        alpha=_alpha(data.samples, finest, options),
        ceiling=_ceiling(finest, options) if side.passed_on else None,
    )


def _ceiling(rows: Sequence[MatchedUnit], options: EvaluationOptions) -> Figures:
    """Return the figures that a cascade would have if its model judged every escalated unit as people did.

    The verifier's own verdicts stay as they are, so this is the risk of selective prediction at that coverage (El-Yaniv
    and Wiener 2010), where the rest is judged without errors.
    """
    answers = [row.answer._replace(flagged=_at_best(row), p_wrong=None, tendency=None, domain=None) for row in rows]
    return compute_figures(answers, resamples=options.resamples, seed=options.seed).overall


def _at_best(unit: MatchedUnit) -> bool | None:
    """Return whether the unit is called wrong if passed-on claims are judged as people judged them."""
    if unit.answer.flagged is None:
        return None
    if any(prediction.flagged and not prediction.passed_on for prediction in unit.predictions):
        return True
    return unit.answer.wrong if any(prediction.passed_on for prediction in unit.predictions) else unit.answer.flagged


def _case(unit: MatchedUnit) -> DisagreementCase:
    gold, sample = unit.gold, unit.sample
    text = next((prediction for prediction in unit.predictions if prediction.flagged == unit.answer.flagged), None)
    complete = gold.span.of(sample.response or "") if gold.span else sample.response or ""
    return DisagreementCase(
        sample=sample.id,
        unit=gold.id,
        level=gold.level,
        text=gold.text or complete,
        prompt=sample.prompt,
        wrong=unit.answer.wrong,
        error_type=unit.answer.error_type,
        comment=gold.comment,
        p_wrong=unit.answer.p_wrong,
        outcome=text.outcome if text else None,
        reason=text.reason if text else None,
        evidence=text.evidence if text else (),
    )


def _outcomes(rows: Sequence[MatchedUnit]) -> dict[str, dict[Outcome, int]]:
    """Return the number of units by human label and outcome, where each unit has one answer with an outcome."""
    results: dict[str, Counter[Outcome]] = defaultdict(Counter)
    for row in rows:
        ended = (one.outcome for one in row.predictions if one.outcome and one.flagged == row.answer.flagged)
        if outcome := next(ended, None):
            label = row.gold.label or ("supported" if row.gold.factual else "not_supported")
            results[label][outcome] += 1
    return {label: dict(counts) for label, counts in sorted(results.items())}


def _together(sides: Sequence[CheckerSide], alignment: Sequence[Sequence[MatchedUnit]]) -> float | None:
    """Return Krippendorff's alpha of people and all checkers.

    Ensembles are left out: their members count already, and some of them have learnt from people's labels.
    """
    single = [units for side, units in zip(sides, alignment, strict=True) if not side.members]
    rows = [(units[0].answer.wrong, *(unit.answer.flagged for unit in units)) for units in zip(*single, strict=True)]
    return krippendorff_alpha(rows) if rows else None


def _pairs(sides: Sequence[CheckerSide], sweeps: Sequence[Sweep]) -> list[tuple[int, int]]:
    """Choose the pairs to compare: every pair; in a sweep its first value with each other one."""
    if sweeps:
        index = {side.name: number for number, side in enumerate(sides)}
        return [(index[sweep.checkers[0]], index[other]) for sweep in sweeps for other in sweep.checkers[1:]]
    return list(combinations(range(len(sides)), 2))


def _pairings(
    level: Level,
    sides: Sequence[CheckerSide],
    alignment: Sequence[Sequence[MatchedUnit]],
    options: EvaluationOptions,
    pairs: Sequence[tuple[int, int]],
) -> list[Pairing]:
    """Compare the pairs, except those with a checker whose figures are withheld."""
    answers = [[unit.answer for unit in units] for units in alignment]
    enough = [sum(answer.flagged is not None for answer in group) >= LEAST_COVERAGE * len(group) for group in answers]
    pairs = [(first, second) for first, second in pairs if enough[first] and enough[second]]
    sampling = {"resamples": options.resamples, "seed": options.seed, "tests": len(pairs)}
    results = [contrasts(answers[first], answers[second], **sampling) for first, second in pairs]
    adjusted: list[dict[str, float]] = [{} for _ in pairs]
    for index, name in enumerate(COMPARED):
        for by_name, p in zip(adjusted, holm([result[index].p for result in results]), strict=True):
            if p is not None:
                by_name[name] = p
    return [
        Pairing(
            level=level,
            first=sides[first].name,
            second=sides[second].name,
            contrasts=result,
            p_adjusted=corrected,
            findings={
                one.measure: finding(corrected.get(one.measure), one.n_samples, len(pairs), one.draws)
                for one in result
                if one.value is not None
            },
        )
        for (first, second), result, corrected in zip(pairs, results, adjusted, strict=True)
    ]


def _alpha(samples: Sequence[Sample], rows: Sequence[MatchedUnit], options: EvaluationOptions) -> AlphaStudy | None:
    """Estimate alpha from the undecided units, 0.5 when there are none; `None` for predictions without outcomes.

    A response without evidence for any unit was never searched for, so its units are left out. One with evidence that
    does not bear on it is not left out.
    """
    every = [(row, worst) for row in rows if (worst := _worst(row))]
    searched = {
        row.sample.id
        for row, outcome in every
        if outcome != "no_evidence" or any(prediction.has_evidence for prediction in row.predictions)
    }
    ended = [(row, outcome) for row, outcome in every if row.sample.id in searched]
    undecided = [unit for unit, outcome in ended if outcome in _UNDECIDED]
    if not every:
        return None
    alphas = options.alphas or GRID
    groups = {}
    for tag in _GROUPS if undecided else ():
        names = sorted({sample.tags[tag] for sample in samples if tag in sample.tags})
        if 1 < len(names) <= _MOST_GROUPS:
            labels = {
                name: [unit.answer.wrong for unit in undecided if unit.sample.tags.get(tag) == name] for name in names
            }
            groups[tag] = estimate_alpha(labels)[1:]
    responses = list(group_by(ended, lambda pair: pair[0].sample.id).values())
    return AlphaStudy(
        common=estimate_alpha({"all": [unit.answer.wrong for unit in undecided]})[0],
        groups=groups,
        fit=tuple(_fit(alpha, responses) for alpha in alphas),
        sensitivity=_ranks(responses, alphas),
        unsearched=len(every) - len(ended),
    )


def _worst(unit: MatchedUnit) -> Outcome | None:
    """Return the most serious outcome of a unit; `None` without an answer that has one."""
    ended = {prediction.outcome for prediction in unit.predictions}
    order: tuple[Outcome, ...] = ("contradicted", *_UNDECIDED, "supported")
    return next((outcome for outcome in order if outcome in ended), None)


def _fit(alpha: float, responses: Sequence[_EndedResponse]) -> tuple[float, float | None, float | None]:
    weights = {"contradicted": 1.0, "undecided": alpha, "no_evidence": alpha}
    text = [sum(weights.get(outcome, 0.0) for _, outcome in units) / len(units) for units in responses]
    true = [sum(unit.answer.wrong for unit, _ in units) / len(units) for units in responses]
    return alpha, pearson(text, true), spearman(text, true)


def _ranks(responses: Sequence[_EndedResponse], alphas: Sequence[float]) -> Sensitivity | None:
    models: dict[str, list[EndedUnits]] = defaultdict(list)
    for units in responses:
        if (model := units[0][0].sample.tags.get("model")) is not None:
            outcomes = Counter(outcome for _, outcome in units)
            undecided = outcomes["undecided"] + outcomes["no_evidence"]
            models[model].append(EndedUnits(outcomes["contradicted"], undecided, len(units)))
    return sensitivity(models, alphas=alphas) if len(models) > 1 else None
