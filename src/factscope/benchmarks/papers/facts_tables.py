"""FACTS Grounding (Jacovi et al. 2025): Tables 2, 4, 5 and 6."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from factscope.benchmarks.facts_grounding.rank_fusion import fused_rank
from factscope.benchmarks.papers.cells import ROUNDED, PaperCell, figure, table
from factscope.scoring.detection import Confusion, read
from factscope.scoring.intervals import wald

PAPER = "FACTS Grounding"
_CHOICES = {
    "facts_table2_template_selection": "Table 2: templates of phase A",
    "facts_table4_eligibility_selection": "Table 4: templates of phase B",
}
_BOARDS = {"facts_table5_unadjusted": "Table 5: unadjusted scores", "facts_table6_final": "Table 6: final scores"}
_SOLVED = "the only whole numbers that give all six figures of the row"


def cells() -> Iterator[PaperCell]:
    """Yield all figures of the paper."""
    for name, title in _CHOICES.items():
        yield from _choice(name, title)
    for name, title in _BOARDS.items():
        yield from _board(name, title)


def _choice(name: str, title: str) -> Iterator[PaperCell]:
    """Yield the measures of each judge with each template, from the counts that give them all."""
    for row in table(name):
        found = Confusion(*(int(row[f"derived_{one}"]) for one in ("TP", "FP", "FN", "TN")))
        values = {
            "macro_f1": read("macro_f1", found),
            "accuracy": read("accuracy", found),
            "fpr": found.fp / (found.fp + found.tn),
            "fnr": found.fn / (found.fn + found.tp),
            "f1_pos": read("f1", found),
            "f1_neg": read("f1", found.turned()),
        }
        for column, value in values.items():
            yield PaperCell(
                paper=PAPER, table=title, row=f"{row['judge']}, {row['template']}", column=column,
                published=figure(row[column]), recomputed=None if value is None else 100 * value, digits=2, why=_SOLVED,
            )  # fmt: skip


def _board(name: str, title: str) -> Iterator[PaperCell]:
    """Yield half-widths, averages and ranks of a leaderboard, from its scores."""
    rows = table(name)
    models = list(dict.fromkeys(row["response_model"] for row in rows))
    six = {
        model: [float(row["score_pct"]) for row in rows if row["response_model"] == model and row["split"] != "all"]
        for model in models
    }
    standings = fused_rank(
        np.array([six[model] for model in models]),
        np.array([float(row["score_pct"]) for row in rows if row["split"] == "all"]),
    )
    for row in rows:
        where = f"{row['response_model']}, {row['split']}, {row['judge']}"
        yield PaperCell(
            paper=PAPER, table=title, row=where, column="95 % half-width", published=figure(row["ci95_halfwidth"]),
            recomputed=_half_width(float(row["score_pct"]), int(row["n"])), digits=1,
            why="Wald's interval of the printed score with n examples",
        )  # fmt: skip
    for model, standing in zip(models, standings, strict=True):
        average = next(row for row in rows if row["response_model"] == model and row["split"] == "all")
        yield PaperCell(
            paper=PAPER, table=title, row=model, column="average", published=figure(average["score_pct"]),
            recomputed=sum(six[model]) / len(six[model]), digits=1, why=f"plain mean of the six columns; {ROUNDED}",
        )  # fmt: skip
        yield PaperCell(
            paper=PAPER, table=title, row=model, column="fused rank", published=figure(average["fused_rank"]),
            recomputed=standing.rank, digits=0, why="pairwise majority over the six columns, ties by the average",
        )  # fmt: skip


def _half_width(percent: float, n: int) -> float | None:
    interval = wald(percent / 100, n)
    return None if interval is None else 50 * (interval.high - interval.low)
