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

    from factscope.cli.progress import ProgressDisplay
    from factscope.engine.run import RunProgress
    from factscope.engine.settings import Settings

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


def answering(display: ProgressDisplay) -> Callable[[int, int], None]:
    """Return a callback that shows the number of answers."""

    def show_count(done: int, total: int) -> None:
        display.show("Answering", done, total, f"{done:,} of {total:,} answers")

    return show_count


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
