"""The evaluation of checkers as one self-contained page: no script, no request, all outside text escaped and inert."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from factscope.benchmarks.meta_eval import evaluation_words, plots
from factscope.benchmarks.meta_eval.evaluation_document import breakdown_blocks, level_blocks, level_title
from factscope.benchmarks.meta_eval.evaluation_result import (
    CEILINGS,
    CheckerFigures,
    DisagreementCase,
    EvaluationResult,
)
from factscope.benchmarks.meta_eval.figures import Figures
from factscope.core import Level
from factscope.report.templates import Pages

_COMPARED = ("f1", "balanced_accuracy", "auroc")


def evaluation_html(result: EvaluationResult) -> str:
    """Return the page. Links go only to the http and https addresses of the evidence."""
    return _PAGES.fill("page.html", result=result)


def compared(result: EvaluationResult, level: Level) -> Markup:
    """Return every checker and baseline side by side."""
    rows = evaluation_words.rows_of(result, level)
    groups = {
        evaluation_words.TITLES[name]: [_bar(row.name, row.figures, name) for row in rows if name in row.figures.values]
        for name in _COMPARED
        if any(row.figures.values.get(name) is not None for row in rows)
    }
    return plots.bars(f"Checkers by {evaluation_words.PLURALS[level]}, with 95 % intervals", groups)


def by_domain(result: EvaluationResult, level: Level) -> Markup | None:
    """Return F1 in each domain, checker by checker; `None` without domains."""
    bars: dict[str, list[plots.Bar]] = {}
    for checker in result.checkers:
        for name, figures in checker.levels[level].by_domain.items():
            bars.setdefault(name, []).append(_bar(checker.name, figures, "f1"))
    if not bars:
        return None
    if len(result.checkers) == 1:  # the name of the only checker need not stand at each bar
        bars = {"": [bar._replace(name=name) for name, (bar,) in bars.items()]}
    return plots.bars(f"F1 by {result.domain}, with 95 % intervals", bars)


def diagrams(result: EvaluationResult, level: Level) -> Iterator[tuple[str, Markup]]:
    """Yield reliability of each checker that states probabilities."""
    for checker in result.checkers:
        bins = checker.levels[level].reliability
        if bins:
            yield checker.name, plots.reliability(f"Reliability of {checker.name}", bins)


def sweeps(result: EvaluationResult) -> Iterator[tuple[str, Markup]]:
    """Yield F1 and balanced accuracy over the values of each setting, at the finest level."""
    level = evaluation_words.levels(result)[0]
    by_name = {checker.name: checker.levels[level].overall for checker in result.checkers}
    for sweep in result.sweeps:
        series = {
            evaluation_words.TITLES[name]: [_bar(checker, by_name[checker], name) for checker in sweep.checkers]
            for name in ("f1", "balanced_accuracy")
        }
        yield sweep.setting, plots.lines(f"Figures over {sweep.setting}", sweep.setting, sweep.values, series)


def cascades(result: EvaluationResult) -> Iterator[tuple[str, Markup]]:
    """Yield the agreement over the share of units that a model was asked about.

    It also has the gain per call, and its upper limit.
    """
    level = evaluation_words.levels(result)[0]
    for name in reversed(CEILINGS):
        measured, best = [], []
        for checker in result.checkers:
            if passed_on := checker.passed_on:
                share, ends, value = passed_on.value or 0.0, passed_on.interval, checker.name.rpartition("=")[2]
                bar = _bar(value, checker.levels[level].overall, name)
                measured.append(plots.PlotPoint(share, bar, *((ends.low, ends.high) if ends else ())))
                if checker.ceiling:
                    limit = plots.Bar(f"at most, {value}", checker.ceiling.values.get(name))
                    best.append(plots.PlotPoint(share, limit))
        if len(measured) > 1:
            units = evaluation_words.PLURALS[level]
            title = f"{evaluation_words.TITLES[name]} over the share of {units} passed on to the model"
            series = [plots.Curve("measured", tuple(measured)), plots.Curve("at most", tuple(best), has_label=False)]
            yield title, plots.curve(title, "share passed on to the model", evaluation_words.TITLES[name], series)


def alpha_curve(checker: CheckerFigures) -> Markup | None:
    """Return scores of the models over alpha; `None` with fewer than two."""
    result = checker.alpha.sensitivity if checker.alpha else None
    if result is None:
        return None
    top = max((score for point in result.curve for score in point.scores.values()), default=0.0) or 1.0
    series = {
        model: [plots.Bar(model, point.scores[model]) for point in result.curve] for model in result.curve[0].scores
    }
    positions = [f"{point.alpha:g}" for point in result.curve]
    return plots.lines("Mean hallucination score over alpha", "alpha", positions, series, top)


def kinds(cases: Sequence[DisagreementCase]) -> Iterator[tuple[str, list[DisagreementCase]]]:
    """Yield disagreements by kind: errors that were missed, and false alarms."""
    titles = {True: "Wrong by people’s labels, and not flagged", False: "Right by people’s labels, and flagged"}
    for wrong, title in titles.items():
        if group := [case for case in cases if case.wrong is wrong]:
            yield title, group


def _bar(name: str, figures: Figures, measure: str) -> plots.Bar:
    interval = figures.intervals.get(measure)
    low, high = (interval.low, interval.high) if interval else (None, None)
    return plots.Bar(name, figures.values.get(measure), low, high)


_PAGES = Pages(
    "factscope.benchmarks.meta_eval",
    ["page.css", "tables.css", "meta.css"],
    (alpha_curve, breakdown_blocks, by_domain, cascades, compared, diagrams, kinds, level_blocks, level_title, sweeps),
    texts=evaluation_words,
)
