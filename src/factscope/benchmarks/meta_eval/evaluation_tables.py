"""The evaluation of checkers as CSV, one figure a row, and as a LaTeX table for a paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from factscope.benchmarks.meta_eval.evaluation_result import EvaluationResult
from factscope.benchmarks.meta_eval.evaluation_words import NONE, PLURALS, TITLES, coverage, levels, rows_of, with_ends
from factscope.benchmarks.meta_eval.figures import Figures, LevelFigures
from factscope.core.records import Level
from factscope.report.csv_text import csv_cell, csv_text
from factscope.report.document import table_of
from factscope.report.latex import in_latex
from factscope.report.latex import to_latex as latex_table

COLUMNS = ("dataset", "method", "level", "part", "measure", "value", "low", "high", "n", "answered", "remark")
_PRINTED = ("precision", "recall", "f1", "balanced_accuracy", "accuracy", "kappa", "auroc", "ece")


def to_csv(result: EvaluationResult) -> str:
    """Return one row for each figure; an undefined value is an empty cell with a remark."""
    rows: list[tuple[object, ...]] = [COLUMNS]
    for level in levels(result):
        for checker in result.checkers:
            for piece, figures in _breakdowns(result, checker.levels[level]):
                rows += _rows((result.dataset, checker.name, level, piece), figures)
        for name, figures in result.baselines.get(level, {}).items():
            rows += _rows((result.dataset, name, level, "all"), figures)
    return csv_text(rows)


def _breakdowns(result: EvaluationResult, outcome: object) -> Iterator[tuple[str, Figures]]:
    if isinstance(outcome, LevelFigures):
        yield "all", outcome.overall
        yield from ((f"{result.domain}={name}", group) for name, group in outcome.by_domain.items())
        yield from ((f"error={name}", group) for name, group in outcome.by_error_type.items())
        yield from ((f"place={name}", group) for name, group in outcome.by_position.items())


def _rows(head: tuple[str, ...], figures: Figures) -> Iterator[tuple[object, ...]]:
    for measure, value in figures.values.items():
        interval = figures.intervals.get(measure)
        yield (
            *(csv_cell(cell) for cell in head),
            measure,
            "" if value is None else f"{value:.6f}",
            f"{interval.low:.6f}" if interval else "",
            f"{interval.high:.6f}" if interval else "",
            figures.n,
            figures.n_answered,
            figures.remarks.get(measure, ""),
        )


def to_latex(result: EvaluationResult) -> str:
    """Return a booktabs table for each level: figures with their intervals, and the coverage where it is not full."""
    return "\n".join(_table(result, level) for level in levels(result))


def _table(result: EvaluationResult, level: Level) -> str:
    rows = rows_of(result, level)
    n = rows[0].figures.n if rows else 0
    partial = any(row.figures.n_answered < row.figures.n for row in rows)
    table = table_of(
        ("method", *(["coverage"] if partial else []), *(TITLES[name] for name in _PRINTED)),
        (
            (
                row.name,
                *([coverage(row.figures)] if partial else []),
                *(with_ends(row.figures, name) for name in _PRINTED),
            )
            for row in rows
        ),
    )
    caption = (
        f"Errors found in {in_latex(result.dataset)}: {n:,} {PLURALS[level]}, an error being the positive class;"
        f" 95\\,\\% bootstrap intervals over responses. {in_latex(NONE)}: undefined, or withheld"
        " because less than half has an answer."
    )
    return latex_table(replace(table, rule_before=len(rows) - len(result.baselines.get(level, {}))), caption)
