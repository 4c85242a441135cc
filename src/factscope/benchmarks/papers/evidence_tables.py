"""Facts&Evidence (2025): Tables 1 to 3 and the screens of Figures 3 and 4."""

from __future__ import annotations

from collections.abc import Iterator

from factscope.benchmarks.papers.cells import PaperCell, figure, table

PAPER = "Facts&Evidence"
_NOT_KEPT = "its replies and pages are not published: run the method facts-and-evidence on favabench for one's own"
_SAMPLED = 30  # errors that the authors looked at


def cells() -> Iterator[PaperCell]:
    """Yield all figures of the paper."""
    for name, title, label in (
        ("fe_table1_ablation", "Table 1: ablation", "configuration"),
        ("fe_table2_retrievers", "Table 2: retrievers", "retriever"),
    ):
        for row in table(name):
            for column in ("f1_col1", "f1_col2"):
                yield PaperCell(
                    paper=PAPER, table=title, row=row[label], column=column, published=figure(row[column]),
                    recomputed=None, digits=2, why=_NOT_KEPT,
                )  # fmt: skip
    for row in table("fe_table3_errors"):
        yield PaperCell(
            paper=PAPER, table="Table 3: errors", row=row["error_type"], column="%",
            published=figure(row["occurrence_pct"]),
            recomputed=100 * int(row["implied_count_of_30"]) / _SAMPLED, digits=1, why="a whole number of 30 errors",
        )  # fmt: skip
    for row in table("fe_fig3_fig4_examples"):
        yield PaperCell(
            paper=PAPER, table="Figures 3 and 4: credibility", row=row["level"], column="score",
            published=figure(row["score"]), recomputed=int(row["supported"]) / int(row["total"]), digits=2,
            why="supporting evidence / all evidence",
        )  # fmt: skip
