"""The tables of FactBench, one for each tier, and their notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from factscope.benchmarks import FigureLine, MeasuredFigure, lines_of, tie_notes
from factscope.benchmarks.factbench.factbench_run import FactBenchOutcome
from factscope.benchmarks.factbench.labellers import Backbones
from factscope.benchmarks.factbench.refusals import RULE
from factscope.benchmarks.factbench.tiers import Tier, TierRow, TierTable
from factscope.benchmarks.rules.rule_accuracy import refusal_accuracy
from factscope.core import many
from factscope.report.document import NONE, Block, Title, notes, number_cell, table_of
from factscope.scoring.alpha import FEWEST
from factscope.scoring.means import Mean


def document(summary: TierTable, outcome: FactBenchOutcome, backbones: Backbones | None) -> Iterator[Block]:
    """Yield the table of each tier with its notes, then the notes on all of them."""
    for tier in summary.tiers:
        yield Title(f"{tier.name}, {many(tier.n_prompts, 'prompt')}")
        rows = ([write(row, tier.n_prompts) for write in _COLUMNS.values()] for row in tier.rows)
        yield table_of(_COLUMNS, rows, names=2)
        yield from notes(_notes(tier, summary.alpha))
    yield from notes((*_common(summary, outcome), *(_labellers(backbones) if backbones else ())))


def figure_lines(summary: TierTable) -> Iterator[FigureLine]:
    """Yield every figure of each row with its interval, and the number of responses that it counts."""
    for tier in summary.tiers:
        for row in tier.rows:
            scores: dict[str, MeasuredFigure] = {
                "factual_precision": row.precision,
                "hallucination": row.hallucination,
                "without_refusals": row.without_refusals,
                "refusals_as_zero": row.refusals_as_zero,
                "refused": row.refusals.rate,
            }
            means = {"words": row.words, "units": row.units, "undecided": row.undecided}
            counts = {"without_units": row.n_without_units, "empty": row.n_no_answer, "missing": row.n_missing}
            lines = partial(lines_of, tier.name, row.model)
            yield from lines({"rank": None if row.precision.value is None else row.rank})
            yield from lines({"coverage": row.coverage}, n=tier.n_prompts)
            yield from lines(scores)
            yield from lines({**means, "contradicted": row.contradicted}, n=row.precision.n)
            yield from lines({**counts, "failed_units": row.n_failed_units}, n=tier.n_prompts)


def _rank(row: TierRow) -> str:
    span = f"\n{row.best}–{row.worst}" if row.best != row.worst else ""
    return NONE if row.precision.value is None else f"{'=' if row.tied else ''}{row.rank}{span}"


def _refused(row: TierRow) -> str:
    rate = row.refusals.rate
    return f"{rate.k:,}" + (f"\n{100 * rate.value:.1f} %" if rate.value else "")


def _of(mean: Mean, times: float) -> str:
    ends = mean.interval
    between = f"\n{times * ends.low:.2f}–{times * ends.high:.2f}" if ends else ""
    return f"{number_cell(mean.value, 2, times)}{between}"


_COLUMNS: dict[str, Callable[[TierRow, int], str]] = {
    "rank": lambda row, n_prompts: _rank(row),
    "model": lambda row, n_prompts: row.model,
    "factual\nprecision": lambda row, n_prompts: _of(row.precision, 100),
    "hallucination\nscore": lambda row, n_prompts: _of(row.hallucination, 1),
    "n": lambda row, n_prompts: f"{row.precision.n:,}" + (f"\nof {n_prompts:,}" if row.precision.n < n_prompts else ""),
    "words": lambda row, n_prompts: number_cell(row.words, 0),
    "units": lambda row, n_prompts: number_cell(row.units),
    "undecidable": lambda row, n_prompts: number_cell(row.undecided),
    "unsupported": lambda row, n_prompts: number_cell(row.contradicted),
    "refusals\nas 0": lambda row, n_prompts: number_cell(row.refusals_as_zero.value, 2, 100),
    "refused": lambda row, n_prompts: _refused(row),
}
"""Columns of a tier's table: the cell of a row, given the number of prompts."""


def _notes(tier: Tier, alpha: float) -> Iterator[str]:
    yield from tie_notes((row.model for row in _scored(tier)), tier.compared, "prompts")
    for row in tier.rows:
        counts = {"with nothing to verify": row.n_without_units, "empty": row.n_no_answer, "missing": row.n_missing}
        if any(counts.values()):
            counts_text = ", ".join(f"{n:,} {word}" for word, n in counts.items() if n)
            yield f"{row.model}: of {many(tier.n_prompts, 'response')}, {counts_text}: not part of the means."
        if row.n_failed_units:
            yield f"{row.model}: units that could not be judged, and count for nothing: {row.n_failed_units:,}."
        if row.n_repeated_units:
            repeated = many(row.n_repeated_units, "unit that repeats another is", "units that repeat others are")
            yield f"{row.model}: {repeated} not counted again."
        wrongly = row.refusals.unjustified
        if wrongly.value is not None:
            mix = ", ".join(f"{word} {n:,}" for word, n in row.refusals.by_category.items())
            yield (
                f"{row.model}: {wrongly.k:,} of {many(wrongly.n, 'refusal is', 'refusals are')} not justified ({mix})."
            )
    yield from _alpha(tier, alpha)


def _scored(tier: Tier) -> list[TierRow]:
    return [row for row in tier.rows if row.precision.value is not None]


def _alpha(tier: Tier, alpha: float) -> Iterator[str]:
    if tier.sensitivity and len(_scored(tier)) > 1:
        low, high = tier.sensitivity.stable_from, tier.sensitivity.stable_to
        taus = [point.tau for point in tier.sensitivity.curve if point.tau is not None]
        least = f"; Kendall's tau with it is {min(taus):.2f} at least" if taus else ""
        yield f"By hallucination score the order at alpha {alpha:g} holds from {low:.2f} to {high:.2f}{least}."
    for row in tier.rows:
        if row.alpha is not None and row.hallucination_own_alpha and row.hallucination_own_alpha.value is not None:
            score, own_score = row.hallucination_own_alpha.value, row.alpha
            within = f"{own_score.interval.low:.2f} to {own_score.interval.high:.2f}, " if own_score.interval else ""
            labels = f"({within}{many(own_score.n, 'label')})"
            yield f"{row.model}: hallucination score {score:.2f} with its own alpha of {own_score.value:.2f} {labels}."


def _common(summary: TierTable, outcome: FactBenchOutcome) -> Iterator[str]:
    yield (
        "Means over the n responses with units to verify, each weighing the same; below them the 95 % interval"
        " (Bayesian bootstrap over them). Factual precision: in percent. Hallucination score:"
        f" (unsupported + {summary.alpha:g} × undecidable) / √units; low is good."
    )
    yield "Rank: by factual precision within the tier; below it the ranks that paired tests at 5 % leave open."
    if outcome.typed_by == RULE:
        yield (
            "Refusals: by a small rule for English, which can't say whether they are justified; a model can:"
            f" --judge refusal=provider/model. {refusal_accuracy().sentence()}"
        )
    else:
        yield f"Refusals: typed by {outcome.typed_by}."
    for estimate in summary.alpha_by_model:
        if estimate.group is not None and 0 < estimate.n < FEWEST:
            yield (
                f"{estimate.group}: {many(estimate.n, 'label is', 'labels are')} too few for an alpha of"
                f" its own ({FEWEST} at least)."
            )
    for model, related in outcome.same_family.items():
        yield f"{model} is checked by {', '.join(related)}, of its own family, which may favour it."
    if outcome.n_untyped:
        yield f"Of {many(outcome.n_untyped, 'response')} it is not known whether they refuse: the call failed."


def _labellers(backbones: Backbones) -> Iterator[str]:
    agreement = backbones.agreement
    for pair in agreement.pairs:
        within = pair.kappa_interval
        kappa = number_cell(pair.kappa) + (f" ({within.low:.2f} to {within.high:.2f})" if within else "")
        raw = NONE if pair.raw is None else f"{100 * pair.raw:.1f} %"
        yield f"{pair.first} and {pair.second} agree on {raw} of {many(pair.n, 'unit')}, kappa {kappa}."
    split = agreement.disagreements
    yield (
        f"All labellers: Krippendorff's alpha {number_cell(agreement.alpha)}. They disagree on {split.k:,} of"
        f" {many(split.n, 'unit')}, of which {agreement.settled.k:,} are settled all the same."
    )
    for name, tiers in backbones.tau.items():
        taus = ", ".join(f"{tier} {number_cell(tau)}" for tier, tau in tiers.items())
        yield f"Order by {name} alone, Kendall's tau with the table: {taus}."
