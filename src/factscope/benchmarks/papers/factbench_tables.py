"""FactBench (Bayat et al. 2024): its 21 rows, composition, alpha study and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import sqrt

from factscope.benchmarks.papers.cells import PaperCell, figure, table

PAPER = "FactBench"
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
    title = "Leaderboard: 21 rows"
    for row in rows:
        where = f"{row['tier_name']}, {row['model']}"
        units, undecided, wrong = (float(row[f"avg_{one}"]) for one in ("units", "undecidable", "unsupported"))
        peers = [float(one["factual_precision_pct"]) for one in rows if one["tier"] == row["tier"]]
        rank = 1 + sum(one > float(row["factual_precision_pct"]) for one in peers)
        yield PaperCell(
            paper=PAPER, table=title, row=where, column="rank", published=figure(row["rank"]), recomputed=rank,
            digits=0, why="order of the tier by the printed precision",
        )  # fmt: skip
        yield PaperCell(
            paper=PAPER, table=title, row=where, column="factual precision",
            published=figure(row["factual_precision_pct"]), recomputed=100 * (units - undecided - wrong) / units,
            digits=2, why=_MEANS,
        )  # fmt: skip
        yield PaperCell(
            paper=PAPER, table=title, row=where, column="hallucination score",
            published=figure(row["hallucination_score"]), recomputed=(wrong + _ALPHA * undecided) / sqrt(units),
            digits=2, why=_MEANS,
        )  # fmt: skip


def _composition() -> Iterator[PaperCell]:
    rows = table("factbench_composition")
    for row in rows:
        total = sum(float(one["n_prompts"] or 0) for one in rows if one["version"] == row["version"])
        counted = row["n_prompts"] and total
        yield PaperCell(
            paper=PAPER, table="Composition", row=f"{row['version']}, {row['tier']}", column="% of prompts",
            published=figure(row["share_pct"]), recomputed=100 * float(row["n_prompts"]) / total if counted else None,
            digits=1, why="from the printed counts" if counted else "no counts are published, only shares",
        )  # fmt: skip


def _alpha_study() -> Iterator[PaperCell]:
    rows = [row for row in table("factbench_alpha_study") if not row["model"].casefold().startswith(("mean", "av"))]
    means = [row for row in table("factbench_alpha_study") if row not in rows]
    for row in rows:
        yield PaperCell(
            paper=PAPER, table="Alpha study", row=row["model"], column="% not factual",
            published=figure(row["not_factual_pct"]), recomputed=100 - float(row["factual_pct"]), digits=1,
            why="100 less the printed share that is factual",
        )  # fmt: skip
    for column in ("factual_pct", "not_factual_pct"):
        yield PaperCell(
            paper=PAPER, table="Alpha study", row="mean", column=column.replace("_", " ").replace("pct", "%"),
            published=figure(means[0][column]) if means else None,
            recomputed=sum(float(row[column]) for row in rows) / len(rows), digits=1, why="mean of the four models",
        )  # fmt: skip


def _refusals() -> Iterator[PaperCell]:
    for row in table("factbench_refusals_by_tier"):
        kinds = ("misinformation_risks", "ethical_and_legal_advice", "safety_concerns")
        yield PaperCell(
            paper=PAPER, table="Refusals", row=f"{row['model']}, {row['tier']}", column="all",
            published=figure(row["total"]), recomputed=sum(float(row[kind] or 0) for kind in kinds), digits=0,
            why="sum of the three categories",
        )  # fmt: skip
    rows = table("factbench_refusals_misclassified")
    wrong, all_ = (sum(float(row[name]) for row in rows) for name in ("misclassified", "refusals"))
    yield PaperCell(
        paper=PAPER, table="Refusals", row="Gemini1.5-Pro", column="% unjustified", published=25.0,
        recomputed=100 * wrong / all_, digits=0,
        why=f"the abstract says 25 %, its table {wrong:.0f} of {all_:.0f} refusals: 25 is the count",
    )  # fmt: skip


def _agreement() -> Iterator[PaperCell]:
    for row in table("factbench_agreement"):
        for column, digits in (("raw_agreement_pct", 1), ("cohen_kappa", 2)):
            yield PaperCell(
                paper=PAPER, table="Human agreement", row=f"{row['quantity']}, {row['n_units']} units", column=column,
                published=figure(row[column]), recomputed=None, digits=digits,
                why="the annotators' labels are not published",
            )  # fmt: skip
