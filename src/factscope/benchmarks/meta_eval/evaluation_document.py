"""The evaluation of checkers as titles, tables and notes: for a terminal and Markdown whole, for its page in parts.

As CSV it has one figure a row, and as LaTeX a table for a paper.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from factscope.benchmarks.meta_eval import evaluation_words as words
from factscope.benchmarks.meta_eval.evaluation_result import CheckerFigures, EvaluationResult, as_json
from factscope.benchmarks.meta_eval.figures import Figures, LevelFigures
from factscope.core import Level, many
from factscope.report import csv_cell, csv_text, excerpt, in_latex, one_line
from factscope.report.document import Block, Paragraph, Points, Result, Table, Title, notes, table_of
from factscope.report.latex import to_latex as latex_table

COLUMNS = ("dataset", "method", "level", "part", "measure", "value", "low", "high", "n", "answered", "remark")
_PRINTED = ("precision", "recall", "f1", "balanced_accuracy", "accuracy", "kappa", "auroc", "ece")
_MEASURES = ("f1", "precision", "recall", "balanced_accuracy", "auroc", "accuracy", "kappa", "alpha", "mcc", "ece")
_BREAKDOWN_MEASURES = ("f1", "precision", "recall", "balanced_accuracy", "kappa")
_CASES = 5  # disagreements listed of each checker
_MOST_PARTS = 20  # rows of a breakdown that fit a screen

_Counts = Mapping[str, Callable[[Figures], str]]
"""Columns before the measures, by their heads."""


def in_every_format(result: EvaluationResult) -> Result:
    """Return the evaluation for any writer: CSV with one figure a row, LaTeX for a paper, and a page with diagrams."""
    from factscope.benchmarks.meta_eval.evaluation_page import evaluation_html

    own: dict[str, Callable[[EvaluationResult], str]] = {"csv": to_csv, "latex": to_latex, "html": evaluation_html}
    texts = {name: partial(write, result) for name, write in own.items()}
    return Result("Checkers", lambda: as_json(result), lambda: evaluation_document(result), texts)


def evaluation_document(result: EvaluationResult) -> Iterator[Block]:
    """Yield the figures of each level and its parts, the tests, and the first disagreements."""
    yield Title(words.headline(result), 1)
    yield Paragraph(f"{result.dataset}: {many(result.n_samples, 'sample')}; {words.setting(result)}.")
    yield from notes([*words.left_out(result), *result.notes])
    if cascades := words.cascade_table(result):
        yield cascades
        yield Paragraph(words.CEILING)
    for level in words.levels(result):
        yield level_title(result, level)
        yield from level_blocks(result, level, _MEASURES)
    yield from notes(words.front_lines(result))
    for checker in result.checkers:
        yield from _checker_blocks(result, checker)


def level_blocks(result: EvaluationResult, level: Level, measures: Collection[str], digits: int = 2) -> Iterator[Block]:
    """Yield all checkers side by side at a level, with notes and paired tests; intervals have `digits` decimals."""
    rows = words.rows_of(result, level)
    yield from _figures(rows, measures, digits, counted=any(row.figures.n_answered < row.figures.n for row in rows))
    baselines = result.baselines.get(level, {})
    for row in rows:
        if row.name not in baselines:
            yield from notes(words.remarks(row.name, row.figures))
    shares = (words.share_line(checker.name, checker.levels[level]) for checker in result.checkers)
    yield from notes(filter(None, shares))
    together, n_ensembles = result.agreement.get(level), sum(bool(checker.members) for checker in result.checkers)
    if together is not None and len(result.checkers) - n_ensembles > 1:
        without = ", without the ensembles" if n_ensembles else ""
        yield Paragraph(f"Krippendorff’s alpha of people and all checkers together{without}: {together:.3f}")
    for pairing in result.pairings:
        if pairing.level == level:
            yield Title(words.pairing_title(pairing), 3)
            yield words.pairing_table(pairing)


def breakdown_blocks(
    result: EvaluationResult, name: str, figures: LevelFigures, most: int | None = None, digits: int = 2
) -> Iterator[Block]:
    """Yield the figures of a checker in each part, at most `most` parts in a table."""
    for title, rows in words.breakdowns(result, figures):
        measures = ("recall",) if title == "by kind of error" else _BREAKDOWN_MEASURES
        if table := list(_figures(rows[:most], measures, digits)):
            yield Title(f"{name} {title}", 3)
            yield from table
            yield from notes(words.undefined((row.figures for row in rows), measures))
            if most is not None and (more := len(rows) - most) > 0:
                yield Paragraph(f"and {more} more: see --format csv")


def _figures(
    rows: Sequence[words.FigureRow], measures: Collection[str], digits: int, *, counted: bool = True
) -> Iterator[Table]:
    """Yield a table of figures with intervals below, leaving out measures that no row has; nothing if none is left."""
    present = [name for name in measures if any(row.figures.values.get(name) is not None for row in rows)]
    if present:
        yield _table("name", {"n": _answered} if counted else {}, rows, present, digits)


def _table(
    head: str, counts: _Counts, rows: Sequence[words.FigureRow], measures: Sequence[str], digits: int = 3
) -> Table:
    """Return the rows with these counts, then these measures with intervals below."""
    titles = {words.TITLES[name]: words.MEANINGS[name] for name in measures}

    def cells_of(figures: Figures) -> Iterator[str]:
        yield from (write(figures) for write in counts.values())
        yield from (words.with_ends(figures, name, digits) for name in measures)

    return table_of((head, *counts, *titles), ((row.name, *cells_of(row.figures)) for row in rows), meanings=titles)


def _answered(figures: Figures) -> str:
    """Return the number of answered units, and below it the number of all units if that is larger."""
    return f"{figures.n_answered:,}" + (f"\nof {figures.n:,}" if figures.n_answered < figures.n else "")


def level_title(result: EvaluationResult, level: Level) -> Title:
    """State the number of units of a level, and of those that are wrong."""
    complete = words.rows_of(result, level)[-1].figures  # of a baseline: it answers every unit
    of = f" in {many(complete.n_samples, 'response')}" if level != "response" else ""
    return Title(f"{words.PLURALS[level].capitalize()}: {complete.n:,}{of}, {complete.tp + complete.fn:,} wrong")


def _checker_blocks(result: EvaluationResult, checker: CheckerFigures) -> Iterator[Block]:
    for level in list(checker.levels)[:1]:  # the finest
        name = f"{checker.name}, {words.PLURALS[level]}"
        yield from breakdown_blocks(result, name, checker.levels[level], _MOST_PARTS)
    if study := words.alpha_lines(checker):
        yield Title(f"{checker.name}: alpha, the share of undecided units that are wrong")
        yield Points(tuple(study))
    if result.alphas and checker.alpha:
        yield words.alpha_table(checker.alpha)
    yield from notes(f"{checker.name}: {text}" for text in checker.notes)
    if checker.disagreements:
        yield Title(f"{checker.name}: disagrees with people on {checker.n_disagreements:,}")
        yield Points(tuple(_disagreements(checker)))


def _disagreements(checker: CheckerFigures) -> Iterator[str]:
    for case in checker.disagreements[:_CASES]:
        ended = (case.outcome or "the opposite").replace("_", " ")
        text = f"people: {'wrong' if case.wrong else 'right'}; checker: {ended}"
        yield f"“{excerpt(case.text, 160)}” ({one_line(case.sample)} {case.unit}) {text}"
    if (more := checker.n_disagreements - _CASES) > 0:
        yield f"and {more:,} more: see --format html"


def to_csv(result: EvaluationResult) -> str:
    """Return one row for each figure; an undefined value is an empty cell with a remark."""
    return csv_text([COLUMNS, *(map(_in_csv, row) for row in figure_rows(result))])


def _in_csv(cell: str | float | None) -> str:
    return f"{cell:.6f}" if isinstance(cell, float) else csv_cell(cell)


def figure_rows(result: EvaluationResult) -> Iterator[tuple[str | float | None, ...]]:
    """Yield the cells of each figure under `COLUMNS`; an undefined value is `None`, with a remark."""
    for level in words.levels(result):
        for checker in result.checkers:
            for piece, figures in _parts_of(result, checker.levels[level]):
                yield from _figure_rows((result.dataset, checker.name, level, piece), figures)
        for name, figures in result.baselines.get(level, {}).items():
            yield from _figure_rows((result.dataset, name, level, "all"), figures)


def _parts_of(result: EvaluationResult, level: LevelFigures) -> Iterator[tuple[str, Figures]]:
    yield "all", level.overall
    parts = ((result.domain, level.by_domain), ("error", level.by_error_type), ("place", level.by_position))
    yield from ((f"{kind}={name}", group) for kind, groups in parts for name, group in groups.items())


def _figure_rows(head: tuple[str, ...], figures: Figures) -> Iterator[tuple[str | float | None, ...]]:
    for measure, value in figures.values.items():
        interval = figures.intervals.get(measure)
        ends = (interval.low, interval.high) if interval else (None, None)
        remark = figures.remarks.get(measure, "")
        yield *head, measure, value, *ends, figures.n, figures.counted(measure), remark


def to_latex(result: EvaluationResult) -> str:
    """Return a booktabs table for each level: figures with their intervals, and the coverage where it is not full."""
    return "\n".join(_latex_table(result, level) for level in words.levels(result))


def _latex_table(result: EvaluationResult, level: Level) -> str:
    rows = words.rows_of(result, level)
    baselines = result.baselines.get(level, {})
    remarks = [line for row in rows if row.name not in baselines for line in words.remarks(*row, _PRINTED)]
    n = rows[0].figures.n if rows else 0
    partial = any(row.figures.n_answered < row.figures.n for row in rows)
    table = _table("method", {"coverage": words.coverage} if partial else {}, rows, _PRINTED)
    intervals = "; 95\\,\\% bootstrap intervals over responses" if result.resamples else ""
    caption = (
        f"Errors found in {in_latex(result.dataset)}: {n:,} {words.PLURALS[level]}, an error being the positive class"
        f"{intervals}. {in_latex(words.NONE)}: undefined, or withheld"
        " because less than half has an answer."
    )
    caption = " ".join([caption, *(f"{in_latex(line)}." for line in remarks)])
    return latex_table(replace(table, rule_before=len(rows) - len(baselines)), caption)
