"""The evaluation of checkers as CSV, one figure a row, and as a LaTeX table for a paper."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO

from factscope.benchmarks.meta_eval.evaluation_result import EvaluationResult
from factscope.benchmarks.meta_eval.evaluation_words import NONE, PLURALS, TITLES, ends, levels, number, rows_of
from factscope.benchmarks.meta_eval.figures import Figures

COLUMNS = ("dataset", "method", "level", "part", "measure", "value", "low", "high", "n", "answered", "remark")
_PRINTED = ("precision", "recall", "f1", "balanced_accuracy", "accuracy", "kappa", "auroc", "ece")
_TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "–": "--",
    }
)


def to_csv(result: EvaluationResult) -> str:
    """One row for each figure; an undefined value is an empty cell with a remark."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for level in levels(result):
        for checker in result.checkers:
            for piece, figures in _breakdowns(result, checker.levels[level]):
                writer.writerows(_rows((result.dataset, checker.name, level, piece), figures))
        for name, figures in result.baselines.get(level, {}).items():
            writer.writerows(_rows((result.dataset, name, level, "all"), figures))
    return out.getvalue()


def _breakdowns(result: EvaluationResult, outcome: object) -> Iterator[tuple[str, Figures]]:
    from factscope.benchmarks.meta_eval.figures import LevelFigures

    if isinstance(outcome, LevelFigures):
        yield "all", outcome.overall
        yield from ((f"{result.domain}={name}", group) for name, group in outcome.by_domain.items())
        yield from ((f"error={name}", group) for name, group in outcome.by_error_type.items())
        yield from ((f"place={name}", group) for name, group in outcome.by_position.items())


def _rows(head: tuple[str, ...], figures: Figures) -> Iterator[tuple[object, ...]]:
    for measure, value in figures.values.items():
        interval = figures.intervals.get(measure)
        yield (
            *(_inert(cell) for cell in head),
            measure,
            "" if value is None else f"{value:.6f}",
            f"{interval.low:.6f}" if interval else "",
            f"{interval.high:.6f}" if interval else "",
            figures.n,
            figures.n_answered,
            figures.remarks.get(measure, ""),
        )


def _inert(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell


def to_latex(result: EvaluationResult) -> str:
    """A booktabs table for each level: figures times 100, the interval of F1 below it."""
    return "\n".join(_table(result, level) for level in levels(result))


def _table(result: EvaluationResult, level: str) -> str:
    outcome = next(level_entry for level_entry in levels(result) if level_entry == level)
    lines = [
        "% needs \\usepackage{booktabs}",
        "\\begin{table}",
        "\\centering",
        f"\\begin{{tabular}}{{l{'r' * len(_PRINTED)}}}",
        "\\toprule",
        " & ".join(["method", *(TITLES[name].translate(_TEX) for name in _PRINTED)]) + r" \\",
        "\\midrule",
    ]
    rows = rows_of(result, outcome)
    for index, row in enumerate(rows):
        if index == len(rows) - len(result.baselines.get(outcome, {})):
            lines.append("\\midrule")
        cells = [number(row.figures, name) for name in _PRINTED]
        lines.append(" & ".join([row.name.translate(_TEX), *(cell.translate(_TEX) for cell in cells)]) + r" \\")
        spans = [ends(row.figures, name) for name in _PRINTED]
        if any(spans):
            small = (f"{{\\scriptsize {span.translate(_TEX)}}}" if span else "" for span in spans)
            lines.append(" & ".join(["", *small]) + r" \\")
    name = result.dataset.translate(_TEX)
    n = rows[0].figures.n if rows else 0
    lines += [
        "\\bottomrule",
        "\\end{tabular}",
        f"\\caption{{Errors found in {name}: {n:,} {PLURALS[outcome]}, an error being the positive class;"
        f" 95\\,\\% bootstrap intervals over responses. {NONE.translate(_TEX)}: undefined.}}",
        "\\end{table}",
        "",
    ]
    return "\n".join(lines)
