"""Shared code of the commands under `factscope bench`: options, writing of results, and reading of answers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factscope.cli.output import log, put_console, put_text

if TYPE_CHECKING:
    from rich.console import Console

    from factscope.cli.progress import ProgressDisplay

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


def put_values(
    values: Callable[[], Any], show: Callable[[Console], None], output_format: BenchFormat | None, output: Path | None
) -> None:
    """Write a result as `values` in JSON or as the table that `show` prints; with JSON in a file, both.

    Without a format the ending of the file decides. Raises StoreError when it can't be written.
    """
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


def tell_missing(missing: Mapping[Any, str], subject: str) -> None:
    """Say for each reason how often it kept something from being had; `what` begins the line after the number."""
    for reason, n in Counter(missing.values()).most_common(MAX_NAMES):
        log(f"{n:,} {subject}: {reason}", "yellow")
