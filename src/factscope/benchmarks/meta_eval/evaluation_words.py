"""The evaluation of checkers in words and rounded numbers: the same in every rendering."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from importlib.resources import files
from typing import NamedTuple

from factscope.benchmarks.meta_eval.evaluation_result import (
    CEILINGS,
    AlphaStudy,
    CheckerFigures,
    EvaluationResult,
    Pairing,
)
from factscope.benchmarks.meta_eval.figures import Figures, LevelFigures
from factscope.core import Level, group_by, many
from factscope.report import Table, decimals, percent, table_of
from factscope.scoring.alpha import Alpha

_MEASURES: dict[str, tuple[str, str]] = tomllib.loads(files(__package__).joinpath("measures.toml").read_text("utf-8"))
"""Title and meaning of each measure, in the order in which they are shown."""
TITLES = {name: title for name, (title, _) in _MEASURES.items()}
MEANINGS = {name: meaning for name, (_, meaning) in _MEASURES.items()}

PLURALS: dict[Level, str] = {"claim": "claims", "segment": "segments", "response": "responses"}
NONE = "–"


class FigureRow(NamedTuple):
    """One checker, or a part of its figures, for a table."""

    name: str
    figures: Figures


def number(figures: Figures, measure: str) -> str:
    """Return text such as `0.421`; `–` where the measure is undefined or not there."""
    value = figures.values.get(measure)
    return NONE if value is None else decimals(value, 3)


def with_ends(figures: Figures, measure: str, digits: int = 3) -> str:
    """Return a value with its interval below it, if it has one: `0.421`, and `0.38–0.46` with two `digits`.

    Below 0 it is `-0.11 to -0.02`: a dash between signs can't be read.
    """
    value, interval = number(figures, measure), figures.intervals.get(measure)
    if interval is None or value == NONE:
        return value
    low, high = (
        decimals(0.0 if abs(end) < 0.5 * 10**-digits else end, digits) for end in (interval.low, interval.high)
    )
    return f"{value}\n{low} to {high}" if interval.low < 0 else f"{value}\n{low}–{high}"


def coverage(figures: Figures) -> str:
    """Return the share of answered units, such as `98 %`."""
    return NONE if figures.coverage is None else percent(figures.coverage)


def rows_of(result: EvaluationResult, level: Level) -> list[FigureRow]:
    """Return every checker at a level, then the baselines."""
    results = [
        FigureRow(checker.name, checker.levels[level].overall) for checker in result.checkers if level in checker.levels
    ]
    return [*results, *(FigureRow(name, figures) for name, figures in result.baselines.get(level, {}).items())]


def breakdowns(result: EvaluationResult, figures: LevelFigures) -> Iterator[tuple[str, list[FigureRow]]]:
    """Yield the figures by part, as a title and rows; missing parts are left out."""
    by = {
        f"by {result.domain or 'domain'}": figures.by_domain,
        "by kind of error": figures.by_error_type,
        "by place in the response": figures.by_position,
    }
    for title, pieces in by.items():
        if pieces:
            yield title, [FigureRow(name.replace("_", " "), figures) for name, figures in pieces.items()]


def levels(result: EvaluationResult) -> tuple[Level, ...]:
    """Return levels that have figures."""
    return tuple(dict.fromkeys(level for checker in result.checkers for level in checker.levels))


def headline(result: EvaluationResult) -> str:
    """State the result in one sentence."""
    rows = [row for level in levels(result)[:1] for row in rows_of(result, level)[: len(result.checkers)]]
    scored = [row for row in rows if row.figures.values.get("f1") is not None]
    if rows and not any(row.figures.n_answered for row in rows):
        return f"No unit of {result.dataset} was answered."
    if rows and all(row.figures.values.get("accuracy") is None for row in rows):
        return f"No figures for {result.dataset}: less than half of its {PLURALS[levels(result)[0]]} were answered."
    if not scored:
        return f"No error could be found or missed in {result.dataset}."
    name, figures = max(scored, key=lambda row: row.figures.values["f1"] or 0.0)
    found = f"{figures.tp:,} of {figures.tp + figures.fn:,} wrong {PLURALS[levels(result)[0]]}"
    precision = figures.values.get("precision")
    flags = "it flags nothing" if precision is None else f"of those that it flags, {percent(precision)} are wrong"
    piece = f"; it answers {coverage(figures)} of all" if figures.n_answered < figures.n else ""
    return f"The checker {name} finds {found}; {flags}{piece}."


def setting(result: EvaluationResult) -> str:
    """Describe the evaluation in one line."""
    units = "labelled units as given, the same for all" if result.units == "given" else "each checker cuts by itself"
    rule = "whatever is not supported" if result.rule == "unsupported" else "only what is contradicted"
    intervals = "; 95 % bootstrap intervals over responses" if result.resamples else ""
    return f"{units}; flagged is {rule}; an error is the positive class{intervals}"


def left_out(result: EvaluationResult) -> list[str]:
    """List the units that are in none of the figures, and why."""
    labels = []
    if result.n_without_text:
        labels.append(f"{many(result.n_without_text, 'sample')} without a text to check")
    if result.n_unlabelled:
        labels.append(f"{many(result.n_unlabelled, 'unit')} labelled neither right nor wrong")
    return labels


def remarks(name: str, figures: Figures, measures: Collection[str] = tuple(TITLES)) -> list[str]:
    """List the reasons for measures without a value or with one of only some answers, each once."""
    remarked = [measure for measure in figures.remarks if measure in measures]
    by_reason = group_by(remarked, figures.remarks.__getitem__)
    return [
        f"{name}: {', '.join(TITLES[measure] for measure in group)}: {reason}" for reason, group in by_reason.items()
    ]


def undefined(parts: Iterable[Figures], measures: Collection[str]) -> Iterator[str]:
    """Yield why some of the measures of some parts have no value."""
    named = ((figures, name) for figures in parts for name in measures if figures.values.get(name) is None)
    if reasons := dict.fromkeys(figures.remarks[name] for figures, name in named if name in figures.remarks):
        yield f"{NONE}: {'; '.join(reasons)}"


_FINDINGS = {
    "differs": "differs",
    "no_difference": "not beyond chance",
    "too_few": "too few responses to tell",
    "too_few_draws": "too few draws to tell: raise --resamples",
}


def pairing_title(pairing: Pairing) -> str:
    """State the direction of the differences, and the number of units that both answered."""
    return f"{pairing.second} less {pairing.first}, on {many(pairing.contrasts[0].n, pairing.level)}"


def pairing_table(pairing: Pairing) -> Table:
    """Return a row for each measure that both have."""
    rows = []
    for contrast in pairing.contrasts:
        if contrast.value is not None:
            ends = contrast.interval
            interval = f"\n{_signed(ends.low)} to {_signed(ends.high)}" if ends else ""
            p = pairing.p_adjusted.get(contrast.measure)
            text = NONE if p is None else ("< 0.001" if p < 0.001 else decimals(p, 3))
            finding = _FINDINGS[pairing.findings[contrast.measure]]
            rows.append((TITLES[contrast.measure], f"{_signed(contrast.value)}{interval}", text, finding))
    return table_of(("measure", "difference", "p, corrected", "finding"), rows, align="lrrl")


def share_line(name: str, figures: LevelFigures) -> str | None:
    """State how a checker's share of wrong units correlates with that of the labels; `None` where one is constant."""
    labels = []
    for kind, value in (("Pearson", figures.share_pearson), ("Spearman", figures.share_spearman)):
        if value is not None:
            item = figures.share_intervals.get(kind.lower())
            span = f" ({decimals(item.low, 2)} to {decimals(item.high, 2)})" if item else ""
            labels.append(f"{kind} {decimals(value, 2)}{span}")
    if not labels:
        return None
    return f"{name}: share of wrong units with people’s, over {many(figures.n_shares, 'response')}: {', '.join(labels)}"


CEILING = "at most: with a model that judges every claim passed on as people did; a better model can't bring more"


def cascade_table(result: EvaluationResult) -> Table | None:
    """Return the escalations of each cascade and their accuracy; `None` without one."""
    rows = []
    for checker in result.checkers:
        if passed_on := checker.passed_on:
            figures, interval = checker.levels[levels(result)[0]].overall, passed_on.interval
            span = f"\n{percent(interval.low)}–{percent(interval.high)}" if interval else ""
            cells = [f"{passed_on.k:,} of {passed_on.n:,}, {percent(passed_on.value or 0.0)}{span}"]
            for name in CEILINGS:
                cells += [number(figures, name), number(checker.ceiling, name) if checker.ceiling else NONE]
            rows.append((checker.name, *cells))
    heads = ("cascade", "passed on", "accuracy", "at most", "balanced accuracy", "at most")
    return table_of(heads, rows) if rows else None


def alpha_lines(checker: CheckerFigures) -> list[str]:
    """State the estimates of alpha from undecided units, a line for each group."""
    study = checker.alpha
    if study is None:
        return []
    text = [_alpha_line("all", study.common)]
    for tag, estimates in study.groups.items():
        text += [_alpha_line(f"{tag} {estimate.group}", estimate) for estimate in estimates]
    if study.unsearched:
        text.append(f"left out: {many(study.unsearched, 'unit')} of responses to which there was no evidence at all")
    if curve := study.sensitivity:
        between = f"from {decimals(curve.stable_from, 2)} to {decimals(curve.stable_to, 2)}"
        text.append(f"models keep their ranks at {curve.reference:g} for alpha {between}")
    return text


_MOST_MODELS = 6  # models named in a line


def alpha_table(study: AlphaStudy) -> Table:
    """Return the effect of each alpha.

    Its columns are the correlation over responses of the errors weighted by alpha with people's, and the ranks of the
    models, with the similarity of that order to the one at the reference.
    """
    heads = ("alpha", "Pearson", "Spearman", "Kendall’s tau", "models by mean score")
    curve = {point.alpha: point for point in study.sensitivity.curve} if study.sensitivity else {}
    rows = []
    for alpha, *fits in study.fit:
        point = curve.get(alpha)
        scores = sorted(point.scores.items(), key=lambda item: item[1]) if point else []
        ranked = ", ".join(f"{model} {decimals(score, 3)}" for model, score in scores[:_MOST_MODELS])
        text = (NONE if value is None else _signed(value) for value in (*fits, point.tau if point else None))
        rows.append((f"{alpha:g}", *text, ranked + (", …" if len(scores) > _MOST_MODELS else "")))
    return table_of(heads, rows, align="rrrrl")


def _alpha_line(name: str, alpha: Alpha) -> str:
    interval = f" ({decimals(alpha.interval.low, 2)}–{decimals(alpha.interval.high, 2)})" if alpha.interval else ""
    individual = "" if alpha.raw is None or alpha.group is None else f", {decimals(alpha.raw, 2)} by itself"
    return f"{name}: {decimals(alpha.value, 2)}{interval} from {many(alpha.n, 'undecided unit')}{individual}"


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else '−' if value < 0 else '±'}{decimals(abs(value), 3)}"


def front_lines(result: EvaluationResult) -> Iterator[str]:
    """Yield the checkers that are not beaten in cost and quality, if the cost of at least two is known."""
    for level in levels(result)[:1]:
        costs = {one.name: _cost(one) for one in result.checkers if not one.members}
        points = {
            one.name: (
                _sum(costs.get(name) for name in one.members or (one.name,)),
                one.levels[level].overall.values.get("f1"),
            )
            for one in result.checkers
        }
        if sum(cost is not None for cost, _ in points.values()) > 1:
            shown = (f"{name} (F1 {points[name][1] or 0:.2f}, ${points[name][0] or 0:.4f})" for name in front(points))
            yield f"Front of quality and cost, the cheapest first: {'; '.join(shown)}."


def _cost(one: CheckerFigures) -> float | None:
    """Return the dollars that a checker cost, 0 without a model call.

    `None` when the price of a call is unknown.
    """
    if not one.usage and one.run is None:
        return None
    return _sum(row.cost for row in one.usage if row.calls or row.cached_calls)


def _sum(costs: Iterable[float | None]) -> float | None:
    """Add costs up; `None` when one is unknown."""
    addends = list(costs)
    return None if None in addends else sum(cost or 0.0 for cost in addends)


def front(points: Mapping[str, tuple[float | None, float | None]]) -> tuple[str, ...]:
    """Select the Pareto front, cheapest first: those that none beats in cost or quality without losing in the other."""
    known = {name: (cost, good) for name, (cost, good) in points.items() if cost is not None and good is not None}
    found: list[str] = []
    best = float("-inf")
    for name, (_, good) in sorted(known.items(), key=lambda item: (item[1][0], -item[1][1], item[0])):
        if good > best:
            found.append(name)
            best = good
    return tuple(found)
