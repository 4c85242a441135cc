"""FELM (Chen et al. 2023): Tables 2, 4, 10 and 12, and Figures 3 and 4 as far as the data say them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain

from factscope.benchmarks.papers.cells import PaperCell, figure, paper_cell, percent, table
from factscope.scoring.detection import Confusion, read

_cell = partial(paper_cell, "FELM")
_DOMAINS = ("All", "WK", "Reasoning", "Math", "Science", "W/R")
_COUNTED = "counted in the released file, which has 4,426 segments where the paper has 4,425"
_SOLVED = {
    "exact": "the only whole numbers that give precision and recall",
    "several": "one of several sets of whole numbers that give precision and recall",
    "ba_mismatch": "whole numbers from precision and recall; Table 10 says otherwise than Table 4",
}
_NONE = "no whole numbers give the printed precision and recall"
_METHODS = {"reference-link": "Link", "reference-doc": "Doc", "vanilla": "Vanilla", "cot": "Cot"}
ERROR_TYPES: Mapping[str, tuple[int, int, int, int]] = {
    "world knowledge": (121, 10, 8, 8),
    "science": (92, 8, 0, 2),
    "writing and recommendation": (141, 84, 21, 0),
}
"""Wrong segments by type in the released file: knowledge, irrelevant, fooled, reasoning. In mathematics and reasoning
all 271 are errors of reasoning, by the paper, and have no type in the file."""
_TYPES = ("knowledge", "irrelevant", "fooled", "reasoning")


def cells() -> Iterator[PaperCell]:
    """Return all figures of the paper."""
    return chain(_statistics(), _results(), _consistency(), _figures())


def _statistics() -> Iterator[PaperCell]:
    counted = {row["statistic"]: row for row in table("felm_derived_statistics")}
    for row in table("felm_table2_statistics"):
        name = row["statistic"]
        for domain in _DOMAINS:
            recomputed: float | None = None
            note = "needs the annotators' labels one by one, or the texts: benchmarks describe felm --data FILE"
            if name in counted:
                recomputed, note = figure(counted[name][domain]), _COUNTED
            elif name == "response_error_rate_pct":
                wrong, all_ = (float(counted[statistic][domain]) for statistic in ("responses_with_error", "samples"))
                recomputed, note = 100 * wrong / all_, "responses with a wrong segment / responses, counted in the file"
            digits = 1 if "." in row[domain] else 0
            yield _cell("Table 2: statistics", name, domain, row[domain], recomputed, digits, note)


def _results() -> Iterator[PaperCell]:
    """Yield the cells of Tables 4 and 10, from the counts behind them, which are more or less sure."""
    confusions: dict[tuple[str, ...], tuple[Confusion | None, str]] = {
        (row["model"], row["unit"], row["method"], row["level"], row["domain"]): (
            Confusion(*(int(row[name]) for name in Confusion._fields)),
            row["status"],
        )
        for row in table("felm_confusions")
    }
    for name, title, measures in (
        ("felm_table4_results", "Table 4: detection", ("f1", "precision", "recall")),
        ("felm_table10_balanced_accuracy", "Table 10: balanced accuracy", ("balanced_accuracy",)),
    ):
        for row in table(name):
            confusion, status = confusions.get(_key(row), (None, ""))
            where = ", ".join(row[part] for part in ("model", "domain", "unit", "method", "level"))
            for measure in measures:
                value = percent(read(measure, confusion)) if confusion else None
                column = measure.replace("_", " ")
                yield _cell(title, where, column, row[measure], value, 1, _SOLVED.get(status, _NONE))


def _key(row: Mapping[str, str]) -> tuple[str, ...]:
    level = {"segment": "seg", "response": "resp"}[row["level"]]
    return row["model"], row["unit"].capitalize(), _METHODS[row["method"]], level, row["domain"]


def _consistency() -> Iterator[PaperCell]:
    for row in table("felm_table12_self_consistency"):
        precision, recall = figure(row["precision"]), figure(row["recall"])
        value = None
        if precision is not None and recall is not None and precision + recall:
            value = 2 * precision * recall / (precision + recall)
        where = f"{row['method']}, {row['level']}, {row['domain']}"
        note = "F1 of the printed precision and recall, which are rounded"
        yield _cell("Table 12: self-consistency", where, "f1", row["f1"], value, 1, note)


def _figures() -> Iterator[PaperCell]:
    note = "the figure prints no numbers that are recorded; counted in the file"
    sizes = {row["statistic"]: row for row in table("felm_derived_statistics")}
    for domain in _DOMAINS[1:]:
        share = 100 * float(sizes["segments"][domain]) / float(sizes["segments"]["All"])
        yield _cell("Figure 3: shares of the domains", domain, "% of segments", None, share, 1, note)
    for domain, counts in ERROR_TYPES.items():
        for name, count in zip(_TYPES, counts, strict=True):
            yield _cell("Figure 4: types of error", domain, name, None, count, 0, note)
