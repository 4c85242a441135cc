"""`factscope bench short-answers`: short questions, one correct answer each, and one grader."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from factscope.cli.bench_options import (
    Candidates,
    Limit,
    SampledOptions,
    answering,
    put_values,
    tell_missing,
)
from factscope.cli.call_options import CallOptions, with_groups
from factscope.cli.calling import WAITING, finish, load, tell_pending, usage_line
from factscope.cli.options import DryRun
from factscope.cli.output import log, put_console, refuse_to_overwrite_inputs
from factscope.cli.progress import ProgressDisplay
from factscope.core.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from factscope.benchmarks.examples import GivenAnswers
    from factscope.benchmarks.generate import Answers
    from factscope.benchmarks.short_answers import Grades, Question, Questions, ShortAnswerBenchmark
    from factscope.engine.settings import Settings

EXAMPLE = (
    "Example: factscope bench short-answers simpleqa-verified --model openai/gpt-4.1-mini --model ollama/qwen3"
    " --judge openai/gpt-4.1 -o simpleqa.json. The same command carries on after any stop."
)
_ANSWER_TOKENS, _GRADE_TOKENS = 60, 120
"""Usual length of an answer and of a grade with its reason, for the forecast."""


class ShortAnswerPlan(NamedTuple):
    """Plan of a run."""

    benchmark: ShortAnswerBenchmark
    questions: Questions
    models_to_ask: tuple[str, ...]
    answers: GivenAnswers

    @property
    def models(self) -> tuple[str, ...]:
        """Everybody who is measured."""
        return tuple(dict.fromkeys([*self.models_to_ask, *self.answers.models]))


@with_groups
def short_answers(
    benchmark: Annotated[
        str,
        typer.Argument(metavar="BENCHMARK", help="simpleqa-verified, simpleqa, facts-parametric or facts-search."),
    ],
    data: Annotated[
        list[str] | None,
        typer.Option("--data", metavar="FILE|DATASET", help="The questions. Default: the owners' data set."),
    ] = None,
    model: Candidates = None,
    judge: Annotated[str | None, typer.Option("--judge", metavar="PROVIDER/MODEL", help="The grader.")] = None,
    answers: Annotated[
        list[Path] | None,
        typer.Option("--answers", metavar="FILE", help="Existing answers: rows of id, model, response."),
    ] = None,
    penalty: Annotated[float, typer.Option(min=0, max=100, help="Penalty of an error; a correct answer counts 1.")] = 1,
    limit: Limit = None,
    dry_run: DryRun = False,
    *,
    result: SampledOptions,
    calls: CallOptions,
) -> None:
    """Short questions with one correct answer: accuracy, F1 and a score that takes errors off, by one grader."""
    from factscope.benchmarks.short_answers import ROLE, as_json, print_summary, summarise

    if judge is None and not dry_run:
        raise UsageError("Nobody grades the answers.", "Name a grader: --judge openai/gpt-4.1.")
    settings = load(calls.settings(model=[f"{ROLE}={judge}"] if judge else [], dry_run=dry_run))
    refuse_to_overwrite_inputs(result.output, answers or [])
    plan = _plan(benchmark, data or [], model or [], answers or [], limit, settings)
    if dry_run:
        put_console(lambda console: _forecast(plan, console), result.output)
        return
    found, grades, waits = _run(plan, settings, quiet=calls.quiet)
    if waits:
        raise typer.Exit(WAITING)
    ids = [row.example.id for row in plan.questions.rows]
    summary = summarise(
        {key: one.grade for key, one in grades.grades.items()},
        plan.models,
        ids,
        {row.example.id: row.example.tags for row in plan.questions.rows},
        penalty=penalty,
        **result.sampling,
    )
    put_values(
        lambda: as_json(plan.benchmark, summary, plan.questions, grades, plan.models, found.texts, **result.sampling),
        lambda console: print_summary(plan.benchmark, summary, grades.by, console),
        result,
    )
    if any(row.n_missing for row in summary.rows):
        log("Run the same command again to try what failed once more.", "yellow")
        raise typer.Exit(1)


def _plan(
    name: str, data: list[str], models: list[str], answers: list[Path], limit: int | None, settings: Settings
) -> ShortAnswerPlan:
    """Read the questions and answers, and say what was odd about them. Raises UsageError, InputError."""
    from factscope.benchmarks.facts_grounding.grounding_dataset import read_answers
    from factscope.benchmarks.short_answers import SHORT_ANSWERS, read_questions

    if name not in SHORT_ANSWERS:
        raise UsageError(f"Unknown benchmark of short answers {name!r}.", f"Choose from: {', '.join(SHORT_ANSWERS)}.")
    known = SHORT_ANSWERS[name]
    sources = data or ([known.data] if known.data else [])
    if not sources:
        raise UsageError(
            f"The questions of {name} are not on a hub that Factscope knows.", "Name your copy: --data questions.csv."
        )
    questions = read_questions(sources, cache=settings.cache)
    questions = questions._replace(rows=questions.rows[:limit])
    given = read_answers(answers, [row.example for row in questions.rows])
    for note in (*questions.notes, *given.notes):
        log(note, "yellow")
    plan = ShortAnswerPlan(known, questions, tuple(dict.fromkeys(models)), given)
    if not plan.models:
        raise UsageError("There is nothing to measure.", "Name models with --model, or give their --answers.")
    return plan


def _run(plan: ShortAnswerPlan, settings: Settings, *, quiet: bool) -> tuple[Answers, Grades, bool]:
    """Have the models answer and the grader grade; whether calls wait in a batch folder."""
    from factscope.benchmarks.facts_grounding import Answers as NewAnswers
    from factscope.benchmarks.generate import GenerationRequest, ask_answers
    from factscope.benchmarks.short_answers import ROLE, grade_answers
    from factscope.engine.open_tools import open_tools
    from factscope.llm.session import ModelSession

    tools = open_tools((), settings=settings)
    models = tools.models
    if models is None:
        raise UsageError("Nobody grades the answers.", "Name a grader: --judge openai/gpt-4.1.")
    display = ProgressDisplay(quiet=quiet)

    def graded(done: int, total: int) -> None:
        display.show("Grading", done, total, f"{done:,} of {total:,} answers graded")

    async def work() -> tuple[Answers, Grades]:
        due = [
            GenerationRequest(model, row.example.id, row.example.request.prompt or "")
            for row in plan.questions.rows
            for model in plan.models_to_ask
            if (model, row.example.id) not in plan.answers.texts
        ]
        with display:
            found = await ask_answers(due, models, ROLE, answering(display)) if due else NewAnswers()
            for (model, name), text in plan.answers.texts.items():
                found.take(model, name, text.strip())
            return found, await grade_answers(plan.questions.rows, found, ModelSession(models), graded)

    found, grades = finish(tools, work)
    tell_missing(found.missing, "answers are missing")
    tell_missing(grades.missing, "answers could not be graded")
    if not quiet:
        log(", ".join(filter(None, [f"{len(grades.grades):,} answers graded", _used(found, grades, settings)])))
    return found, grades, tell_pending(settings, tools)


def _used(found: Answers, grades: Grades, settings: Settings) -> str:
    return usage_line((*found.usage, *grades.usage), settings)


def _forecast(plan: ShortAnswerPlan, console: Console) -> None:
    """Say what the command would call at most: what the cache holds is not called."""
    from factscope.benchmarks.short_answers import STEP
    from factscope.llm.cost import estimate_tokens
    from factscope.llm.session import read_prompt

    n = len(plan.questions.rows)
    asked = [
        row
        for row in plan.questions.rows
        for model in plan.models_to_ask
        if (model, row.example.id) not in plan.answers.texts
    ]
    graded = len(asked) + sum(bool(text.strip()) for text in plan.answers.texts.values())
    fixed = estimate_tokens(read_prompt(STEP.prompt).body)
    questions = sum(map(_tokens, asked))
    mean = sum(map(_tokens, plan.questions.rows)) / n
    console.print(f"{n:,} questions. Calls at most:", highlight=False)
    console.print(
        f"  {len(asked):,} answers: {questions:,} tokens in, about {len(asked) * _ANSWER_TOKENS:,} out", highlight=False
    )
    sent = round(graded * (fixed + mean + _ANSWER_TOKENS))
    console.print(f"  {graded:,} grades: about {sent:,} tokens in, {graded * _GRADE_TOKENS:,} out", highlight=False)


def _tokens(question: Question) -> int:
    from factscope.llm.cost import estimate_tokens

    return estimate_tokens(question.example.request.prompt or "")
