"""FELM (Chen et al. 2023): Tables 2, 4, 10 and 12, and Figures 3 and 4 as far as the data say them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from factscope.benchmarks.papers.cells import PaperCell, figure, table
from factscope.scoring.detection import Confusion, read

PAPER = "FELM"
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
    return chain(_statistics(), _results(), _balanced(), _consistency(), _figures())


def _statistics() -> Iterator[PaperCell]:
    counted = {row["statistic"]: row for row in table("felm_derived_statistics")}
    for row in table("felm_table2_statistics"):
        name = row["statistic"]
        for domain in _DOMAINS:
            recomputed: float | None = None
            why = "needs the annotators' labels one by one, or the texts: benchmarks describe felm --data FILE"
            if name in counted:
                recomputed, why = figure(counted[name][domain]), _COUNTED
            elif name == "response_error_rate_pct":
                wrong, all_ = (float(counted[statistic][domain]) for statistic in ("responses_with_error", "samples"))
                recomputed, why = 100 * wrong / all_, "responses with a wrong segment / responses, counted in the file"
            digits = 1 if "." in row[domain] else 0
            yield PaperCell(
                paper=PAPER, table="Table 2: statistics", row=name, column=domain, published=figure(row[domain]),
                recomputed=recomputed, digits=digits, why=why,
            )  # fmt: skip


def _confusions() -> dict[tuple[str, ...], tuple[Confusion, str]]:
    """Return the counts behind a cell by model, unit, method, level and domain, and how sure they are."""
    return {
        (row["model"], row["unit"], row["method"], row["level"], row["domain"]): (
            Confusion(*(int(row[name]) for name in Confusion._fields)),
            row["status"],
        )
        for row in table("felm_confusions")
    }


def _key(row: Mapping[str, str]) -> tuple[str, ...]:
    level = {"segment": "seg", "response": "resp"}[row["level"]]
    return row["model"], row["unit"].capitalize(), _METHODS[row["method"]], level, row["domain"]


def _row(row: Mapping[str, str]) -> str:
    return f"{row['model']}, {row['domain']}, {row['unit']}, {row['method']}, {row['level']}"


def _results() -> Iterator[PaperCell]:
    confusions = _confusions()
    for row in table("felm_table4_results"):
        confusion, status = confusions.get(_key(row), (None, ""))
        for name in ("f1", "precision", "recall"):
            value = None if confusion is None else read(name, confusion)
            yield PaperCell(
                paper=PAPER, table="Table 4: detection", row=_row(row), column=name, published=figure(row[name]),
                recomputed=None if value is None else 100 * value, digits=1, why=_SOLVED.get(status, _NONE),
            )  # fmt: skip


def _balanced() -> Iterator[PaperCell]:
    confusions = _confusions()
    for row in table("felm_table10_balanced_accuracy"):
        confusion, status = confusions.get(_key(row), (None, ""))
        value = None if confusion is None else read("balanced_accuracy", confusion)
        yield PaperCell(
            paper=PAPER, table="Table 10: balanced accuracy", row=_row(row), column="balanced accuracy",
            published=figure(row["balanced_accuracy"]), recomputed=None if value is None else 100 * value, digits=1,
            why=_SOLVED.get(status, _NONE),
        )  # fmt: skip


def _consistency() -> Iterator[PaperCell]:
    for row in table("felm_table12_self_consistency"):
        precision, recall = figure(row["precision"]), figure(row["recall"])
        value = None
        if precision is not None and recall is not None and precision + recall:
            value = 2 * precision * recall / (precision + recall)
        yield PaperCell(
            paper=PAPER, table="Table 12: self-consistency", row=f"{row['method']}, {row['level']}, {row['domain']}",
            column="f1", published=figure(row["f1"]), recomputed=value, digits=1,
            why="F1 of the printed precision and recall, which are rounded",
        )  # fmt: skip


def _figures() -> Iterator[PaperCell]:
    sizes = {row["statistic"]: row for row in table("felm_derived_statistics")}
    for domain in _DOMAINS[1:]:
        share = 100 * float(sizes["segments"][domain]) / float(sizes["segments"]["All"])
        yield PaperCell(
            paper=PAPER, table="Figure 3: shares of the domains", row=domain, column="% of segments", published=None,
            recomputed=share, digits=1, why="the figure prints no numbers that are recorded; counted in the file",
        )  # fmt: skip
    for domain, counts in ERROR_TYPES.items():
        for name, count in zip(_TYPES, counts, strict=True):
            yield PaperCell(
                paper=PAPER, table="Figure 4: types of error", row=domain, column=name, published=None,
                recomputed=count, digits=0, why="the figure prints no numbers that are recorded; counted in the file",
            )  # fmt: skip
