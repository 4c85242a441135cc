"""Result of an evaluation of checkers, as values: the content of tables, pages and files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field
from pydantic_core import to_jsonable_python

from factscope.benchmarks.meta_eval.figures import Figures, LevelFigures
from factscope.benchmarks.meta_eval.permutation_test import Contrast
from factscope.benchmarks.meta_eval.predictions import EvidenceView, Rule
from factscope.benchmarks.meta_eval.tasks import Units
from factscope.core import Interval, Level, Outcome, Record, Usage
from factscope.scoring import Alpha, Finding, Proportion, Sensitivity

MOST_CASES = 200
"""Disagreements that are kept of each checker; all are counted."""


CEILINGS = ("accuracy", "balanced_accuracy")
"""Measures of agreement with a ceiling: the highest value that a better model could reach."""


class DisagreementCase(Record):
    """A unit on which a checker and people disagree."""

    sample: str
    unit: str
    level: Level
    text: str
    """The unit's words."""
    prompt: str | None = None
    wrong: bool
    """The human label: whether it is wrong."""
    error_type: str | None = None
    comment: str | None = None
    """Reason why it is wrong, in the annotator's words."""
    p_wrong: float | None = None
    outcome: Outcome | None = None
    """Outcome of the deciding unit."""
    reason: str | None = None
    evidence: tuple[EvidenceView, ...] = ()


class AlphaStudy(Record):
    """Estimate of alpha from the undecided units of one checker."""

    common: Alpha
    """Estimate of all groups together."""
    groups: dict[str, tuple[Alpha, ...]]
    """Of each model, tier, topic or domain, by that tag; of tags with several values."""
    fit: tuple[tuple[float, float | None, float | None], ...]
    """For each alpha, Pearson's and Spearman's correlation over responses of errors weighted by it with people's."""
    sensitivity: Sensitivity | None = None
    """Effect on scores and ranks of the models that wrote the texts; `None` with fewer than two."""
    unsearched: int = 0
    """Units of responses for which no evidence was found, which are in none of the estimates."""


class CheckerFigures(Record):
    """One checker's results."""

    name: str
    """Method, or name of the file of predictions; unique among the checkers."""
    title: str | None = None
    models: dict[str, str] = Field(default={})
    run: str | None = None
    """Id of the kept run; `None` for recorded predictions."""
    levels: dict[Level, LevelFigures]
    outcomes: dict[str, dict[Outcome, int]] = Field(default={})
    """Number of units by human label and outcome, at the finest level."""
    n_disagreements: int = 0
    """Units of the finest level on which it and people disagree."""
    disagreements: tuple[DisagreementCase, ...] = ()
    """The first of these: missed errors, then false alarms, of each kind the most confident first."""
    alpha: AlphaStudy | None = None
    """`None` for predictions without undecided units."""
    usage: tuple[Usage, ...] = ()
    passed_on: Proportion | None = None
    """Of a cascade: the share of the judged units that its verifier escalated to the language model."""
    members: tuple[str, ...] = ()
    """For an ensemble: the checkers that it combines."""
    ceiling: Figures | None = None
    """For a cascade at the finest level: its figures if the model judged every escalated unit as people did."""
    notes: tuple[str, ...] = ()
    """Irregularities: responses refused, failed units, predictions that could not be used."""


class Pairing(Record):
    """Two checkers on the same units."""

    level: Level
    first: str
    second: str
    contrasts: tuple[Contrast, ...]
    p_adjusted: dict[str, float]
    """p of each measure, corrected for all tests of this measure and level, after Holm."""
    findings: dict[str, Finding]
    """Results of the tests, for measures that both checkers have."""


class Sweep(Record):
    """One setting in several values, with everything else equal."""

    setting: str
    values: tuple[str, ...]
    checkers: tuple[str, ...]
    """The checker of each value."""


class EvaluationResult(Record):
    """Several checkers against one labelled data set."""

    type: Literal["meta"] = "meta"
    dataset: str
    sha256: str | None = None
    """Of the data set's file."""
    licence: str | None = None
    citation: str | None = None
    n_samples: int = Field(ge=0)
    n_without_text: int = Field(ge=0)
    """Samples without a text to check, which are in none of the figures."""
    n_unlabelled: int = Field(ge=0)
    """Units that annotators could not label, which are in none of the figures."""
    units: Units
    """Whether the labelled units were judged as they are, or each checker split the text itself."""
    rule: Rule
    """Rule for flagging."""
    domain: str | None
    """The tag that holds the domain."""
    checkers: tuple[CheckerFigures, ...]
    baselines: dict[Level, dict[str, Figures]]
    """`flag everything` and `flag nothing` on the same units."""
    agreement: dict[Level, float | None]
    """Krippendorff's alpha of people and all checkers together, without ensembles."""
    pairings: tuple[Pairing, ...] = ()
    """All pairs of checkers at each level, except those with one whose figures are withheld."""
    sweeps: tuple[Sweep, ...] = ()
    alphas: tuple[float, ...] = ()
    """The requested values of alpha."""
    notes: tuple[str, ...] = ()
    """Irregularities of the data set."""
    resamples: int
    seed: int
    factscope: str
    made: str | None = None
    """When, in UTC."""


def as_json(result: EvaluationResult) -> dict[str, Any]:
    """Return the result as plain values: the form of `--format json`."""
    described = {"dataset", "sha256", "licence", "n_samples", "n_without_text", "n_unlabelled", "units", "rule"}
    values = {
        **result.model_dump(include=described),
        "methods": [_checker(checker) for checker in result.checkers],
        "baselines": {
            level: {name: _figures(figures) for name, figures in group.items()}
            for level, group in result.baselines.items()
        },
        "agreement": {"krippendorff_alpha": result.agreement},
        "pairings": result.pairings,
        "sweeps": result.sweeps,
        **result.model_dump(include={"notes", "resamples", "seed", "factscope", "made"}),
    }
    plain: dict[str, Any] = to_jsonable_python(values)
    return plain


def _checker(checker_figures: CheckerFigures) -> dict[str, Any]:
    return {
        "method": checker_figures.name,
        "models": checker_figures.models,
        "run": checker_figures.run,
        "levels": {level: _evaluation(result) for level, result in checker_figures.levels.items()},
        "outcomes": checker_figures.outcomes,
        "disagreements": {"n": checker_figures.n_disagreements, "shown": checker_figures.disagreements},
        "alpha": checker_figures.alpha,
        "usage": checker_figures.usage,
        "passed_on": checker_figures.passed_on and _passed_on(checker_figures.passed_on, checker_figures.ceiling),
        "notes": checker_figures.notes,
    }


def _passed_on(share: Proportion, ceiling: Figures | None) -> dict[str, Any]:
    limits = ceiling and {
        **{name: ceiling.values.get(name) for name in CEILINGS},
        "intervals": {name: ends for name, ends in _ends(ceiling.intervals).items() if name in CEILINGS},
    }
    interval = [share.interval.low, share.interval.high] if share.interval else None
    return {"n": share.k, "of": share.n, "share": share.value or 0.0, "interval": interval, "ceiling": limits}


def _ends(intervals: Mapping[str, Interval]) -> dict[str, list[float]]:
    return {name: [interval.low, interval.high] for name, interval in intervals.items()}


def _evaluation(level_figures: LevelFigures) -> dict[str, Any]:
    return {
        **_figures(level_figures.overall),
        "share_wrong": {
            "pearson": level_figures.share_pearson,
            "spearman": level_figures.share_spearman,
            "n": level_figures.n_shares,
            "intervals": _ends(level_figures.share_intervals),
        },
        "reliability": level_figures.reliability,
        **{
            part: {name: _figures(group) for name, group in getattr(level_figures, part).items()}
            for part in ("by_domain", "by_error_type", "by_position")
        },
    }


_ERROR = ("precision", "recall", "f1")


def _figures(figures: Figures) -> dict[str, Any]:
    values = figures.values
    return {
        "n": figures.n,
        "n_answered": figures.n_answered,
        "n_responses": figures.n_samples,
        "n_confident": figures.n_confident,
        "n_ordered": figures.n_ordered,
        "coverage": figures.coverage,
        "confusion": figures.confusion._asdict(),
        "error": {name: values[name] for name in _ERROR if name in values},
        **{name: value for name, value in values.items() if name not in _ERROR},
        "intervals": _ends(figures.intervals),
        "remarks": figures.remarks,
    }
