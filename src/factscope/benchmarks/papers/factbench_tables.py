"""FactBench (Bayat et al. 2024): the leaderboard with its 21 rows, composition, alpha study and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain
from math import sqrt

from factscope.benchmarks.papers.cells import PaperCell, paper_cell, table

_cell = partial(paper_cell, "FactBench")
_MEANS = (
    "from the printed mean counts: a ratio of means, where the paper has the mean of each response's ratio, whose"
    " counts are not published"
)
_ALPHA = 0.5


def cells() -> Iterator[PaperCell]:
    """Return all figures of the paper."""
    return chain(_leaderboard(), _composition(), _alpha_study(), _refusals(), _agreement())


def _leaderboard() -> Iterator[PaperCell]:
    rows = table("factbench_leaderboard")
    for row in rows:
        units, undecided, wrong = (float(row[f"avg_{name}"]) for name in ("units", "undecidable", "unsupported"))
        peers = [float(peer["factual_precision_pct"]) for peer in rows if peer["tier"] == row["tier"]]
        rank = 1 + sum(peer > float(row["factual_precision_pct"]) for peer in peers)
        precision, hallucination = 100 * (units - undecided - wrong) / units, (wrong + _ALPHA * undecided) / sqrt(units)
        for column, printed, recomputed, digits, note in (
            ("rank", row["rank"], rank, 0, "order of the tier by the printed precision"),
            ("factual precision", row["factual_precision_pct"], precision, 2, _MEANS),
            ("hallucination score", row["hallucination_score"], hallucination, 2, _MEANS),
        ):
            where = f"{row['tier_name']}, {row['model']}"
            yield _cell("Leaderboard: 21 rows", where, column, printed, recomputed, digits, note)


def _composition() -> Iterator[PaperCell]:
    rows = table("factbench_composition")
    for row in rows:
        total = sum(float(peer["n_prompts"] or 0) for peer in rows if peer["version"] == row["version"])
        counted = row["n_prompts"] and total
        share = 100 * float(row["n_prompts"]) / total if counted else None
        note = "from the printed counts" if counted else "no counts are published, only shares"
        where = f"{row['version']}, {row['tier']}"
        yield _cell("Composition", where, "% of prompts", row["share_pct"], share, 1, note)


def _alpha_study() -> Iterator[PaperCell]:
    title, every = "Alpha study", table("factbench_alpha_study")
    rows = [row for row in every if not row["model"].casefold().startswith(("mean", "av"))]
    printed = next((row for row in every if row not in rows), {})
    for row in rows:
        wrong, note = 100 - float(row["factual_pct"]), "100 less the printed share that is factual"
        yield _cell(title, row["model"], "% not factual", row["not_factual_pct"], wrong, 1, note)
    for name in ("factual_pct", "not_factual_pct"):
        mean, column = sum(float(row[name]) for row in rows) / len(rows), name.replace("_", " ").replace("pct", "%")
        yield _cell(title, "mean", column, printed.get(name), mean, 1, "mean of the four models")


def _refusals() -> Iterator[PaperCell]:
    for row in table("factbench_refusals_by_tier"):
        kinds = ("misinformation_risks", "ethical_and_legal_advice", "safety_concerns")
        total, note = sum(float(row[kind] or 0) for kind in kinds), "sum of the three categories"
        yield _cell("Refusals", f"{row['model']}, {row['tier']}", "all", row["total"], total, 0, note)
    rows = table("factbench_refusals_misclassified")
    wrong, all_ = (sum(float(row[name]) for row in rows) for name in ("misclassified", "refusals"))
    note = f"the abstract says 25 %, its table {wrong:.0f} of {all_:.0f} refusals: 25 is the count"
    yield _cell("Refusals", "Gemini1.5-Pro", "% unjustified", "25", 100 * wrong / all_, 0, note)


def _agreement() -> Iterator[PaperCell]:
    for row in table("factbench_agreement"):
        where, note = f"{row['quantity']}, {row['n_units']} units", "the annotators' labels are not published"
        for column, digits in (("raw_agreement_pct", 1), ("cohen_kappa", 2)):
            yield _cell("Human agreement", where, column, row[column], None, digits, note)
