"""Shared code of the commands under `factscope bench`: options, writing of results, and reading of answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from factscope.benchmarks.examples import BenchmarkPlan, Example, Examples, GivenAnswers, plan_of
from factscope.benchmarks.generate import Answers, complete_answers, due_answers, given_responses
from factscope.cli.call_options import CallOptions, OptionGroup
from factscope.cli.forecast import DueAnswer, at_hand, forecast, put_forecast
from factscope.cli.options import DryRun
from factscope.cli.output import log, warn
from factscope.cli.progress import ProgressDisplay
from factscope.cli.result_options import ResultOptions
from factscope.core import many
from factscope.engine import Tools
from factscope.engine.estimate import StepEstimate
from factscope.engine.run import RunProgress
from factscope.engine.settings import Settings
from factscope.judging.user_request import whole_request
from factscope.methods import Method

MAX_NAMES = 10
"""Most messages of one kind that are printed."""


AnswerFiles = Annotated[
    list[Path] | None, typer.Option(metavar="FILE", help="Existing answers: rows of id, model, response.")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Judge again, even if results are stored.")]


class CandidateOptions(OptionGroup):
    """The models that are measured, and the number of examples."""

    model: Annotated[list[str] | None, typer.Option(metavar="PROVIDER/MODEL")] = None
    """A model that answers. Repeat for more."""
    answers: AnswerFiles = None
    limit: Annotated[int | None, typer.Option(min=1)] = None
    """Maximum number of examples of each split."""
    dry_run: DryRun = False

    def plan(
        self, examples: Examples, read: Callable[[Sequence[Path], Sequence[Example]], GivenAnswers]
    ) -> BenchmarkPlan:
        """Plan the benchmark with these examples, and report irregular rows. Raises UsageError, InputError."""
        given_answers = read(self.answers or [], examples.rows)
        warn((*examples.notes, *given_answers.notes))
        plan = plan_of(examples, given_answers, self.model or [], self.limit)
        warn(
            f"{model} lacks {many(n, 'answer')}; it is asked for answers only with --model {model}"
            for model, n in plan.absent.items()
        )
        return plan


class SampledOptions(ResultOptions):
    """Where a result with intervals is written, and how these are computed."""

    resamples: Annotated[int, typer.Option(min=2)] = 2_000
    """Bootstrap resamples."""
    seed: Annotated[int, typer.Option(min=0)] = 0
    """Random seed."""

    @property
    def sampling(self) -> dict[str, int]:
        """Return the settings of the bootstrap, as keyword arguments."""
        return {"resamples": self.resamples, "seed": self.seed}


class BenchOptions(CandidateOptions, SampledOptions, CallOptions):
    """Options of a benchmark: who is measured, where the result goes, and how models are called."""


class SampledCallOptions(SampledOptions, CallOptions):
    """Options of a command that asks models, for a result with intervals."""


def counting(display: ProgressDisplay, phase: str, counted: str) -> Callable[[int, int], None]:
    """Return a callback that shows the number of finished items, such as `3 of 10 answers`."""

    def show_count(done: int, total: int) -> None:
        display.show(phase, done, total, f"{done:,} of {total:,} {counted}")

    return show_count


async def answers_of(plan: BenchmarkPlan, tools: Tools, role: str, display: ProgressDisplay) -> Answers:
    """Have the models of a plan answer, with the settings of `role`; report missing answers."""
    answers = await complete_answers(plan, tools.models, role, counting(display, "Answering", "answers"))
    tell_missing(answers.missing, "answer is missing", "answers are missing")
    return answers


def put_answers_forecast(
    plan: BenchmarkPlan,
    role: str,
    method: Method,
    tools: Tools,
    settings: Settings,
    result: ResultOptions,
    more_steps: Callable[[Answers], tuple[StepEstimate, ...]] = lambda answers: (),
) -> None:
    """Print the calls and cost of having the models answer, by `role`, and the answers checked by `method`.

    `more_steps` are further calls, given the existing answers.
    """
    answers = at_hand(tools, lambda: complete_answers(plan, tools.models, role))
    due = [DueAnswer(model, whole_request(row.request), row.request) for model, row in due_answers(plan, answers.texts)]
    values = forecast(list(given_responses(plan, answers)), method, tools, settings, due, more_steps(answers))
    put_forecast(values, "json" if result.form == "json" else "text")


def exit_code(many: RunProgress, n_missing: int, plan: BenchmarkPlan, settings: Settings) -> int:
    """Print how a run ended that also lacks `n_missing` results, and return the exit code.

    It is 1, too, where rows of the examples or answers could not be used.
    """
    n_failed = n_missing - sum(plan.absent.values())
    warn(f"Answer {name}: {reason}" for name, reason in many.refused[:MAX_NAMES])
    if many.stopped:
        log(f"factscope: {many.stopped}", "red")
    elif (many.to_try_again or n_failed > 0) and settings.batch is None:
        log("Run the same command again to try what failed once more.", "yellow")
    return 1 if many.incomplete or n_missing or plan.n_unusable else 0


def tell_missing(missing: Mapping[Any, str], singular: str, plural: str) -> None:
    """Print each reason for missing results with its count, followed by one of the two phrases."""
    reasons = Counter(missing.values()).most_common(MAX_NAMES)
    warn(f"{many(n, singular, plural)}: {reason}" for reason, n in reasons)
