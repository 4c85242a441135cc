"""Shared code of the commands under `factscope bench`: options, writing of results, and reading of answers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factscope.cli.options import Output
from factscope.cli.output import log, put_console, put_text

if TYPE_CHECKING:
    from rich.console import Console

    from factscope.benchmarks.examples import BenchmarkPlan
    from factscope.benchmarks.generate import Answers
    from factscope.cli.progress import ProgressDisplay
    from factscope.engine import Tools
    from factscope.engine.estimate import StepEstimate
    from factscope.engine.run import RunProgress
    from factscope.engine.settings import Settings
    from factscope.methods import Method

MAX_NAMES = 10
"""Most lines of one kind that are said."""


class BenchFormat(StrEnum):
    """Output formats of the result."""

    TABLE = "table"
    JSON = "json"


Candidates = Annotated[
    list[str] | None, typer.Option(metavar="PROVIDER/MODEL", help="A model that answers. Repeat for more.")
]
Limit = Annotated[int | None, typer.Option(min=1, help="Maximum number of examples of each split.")]
Resamples = Annotated[int, typer.Option(min=2, help="Draws of each bootstrap.")]
Seed = Annotated[int, typer.Option(help="Seed of the draws.")]
ResultFormat = Annotated[
    BenchFormat | None, typer.Option("--format", "-f", help="Output format. Default: by OUT, else table.")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Judge again, even if results are stored.")]


@dataclass(frozen=True)
class ResultOptions:
    """Where a result goes, and in which form."""

    format: ResultFormat = None
    output: Output = None


@dataclass(frozen=True)
class SampledOptions(ResultOptions):
    """Where a result with intervals goes, and how they are drawn."""

    resamples: Resamples = 2_000
    seed: Seed = 0

    @property
    def sampling(self) -> dict[str, int]:
        """The draws, as figures take them."""
        return {"resamples": self.resamples, "seed": self.seed}


def put_values(values: Callable[[], Any], show: Callable[[Console], None], result: ResultOptions) -> None:
    """Write a result as `values` in JSON or as the table that `show` prints; with JSON in a file, both.

    Without a format the ending of the file decides. Raises StoreError when it can't be written.
    """
    output_format, output = result.format, result.output
    by_name = output is not None and output.suffix.lower() == ".json"
    as_values = output_format is BenchFormat.JSON or (output_format is None and by_name)
    if as_values:
        put_text(json.dumps(values(), ensure_ascii=False, indent=1) + "\n", output)
    if not as_values or output is not None:
        put_console(show, None if as_values else output)


def counting(display: ProgressDisplay, phase: str, counted: str) -> Callable[[int, int], None]:
    """Return a callback that shows how many are done, such as `3 of 10 answers`."""

    def show_count(done: int, total: int) -> None:
        display.show(phase, done, total, f"{done:,} of {total:,} {counted}")

    return show_count


async def answers_of(plan: BenchmarkPlan, tools: Tools, role: str, display: ProgressDisplay) -> Answers:
    """Have the models of a plan answer, with the settings of `role`; say what could not be had."""
    from factscope.benchmarks.generate import complete_answers

    answers = await complete_answers(plan, tools.models, role, counting(display, "Answering", "answers"))
    tell_missing(answers.missing, "answers are missing")
    return answers


def put_answers_forecast(
    plan: BenchmarkPlan,
    role: str,
    method: Method,
    tools: Tools,
    settings: Settings,
    output_format: BenchFormat | None,
    more_steps: Callable[[Answers], tuple[StepEstimate, ...]] = lambda answers: (),
) -> None:
    """Say what it would call and cost to have the models answer, by `role`, and the answers checked by `method`.

    `more_steps` are what else is asked, given the answers that there are.
    """
    from factscope.benchmarks.generate import complete_answers, due_answers
    from factscope.cli.forecast import DueAnswer, at_hand, forecast, put_forecast
    from factscope.judging.user_request import whole_request

    answers = at_hand(tools, lambda: complete_answers(plan, tools.models, role))
    due = [DueAnswer(model, whole_request(row.request), row.request) for model, row in due_answers(plan, answers.texts)]
    written = [
        row.request.model_copy(update={"text": text, "model": model})
        for row in plan.rows
        for model in plan.models
        if (text := answers.texts.get((model, row.id)))
    ]
    values = forecast(written, method, tools, settings, due, more_steps(answers))
    put_forecast(values, "json" if output_format is BenchFormat.JSON else "text")


def exit_code(many: RunProgress, n_missing: int, settings: Settings) -> int:
    """Say how a run ended that lacks `n_missing` results besides, and return the exit code."""
    for name, reason in many.refused[:MAX_NAMES]:
        log(f"Answer {name}: {reason}", "yellow")
    if many.stopped:
        log(f"factscope: {many.stopped}", "red")
    elif (many.with_failures or n_missing) and settings.batch is None:
        log("Run the same command again to try what failed once more.", "yellow")
    return 1 if many.stopped or many.with_failures or n_missing or many.refused else 0


def tell_missing(missing: Mapping[Any, str], subject: str) -> None:
    """Say for each reason how often it kept something from being had; `what` begins the line after the number."""
    for reason, n in Counter(missing.values()).most_common(MAX_NAMES):
        log(f"{n:,} {subject}: {reason}", "yellow")
