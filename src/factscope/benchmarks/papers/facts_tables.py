"""FACTS Grounding (Jacovi et al. 2025): Tables 2, 4, 5 and 6."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from factscope.benchmarks.facts_grounding import fused_rank, metrics
from factscope.benchmarks.papers.cells import ROUNDED, PaperCell, paper_cell, percent, table
from factscope.scoring import Confusion, wald

_cell = partial(paper_cell, "FACTS Grounding")
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
        values = metrics(Confusion(*(int(row[f"derived_{cell}"]) for cell in ("TP", "FP", "FN", "TN"))))
        for column in ("macro_f1", "accuracy", "fpr", "fnr", "f1_pos", "f1_neg"):
            where = f"{row['judge']}, {row['template']}"
            yield _cell(title, where, column, row[column], percent(values[column]), 2, _SOLVED)


def _board(name: str, title: str) -> Iterator[PaperCell]:
    """Yield half-widths, averages and ranks of a leaderboard, from its scores."""
    rows = table(name)
    averages = [row for row in rows if row["split"] == "all"]
    models = [row["response_model"] for row in averages]
    six = {
        model: [float(row["score_pct"]) for row in rows if row["response_model"] == model and row["split"] != "all"]
        for model in models
    }
    standings = fused_rank(np.array(list(six.values())), np.array([float(row["score_pct"]) for row in averages]))
    for row in rows:
        where = f"{row['response_model']}, {row['split']}, {row['judge']}"
        half = _half_width(float(row["score_pct"]), int(row["n"]))
        note = "Wald's interval of the printed score with n examples"
        yield _cell(title, where, "95 % half-width", row["ci95_halfwidth"], half, 1, note)
    for (model, scores), row, standing in zip(six.items(), averages, standings, strict=True):
        mean = sum(scores) / len(scores)
        note = f"plain mean of the six columns; {ROUNDED}"
        yield _cell(title, model, "average", row["score_pct"], mean, 1, note)
        note = "pairwise majority over the six columns, ties by the average"
        yield _cell(title, model, "fused rank", row["fused_rank"], standing.rank, 0, note)


def _half_width(percents: float, n: int) -> float | None:
    interval = wald(percents / 100, n)
    return None if interval is None else 50 * (interval.high - interval.low)
