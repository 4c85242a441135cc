"""The evaluation of checkers for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from factscope.benchmarks.meta_eval import evaluation_words
from factscope.benchmarks.meta_eval.evaluation_result import CheckerFigures, EvaluationResult
from factscope.core.records import Level
from factscope.report.console import print_table
from factscope.report.document import Table, table_of
from factscope.report.wording import clip, inert, many, one_line

if TYPE_CHECKING:
    from rich.console import Console

_MAIN = ("f1", "precision", "recall", "balanced_accuracy", "auroc")
_MORE = ("accuracy", "kappa", "alpha", "mcc", "ece")
"""Five columns at most: more do not stand side by side in 80 signs."""
_BREAKDOWN_MEASURES = ("f1", "precision", "recall", "balanced_accuracy")
_CASES = 5  # disagreements printed of each checker
_MOST_PARTS = 20  # rows of a breakdown that fit a screen


def print_result(result: EvaluationResult, console: Console) -> None:
    """Print the tables: each level, its parts, the tests, and the first disagreements."""
    console.print(Text(inert(evaluation_words.headline(result)), style="bold"), soft_wrap=True)
    _line(console, f"{result.dataset}: {result.n_samples:,} samples; {evaluation_words.setting(result)}.")
    for text in [*evaluation_words.left_out(result), *result.notes]:
        _line(console, text)
    if cascades := list(evaluation_words.cascade_rows(result)):
        _plain(console, evaluation_words.CASCADE_HEADS, cascades, right=(1, 3, 4, 5, 6))
        _line(console, evaluation_words.CEILING)
    for level in evaluation_words.levels(result):
        _level(result, level, console)
    for said in evaluation_words.front_lines(result):
        _line(console, said)
    for checker in result.checkers:
        _checker(result, checker, console)


def _level(result: EvaluationResult, level: Level, console: Console) -> None:
    rows = evaluation_words.rows_of(result, level)
    complete = rows[-1].figures  # of a baseline: it answers every unit
    n, n_samples, wrong = complete.n, complete.n_samples, complete.tp + complete.fn
    of = f" in {many(n_samples, 'response')}" if level != "response" else ""
    console.print()
    console.print(Text(f"{evaluation_words.PLURALS[level].capitalize()}: {n:,}{of}, {wrong:,} wrong", style="bold"))
    _grid(console, rows, _MAIN, covered=True)
    _grid(console, rows, _MORE)
    for row in rows:
        if row.name not in result.baselines.get(level, {}):
            for remark in evaluation_words.remarks(row.name, row.figures):
                _line(console, remark)
    for checker in result.checkers:
        shares = evaluation_words.share_line(checker.name, checker.levels[level])
        if shares is not None:
            _line(console, shares)
    together = result.agreement.get(level)
    if together is not None and len(result.checkers) > 1:
        _line(console, f"Krippendorff’s alpha of people and all checkers together: {together:.3f}")
    for pairing in result.pairings:
        if pairing.level == level:
            console.print()
            _line(console, evaluation_words.pairing_title(pairing))
            _plain(console, evaluation_words.PAIRING_HEADS, evaluation_words.pairing_rows(pairing), right=(1, 3))


def _checker(result: EvaluationResult, checker: CheckerFigures, console: Console) -> None:
    finest = next(iter(checker.levels), None)
    if finest is None:
        return
    for title, rows in evaluation_words.breakdowns(result, checker.levels[finest]):
        if all(row.figures.values.get(name) is None for row in rows for name in _BREAKDOWN_MEASURES):
            continue
        console.print()
        console.print(Text(inert(f"{checker.name}, {evaluation_words.PLURALS[finest]} {title}"), style="bold"))
        _grid(
            console,
            rows[:_MOST_PARTS],
            ("recall",) if title == "by kind of error" else _BREAKDOWN_MEASURES,
            counted=True,
        )
        if (more := len(rows) - _MOST_PARTS) > 0:
            _line(console, f"and {more} more: see --format csv")
    study = evaluation_words.alpha_lines(checker)
    if study:
        console.print()
        console.print(Text(inert(f"{checker.name}: alpha, the share of undecided units that are wrong"), style="bold"))
        for text in study:
            _line(console, text)
    if result.alphas and checker.alpha:
        _plain(console, evaluation_words.ALPHA_HEADS, evaluation_words.alpha_rows(checker.alpha), right=(0, 1, 2, 3))
    for text in checker.notes:
        _line(console, f"{checker.name}: {text}")
    _disagreements(checker, console)


def _disagreements(checker: CheckerFigures, console: Console) -> None:
    if not checker.disagreements:
        return
    console.print()
    title = f"{checker.name}: disagrees with people on {checker.n_disagreements:,}"
    console.print(Text(inert(title), style="bold"))
    for case in checker.disagreements[:_CASES]:
        ended = (case.outcome or "the opposite").replace("_", " ")
        text = f"people: {'wrong' if case.wrong else 'right'}; checker: {ended}"
        _line(console, f"“{clip(one_line(case.text), 160)}” ({one_line(case.sample)} {case.unit}) {text}")
    if checker.n_disagreements > _CASES:
        _line(console, f"and {checker.n_disagreements - _CASES:,} more: see --format html")


def _grid(
    console: Console,
    rows: Sequence[evaluation_words.FigureRow],
    measures: Sequence[str],
    *,
    covered: bool = False,
    counted: bool = False,
) -> None:
    """Figures with their intervals below them; measures that no row has are left out."""
    present = [name for name in measures if any(row.figures.values.get(name) is not None for row in rows)]
    if not present:
        return
    heads = ["", *(["n"] if counted else []), *(evaluation_words.TITLES[name] for name in present)]
    cells = []
    for row in rows:
        n = [f"{row.figures.n_answered:,}"] if counted else []
        figures = [
            f"{evaluation_words.number(row.figures, name)}\n{evaluation_words.ends(row.figures, name, 2)}".rstrip()
            for name in present
        ]
        cells.append([row.name, *n, *figures, *([evaluation_words.coverage(row.figures)] if covered else [])])
    print_table(table_of([*heads, *(["covered"] if covered else [])], cells), console)


def _plain(console: Console, heads: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int]) -> None:
    align = "".join("r" if index in right else "l" for index in range(len(heads)))
    print_table(Table(tuple(heads), tuple(map(tuple, rows)), align), console)


def _line(console: Console, text: str) -> None:
    console.print(Text(inert(text)), soft_wrap=True)
