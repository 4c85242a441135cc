"""Grades of short answers → values for JSON and the table on a terminal; files of such values → grades."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from factscope.benchmarks import BenchmarkPlan, FigureLine, MergedResults, ResultPart, lines_of, tie_notes
from factscope.benchmarks.short_answers.grading import Grade, Grades
from factscope.benchmarks.short_answers.question_sets import SHORT_ANSWERS, ShortAnswerBenchmark
from factscope.benchmarks.short_answers.short_answer_figures import (
    ScoreEstimate,
    ShortAnswerRow,
    ShortAnswerSettings,
    ShortAnswerSummary,
    summarise,
)
from factscope.core import InputError, __version__, made_at, many, related
from factscope.report.document import NONE, Block, Table, Title, ends_cell, notes, percent_cell
from factscope.scoring.means import Proportion

KIND: Literal["short-answers"] = "short-answers"


class AnswerEntry(ResultPart):
    """An answer and its grade."""

    id: str
    model: str
    grade: Grade | None
    question: str | None = None
    gold: str | None = None
    answer: str | None = None
    reason: str | None = None


class _AnswerQuestions(ResultPart):
    sha256: str
    ids: tuple[str, ...]
    tags: Mapping[str, Mapping[str, str]] = {}


class _AnswerFile(ResultPart):
    benchmark: Literal["short-answers"]
    name: str
    factscope: str = "unknown"
    made: str | None = None
    grader: str
    questions: _AnswerQuestions
    settings: ShortAnswerSettings
    answers: tuple[AnswerEntry, ...]


class MergedShortAnswers(MergedResults[_AnswerFile, AnswerEntry]):
    """Some results as one."""

    @property
    def benchmark(self) -> ShortAnswerBenchmark:
        """The benchmark that all are of."""
        return SHORT_ANSWERS[self.first.name]

    def summary(self) -> ShortAnswerSummary:
        """Return everything that the grades say, with the settings of the first result."""
        settings, questions = self.first.settings, self.first.questions
        grades = {(entry.model, entry.id): entry.grade for entry in self.entries if entry.grade}
        return summarise(grades, tuple(self.by_model), questions.ids, settings, questions.tags)


def as_json(
    benchmark: ShortAnswerBenchmark,
    summary: ShortAnswerSummary,
    plan: BenchmarkPlan,
    grades: Grades,
    answers: Mapping[tuple[str, str], str],
    settings: ShortAnswerSettings,
) -> dict[str, Any]:
    """Return the summary with every grade, so that others can add it up again."""
    return {
        "benchmark": KIND,
        "name": benchmark.id,
        "cites": benchmark.cites,
        "factscope": __version__,
        "made": made_at(),
        "grader": grades.by,
        "questions": {
            "sha256": plan.examples.sha256,
            "n": len(plan.rows),
            "ids": [row.id for row in plan.rows],
            "tags": {row.id: dict(row.tags) for row in plan.rows if row.tags},
        },
        "settings": settings.model_dump(),
        "summary": summary.model_dump(mode="json"),
        "answers": [
            {
                "id": row.id,
                "model": model,
                "question": row.request.prompt,
                "gold": row.gold,
                "answer": answers.get((model, row.id)),
                "grade": graded.grade if graded else None,
                "reason": graded.reason if graded else grades.missing.get((model, row.id), ""),
            }
            for row in plan.rows
            for model in plan.models
            for graded in [grades.values.get((model, row.id))]
        ],
    }


def read_results(paths: Sequence[Path]) -> MergedShortAnswers:
    """Return results of `bench short-answers` as one.

    Raises UsageError for a file that is not there, and InputError for one that is not such a result, or whose
    benchmark, questions, grader or penalty are not those of the first.
    """
    hint = "Make one: factscope bench short-answers … -o FILE.json"
    merged = MergedShortAnswers.read(
        paths, _AnswerFile, "short answers", hint, _settings_of, lambda result: result.answers
    )
    if (name := merged.first.name) not in SHORT_ANSWERS:
        choices = f"Choose from: {', '.join(SHORT_ANSWERS)}."
        raise InputError(f"{paths[0]} is of {name!r}, which is not known here.", choices)
    return merged


def _settings_of(result: _AnswerFile) -> dict[str, object]:
    penalty, questions = result.settings.penalty, result.questions.sha256
    return {"benchmark": result.name, "questions": questions, "grader": result.grader, "penalty": penalty}


def document(benchmark: ShortAnswerBenchmark, summary: ShortAnswerSummary, grader: str) -> Iterator[Block]:
    """Yield the table, then its notes."""
    ranks = [row.rank for row in summary.rows]
    last = f"less {summary.penalty:g} ×\nincorrect"
    n = max((row.n + row.n_missing for row in summary.rows), default=0)  # of the data that was graded, or its limit
    yield Title(f"{benchmark.title}, {many(n, 'question')}")
    yield Table(
        ("rank", "model", "F1", "accuracy", "given an\nattempt", "attempted", last, "n"),
        tuple(_cells(row, tied=ranks.count(row.rank) > 1) for row in summary.rows),
        "llrrrrrr",
    )
    yield from notes(_notes(benchmark, summary, grader))


def figure_lines(benchmark: ShortAnswerBenchmark, summary: ShortAnswerSummary) -> Iterator[FigureLine]:
    """Yield every figure of each row with its interval, and the number of questions that it counts."""
    for row in summary.rows:
        lines, n = partial(lines_of, benchmark.id, row.model), row.n + row.n_missing
        scores = {name: getattr(row, name) for name in ("f1", "accuracy", "given_attempt", "attempted", "penalised")}
        yield from lines({"rank": row.rank})
        yield from lines({"coverage": row.n / n if n else None}, n=n)
        yield from lines(scores, n=row.n)
        yield from lines({"missing": row.n_missing}, n=n)


def _cells(row: ShortAnswerRow, *, tied: bool) -> tuple[str, ...]:
    shares = map(_of, (row.accuracy, row.given_attempt, row.attempted))
    missing = f"\n{row.n_missing:,} missing" if row.n_missing else ""
    between = "" if row.best == row.worst else f"\n{row.best}–{row.worst}"
    rank = NONE if row.rank is None else f"{'=' if tied else ''}{row.rank}{between}"
    return rank, row.model, _of(row.f1), *shares, _of(row.penalised), f"{row.n:,}{missing}"


def _notes(benchmark: ShortAnswerBenchmark, summary: ShortAnswerSummary, grader: str) -> Iterator[str]:
    yield (
        "Percent of the questions with a grade, and below it the 95 % interval: Wilson's for shares, by bootstrap over"
        " questions for F1 (the harmonic mean of accuracy and accuracy given an attempt) and the last score."
    )
    if summary.penalty:
        sure = 100 * summary.penalty / (1 + summary.penalty)
        yield f"With a penalty of {summary.penalty:g} an answer pays when it is right with a chance above {sure:.0f} %."
    yield f"Graded by {grader}. {benchmark.note}"
    for row in summary.rows:
        if row.withheld:
            yield f"{row.model} has no figures, and so no rank: {row.withheld}."
        if related(row.model, grader):
            yield f"{row.model} is graded by itself or its family, which may favour it."
    for pair in summary.pairs:
        if pair.finding == "differs" and pair.opposed:
            f1, other = (pair.first, pair.second) if (pair.difference or 0) > 0 else (pair.second, pair.first)
            yield (
                f"{f1} is ahead of {other} by F1, and behind it, beyond chance, by the score with the penalty"
                f" (p = {pair.p:.2g}): their order depends on what an error costs."
            )
    yield from tie_notes((row.model for row in summary.rows if not row.withheld), summary.pairs, "questions")


def _of(score: ScoreEstimate | Proportion) -> str:
    return percent_cell(score.value) + (f"\n{ends_cell(score.interval)}" if score.interval else "")
