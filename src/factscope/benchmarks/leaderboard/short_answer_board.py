"""Results of `bench short-answers` → a leaderboard by F1."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from factscope.benchmarks.comparisons import Standing
from factscope.benchmarks.leaderboard import boards
from factscope.benchmarks.short_answers.short_answer_figures import ShortAnswerRow, ShortAnswerSummary
from factscope.benchmarks.short_answers.short_answer_result import KIND, AnswerEntry, MergedShortAnswers, read_results
from factscope.core import many
from factscope.report import Block, State, excerpt, percent_cell, section, table_of

_STATES: dict[str, tuple[State, str]] = {
    "correct": ("supported", "correct"),
    "incorrect": ("contradicted", "incorrect"),
    "not_attempted": ("undecided", "not attempted"),
}
_QUESTION = 160
"""Characters of a question in a list."""


def short_answer_board(paths: Sequence[Path], *, totals_only: bool) -> boards.Leaderboard:
    """Return the board of results on the same questions by the same grader. Raises the errors of `read_results`."""
    merged = read_results(paths)
    summary = merged.summary()
    rows = [_row(merged, row, summary, totals_only=totals_only) for row in summary.rows if not row.withheld]
    refused = [
        boards.MissingRow(f"{row.model} has no F1: {row.withheld}. Left out.") for row in summary.rows if row.withheld
    ]
    n = len(merged.first.questions.ids)
    board = boards.empty_board(
        KIND,
        title=merged.benchmark.title,
        about=f"Short answers to {many(n, 'question')}, graded against the correct one, with 95\u00a0% intervals. "
        f"{merged.benchmark.note}",
        rows=tuple(rows),
        facts=(
            ("questions", f"{n:,}, SHA-256 {merged.first.questions.sha256}"),
            ("grader", merged.first.grader),
            ("cites", merged.benchmark.cites),
            ("rank", "by F1; the range is what paired tests of the penalised score leave"),
        ),
        private={merged.benchmark.id: n} if totals_only else {},
        details=tuple(_details(summary)),
        absent=tuple(refused),
        notes=(*merged.notes, *refused),
    )
    meaning = "correct less the penalty for each error, of all; bootstrap"
    return replace(board, columns=(*board.columns, boards.Column(f"less {summary.penalty:g} × incorrect", meaning)))


def _row(
    merged: MergedShortAnswers, row: ShortAnswerRow, summary: ShortAnswerSummary, *, totals_only: bool
) -> boards.BoardRow:
    file = merged.by_model[row.model]
    tied = sum(other.rank == row.rank for other in summary.rows) > 1
    words = ["factscope", "bench", "short-answers", merged.benchmark.id, "--model", row.model, "--judge", file.grader]
    return boards.BoardRow(
        name=row.model,
        figures=(
            boards.Figure.of(row.f1.value, row.f1.interval),
            *(
                boards.Figure.of(share.value, share.interval)
                for share in (row.accuracy, row.given_attempt, row.attempted)
            ),
            boards.Figure.of(row.penalised.value, row.penalised.interval),
        ),
        coverage=row.n / (row.n + row.n_missing),
        n=row.n,
        rank=Standing(row.rank or 0, tied, row.best or 0, row.worst or 0),  # rows without are not shown
        date=boards.time_of(file.made),
        signature=(
            f"{KIND}|{merged.benchmark.id}|grader={file.grader}|questions={file.questions.sha256[:12]}"
            f"|penalty={summary.penalty:g}|factscope={file.factscope}"
        ),
        command=shlex.join([*words, "--penalty", f"{summary.penalty:g}", "-o", "result.json"]),
        versions=(("Factscope", file.factscope), ("questions, SHA-256", file.questions.sha256)),
        examples=() if totals_only else tuple(_example(entry) for entry in merged.entries if entry.model == row.model),
        public=None if totals_only else boards.Figure(row.f1.value),
    )


def _example(entry: AnswerEntry) -> boards.BoardExample:
    state, word = _STATES[entry.grade] if entry.grade else ("failed", "no grade")
    texts = {"Correct": entry.gold, "Answer": entry.answer, "Grader": entry.reason}
    lines = tuple(f"{name}: {text}" for name, text in texts.items() if text)
    request = excerpt(entry.question or "", _QUESTION)
    return boards.BoardExample(entry.id, (boards.ExampleVerdict("grade", state, word),), lines=lines, request=request)


def _details(summary: ShortAnswerSummary) -> Iterator[Block]:
    """Yield F1 by each tag with several values."""
    rows = [row for row in summary.rows if not row.withheld]
    for tag in dict.fromkeys(name for row in rows for name in row.by):
        values = list(dict.fromkeys(value for row in rows for value in row.by.get(tag, {})))
        if len(values) < 2:
            continue
        cells = [(row.model, *(_cell(*row.by.get(tag, {}).get(value, (None, 0))) for value in values)) for row in rows]
        about = "F1 in percent, and how many answers have a grade."
        yield from section(f"By {tag.replace('_', ' ')}", about, table_of(("model", *values), cells))


def _cell(f1: float | None, n: int) -> str:
    return f"{percent_cell(f1)}\nn\u00a0=\u00a0{n:,}"
