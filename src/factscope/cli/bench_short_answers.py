"""`factscope bench short-answers`: short questions, one correct answer each, and one grader."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Annotated

import typer

from factscope.benchmarks.answer_files import read_answers
from factscope.benchmarks.examples import BenchmarkPlan, Example, Examples
from factscope.benchmarks.figure_lines import result_of
from factscope.benchmarks.generate import Answers, due_answers
from factscope.benchmarks.short_answers.grading import ROLE, STEP, Grades, grade_answers
from factscope.benchmarks.short_answers.question_sets import SHORT_ANSWERS, ShortAnswerBenchmark, read_questions
from factscope.benchmarks.short_answers.short_answer_figures import ShortAnswerSettings, summarise
from factscope.benchmarks.short_answers.short_answer_result import as_json, document, figure_lines
from factscope.cli.bench_options import BenchOptions, answers_of, counting, tell_missing
from factscope.cli.call_options import with_groups
from factscope.cli.calling import exit_while_waiting, finish, load, log_usage
from factscope.cli.output import log, put_json, put_text, refuse_to_overwrite_inputs
from factscope.cli.progress import ProgressDisplay
from factscope.core import UsageError, many
from factscope.engine.open_tools import open_tools
from factscope.engine.settings import Settings
from factscope.llm.cost import estimate_tokens
from factscope.llm.session import ModelSession, read_prompt

_ANSWER_TOKENS, _GRADE_TOKENS = 60, 120
"""Usual length of an answer and of a grade with its reason, for the forecast."""


class ShortAnswerOptions(BenchOptions):
    """The questions, and who answers and grades them."""

    benchmark: Annotated[str, typer.Argument(metavar="BENCHMARK")]
    """simpleqa-verified, simpleqa, facts-parametric or facts-search."""
    data: Annotated[list[str] | None, typer.Option(metavar="FILE|DATASET")] = None
    """The questions. Default: the owners' data set."""
    judge: Annotated[str | None, typer.Option(metavar="PROVIDER/MODEL")] = None
    """The grader."""
    penalty: Annotated[float, typer.Option(min=0, max=100)] = 1
    """Penalty of an error; a correct answer counts 1."""


@with_groups
def short_answers(options: ShortAnswerOptions) -> None:
    """Short questions with one correct answer: accuracy, F1 and a score with a penalty for errors, by one grader.

    Example: factscope bench short-answers simpleqa-verified --model openai/gpt-4.1-mini --model ollama/qwen3 --judge
    openai/gpt-4.1 -o simpleqa.json. The same command resumes after any stop.
    """
    if options.judge is None and not options.dry_run:
        raise UsageError("Nobody grades the answers.", "Name a grader: --judge openai/gpt-4.1.")
    settings = load(options.settings(model=[f"{ROLE}={options.judge}"] if options.judge else []))
    refuse_to_overwrite_inputs(options.output, settings=settings)
    known = SHORT_ANSWERS.get(options.benchmark)
    if known is None:
        names = ", ".join(SHORT_ANSWERS)
        raise UsageError(f"Unknown benchmark of short answers {options.benchmark!r}.", f"Choose from: {names}.")
    questions = _questions(known, options.data or [], options.limit, settings)
    plan = options.plan(questions, read_answers)
    if options.dry_run:
        _put_forecast(plan, in_json=options.form == "json")
        return
    answers, grades = _run(plan, settings, quiet=options.quiet)
    figures = ShortAnswerSettings(penalty=options.penalty, **options.sampling)
    summary = summarise(
        {key: graded.grade for key, graded in grades.values.items()},
        plan.models,
        [row.id for row in plan.rows],
        figures,
        {row.id: row.tags for row in plan.rows},
    )
    values = partial(as_json, known, plan=plan, grades=grades, answers=answers.texts, settings=figures)
    shown = partial(document, known, grader=grades.by)
    options.put(result_of(known.title, summary, shown, partial(figure_lines, known), values))
    n_missing = sum(row.n_missing for row in summary.rows)
    if n_missing > sum(plan.absent.values()):  # an answer that a file lacks is lacking again
        log("Run the same command again to try what failed once more.", "yellow")
    raise typer.Exit(1 if n_missing or plan.n_unusable else 0)


def _questions(known: ShortAnswerBenchmark, data: list[str], limit: int | None, settings: Settings) -> Examples:
    """Read the questions. Raises UsageError, InputError."""
    sources = data or ([known.data] if known.data else [])
    if not sources:
        raise UsageError(
            f"The questions of {known.id} are not on a hub that Factscope knows.",
            "Name your copy: --data questions.csv.",
        )
    questions = read_questions(sources, cache=settings.cache)
    return questions._replace(rows=questions.rows[:limit])


def _run(plan: BenchmarkPlan, settings: Settings, *, quiet: bool) -> tuple[Answers, Grades]:
    """Have the models answer and the grader grade."""
    tools = open_tools((), settings=settings)
    models = tools.models
    if models is None:
        raise UsageError("Nobody grades the answers.", "Name a grader: --judge openai/gpt-4.1.")

    async def answer_and_grade() -> tuple[Answers, Grades]:
        with ProgressDisplay(quiet=quiet) as display:
            answers = await answers_of(plan, tools, ROLE, display)
            show = counting(display, "Grading", "answers graded")
            return answers, await grade_answers(plan.rows, answers, ModelSession(models), show)

    answers, grades = finish(tools, answer_and_grade, resumable=True)
    tell_missing(grades.missing, "answer could not be graded", "answers could not be graded")
    log_usage(f"{many(len(grades.values), 'answer')} graded", (*answers.usage, *grades.usage), settings, quiet=quiet)
    exit_while_waiting(settings, tools)
    return answers, grades


def _put_forecast(plan: BenchmarkPlan, *, in_json: bool) -> None:
    """Print the largest number of calls that the command would make; cached replies need none."""

    def prompt_tokens(rows: Iterable[Example]) -> int:
        return sum(estimate_tokens(row.request.prompt or "") for row in rows)

    n, ids = len(plan.rows), {row.id for row in plan.rows}
    asked = [row for _, row in due_answers(plan, plan.answers.texts)]
    answered = [text for (_, name), text in plan.answers.texts.items() if name in ids and text.strip()]
    n_graded = len(asked) + len(answered)
    fixed = estimate_tokens(read_prompt(STEP.prompt).body)
    values = {
        "questions": n,
        "answers": len(asked),
        "answer_tokens_in": prompt_tokens(asked),
        "answer_tokens_out": len(asked) * _ANSWER_TOKENS,
        "grades": n_graded,
        "grade_tokens_in": round(n_graded * (fixed + prompt_tokens(plan.rows) / n + _ANSWER_TOKENS)),
        "grade_tokens_out": n_graded * _GRADE_TOKENS,
    }
    if in_json:
        put_json(values)
        return
    put_text(
        f"{many(n, 'question')}. Calls at most:\n"
        f"  {many(len(asked), 'answer')}: {values['answer_tokens_in']:,} tokens in, about"
        f" {values['answer_tokens_out']:,} out\n"
        f"  {many(n_graded, 'grade')}: about {values['grade_tokens_in']:,} tokens in,"
        f" {values['grade_tokens_out']:,} out\n",
        None,
    )
