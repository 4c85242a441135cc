"""Prompts selected with one evaluator and reported with another: how much a benchmark depends on its evaluator.

FactBench selects prompts by the hallucination score of its own evaluator, and reports models by the same one. Errors of
that evaluator then look like difficulty: some prompts are hard for it, not for the models. Here prompts are selected by
the scores of one evaluator, and the models are ranked on them by both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from factscope.benchmarks.factbench.factbench_run import MergedFactBench
from factscope.benchmarks.factbench.tiers import ResponseEntry, hardest_prompts, plain_scores
from factscope.benchmarks.figure_lines import FigureLine, lines_of, result_of
from factscope.core import InputError, Record, many, related
from factscope.report.document import NONE, Block, Result, Title, ends_cell, notes, number_cell, percent_cell, table_of
from factscope.scoring import Mean, kendall_tau, mean, ranked

_FEWEST = 2
"""Fewest models that can be ranked."""


class DisjointRow(Record):
    """One model on the selected prompts of a tier."""

    model: str
    selecting: Mean
    """Factual precision by the evaluator that selected the prompts."""
    reporting: Mean
    """The same by the other one."""
    selecting_rank: int
    reporting_rank: int
    change: int | None
    """Ranks gained with the reporting evaluator; negative if lost, `None` without both scores."""


class Harder(Record):
    """Mean hallucination scores of all prompts and of the selected ones, by one evaluator."""

    all: float | None
    selected: float | None


class DisjointTier(Record):
    """One tier."""

    name: str
    n: int
    """Number of prompts with scores by both evaluators."""
    selected: int
    rows: tuple[DisjointRow, ...]
    """In the order of the reporting evaluator."""
    tau: float | None
    """Kendall's tau-b of the two orders of the models with both scores; `None` where one of them has no order."""
    by_selecting: Harder
    by_reporting: Harder
    """Remaining difference by the evaluator that did not select; the rest is due to errors of the one that did."""


class Disjoint(Record):
    """The comparison, tier by tier."""

    selecting: str
    """The evaluator that selects: its method and models."""
    reporting: str
    keep: float
    """Share of the prompts of a tier that is selected."""
    alpha: float
    """Weight of an undecided unit in the hallucination scores: that of the selecting result."""
    same_family: tuple[str, ...]
    """Models of the reporting evaluator that are models of the other one, or of their families."""
    tiers: tuple[DisjointTier, ...]


def disjoint(
    selecting: MergedFactBench, reporting: MergedFactBench, keep: float, *, resamples: int, seed: int = 0
) -> Disjoint:
    """Select the prompts that have the highest mean hallucination score by one result, and rank the models by both.

    Both are scored with the alpha of the result that selects, so that their scores can be compared.

    Raises InputError for results on other prompts, by one evaluator, or with fewer than two models in common.
    """
    if selecting.first.prompts.sha256 != reporting.first.prompts.sha256:
        raise InputError("The two results are on other prompts.", "Evaluate the same --data with both.")
    names = tuple(_name(result) for result in (selecting, reporting))
    if names[0] == names[1]:
        raise InputError(
            f"Both results are by the same evaluator, {names[0]}.", "Report with another --method or --judge."
        )
    models = [model for model in selecting.by_model if model in reporting.by_model]
    if len(models) < _FEWEST:
        raise InputError("The two results have fewer than two models in common.", "Ranks take two at least.")
    sampling = {"resamples": resamples, "seed": seed}
    alpha = selecting.first.settings.alpha
    tiers = tuple(
        _tier(name, _of(selecting, name, models), _of(reporting, name, models), models, keep, alpha, sampling)
        for name in selecting.first.prompts.tiers
    )
    return Disjoint(
        selecting=names[0],
        reporting=names[1],
        keep=keep,
        alpha=alpha,
        same_family=tuple(_of_same_family(selecting, reporting)),
        tiers=tuple(tier for tier in tiers if tier.selected),
    )


def _name(result: MergedFactBench) -> str:
    models = ", ".join(dict.fromkeys(result.first.models.values())) or "no model"
    return f"{result.first.method.get('name')} with {models}"


def _of_same_family(selecting: MergedFactBench, reporting: MergedFactBench) -> list[str]:
    others = selecting.first.models.values()
    models = dict.fromkeys(reporting.first.models.values())
    return [model for model in models if any(related(model, other) for other in others)]


def _of(result: MergedFactBench, tier: str, models: Sequence[str]) -> list[ResponseEntry]:
    least = result.first.settings.least_coverage
    in_tier = (entry for entry in result.entries if entry.tier == tier and entry.model in models)
    return [entry for entry in in_tier if entry.n and entry.coverage >= least]


def _tier(
    name: str,
    selecting: Sequence[ResponseEntry],
    reporting: Sequence[ResponseEntry],
    models: Sequence[str],
    keep: float,
    alpha: float,
    sampling: Mapping[str, int],
) -> DisjointTier:
    both = {entry.id for entry in selecting} & {entry.id for entry in reporting}
    n_selected = ceil(round(keep * len(both), 9))  # .07 of 100 is 7.000000000000001
    selected_ids = hardest_prompts((entry for entry in selecting if entry.id in both), alpha, n_selected)
    precision = [_precision(entries, selected_ids, models, sampling) for entries in (selecting, reporting)]
    orders = [ranked({model: score.value for model, score in by_model.items()}) for by_model in precision]
    scored = [model for model in models if all(by_model[model].value is not None for by_model in precision)]
    rows = [
        DisjointRow(
            model=model,
            selecting=precision[0][model],
            reporting=precision[1][model],
            selecting_rank=orders[0][model],
            reporting_rank=orders[1][model],
            change=orders[0][model] - orders[1][model] if model in scored else None,
        )
        for model in models
    ]
    return DisjointTier(
        name=name,
        n=len(both),
        selected=len(selected_ids),
        rows=tuple(sorted(rows, key=lambda row: row.reporting_rank)),
        tau=kendall_tau(*([-order[model] for model in scored] for order in orders)),
        by_selecting=_harder(selecting, both, selected_ids, alpha),
        by_reporting=_harder(reporting, both, selected_ids, alpha),
    )


def _precision(
    entries: Sequence[ResponseEntry], selected_ids: set[str], models: Sequence[str], sampling: Mapping[str, int]
) -> dict[str, Mean]:
    return {
        model: mean(
            (entry.precision for entry in entries if entry.model == model and entry.id in selected_ids),
            most=1,
            **sampling,
        )
        for model in models
    }


def _harder(entries: Sequence[ResponseEntry], both: set[str], selected_ids: set[str], alpha: float) -> Harder:
    every, selected = ([entry for entry in entries if entry.id in ids] for ids in (both, selected_ids))
    return Harder(all=plain_scores(every, alpha)[1], selected=plain_scores(selected, alpha)[1])


def disjoint_result(comparison: Disjoint) -> Result:
    """Return the comparison for any writer."""
    title = "Prompts selected by one evaluator, models reported by another"
    return result_of(title, comparison, _document, _figure_lines)


def _document(comparison: Disjoint) -> Iterator[Block]:
    for tier in comparison.tiers:
        yield Title(f"{tier.name}: {tier.selected:,} of {many(tier.n, 'prompt')} selected")
        yield table_of(("model", "reporting", "selecting", "rank\nchange"), map(_cells, tier.rows))
        yield from notes(_tier_notes(tier))
    yield from notes(_notes(comparison))


def _figure_lines(comparison: Disjoint) -> Iterator[FigureLine]:
    for tier in comparison.tiers:
        for row in tier.rows:
            figures: dict[str, Mean | int | None] = {}
            for by in ("reporting", "selecting"):
                precision, rank = getattr(row, by), getattr(row, f"{by}_rank")
                figures |= {by: precision, f"{by}_rank": None if precision.value is None else rank}
            yield from lines_of(tier.name, row.model, {**figures, "rank_change": row.change})
        yield FigureLine(tier.name, "", "kendall_tau", tier.tau)


def _cells(row: DisjointRow) -> tuple[str, ...]:
    places = _place(row.reporting_rank, row.reporting), _place(row.selecting_rank, row.selecting)
    return row.model, *places, NONE if row.change is None else f"{row.change:+d}" if row.change else "0"


def _place(rank: int, precision: Mean) -> str:
    if precision.value is None:
        return NONE
    between = f"\n{ends_cell(precision.interval)}" if precision.interval else ""
    return f"{rank}: {percent_cell(precision.value)}{between}"


def _tier_notes(tier: DisjointTier) -> Iterator[str]:
    changes = [row.change for row in tier.rows if row.change is not None]
    moved = sum(change != 0 for change in changes)
    yield (
        f"{moved} of {many(len(changes), 'model changes its', 'models change their')} rank; Kendall's tau"
        f" of the two orders is {number_cell(tier.tau)}."
    )
    selecting, reporting = _harder_scores(tier.by_selecting), _harder_scores(tier.by_reporting)
    yield (
        f"Hallucination score of selected prompts, of all: selecting {selecting}, reporting {reporting}."
        " What the second does not see of the difference is what the first gets wrong."
    )


def _harder_scores(harder: Harder) -> str:
    return f"{number_cell(harder.selected)}, {number_cell(harder.all)}"


def _notes(comparison: Disjoint) -> Iterator[str]:
    yield f"Selected by {comparison.selecting}; reported by {comparison.reporting}."
    yield "Each column: rank, factual precision in percent, and below it the 95 % interval."
    yield f"Hallucination scores of both have the alpha of the result that selects, {comparison.alpha:g}."
    if comparison.same_family:
        names = ", ".join(comparison.same_family)
        yield f"Not wholly disjoint: {names} reports, and is a model or of a family that also selects."
