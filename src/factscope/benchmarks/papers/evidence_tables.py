"""Facts&Evidence (2025): Tables 1 to 3 and the screens of Figures 3 and 4."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from factscope.benchmarks.papers.cells import PaperCell, paper_cell, table

_cell = partial(paper_cell, "Facts&Evidence")
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
                yield _cell(title, row[label], column, row[column], None, 2, _NOT_KEPT)
    for row in table("fe_table3_errors"):
        share = 100 * int(row["implied_count_of_30"]) / _SAMPLED
        note = "a whole number of 30 errors"
        yield _cell("Table 3: errors", row["error_type"], "%", row["occurrence_pct"], share, 1, note)
    for row in table("fe_fig3_fig4_examples"):
        score = int(row["supported"]) / int(row["total"])
        note = "supporting evidence / all evidence"
        yield _cell("Figures 3 and 4: credibility", row["level"], "score", row["score"], score, 2, note)
