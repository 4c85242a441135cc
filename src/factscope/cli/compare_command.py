"""`factscope compare`: the changes between two runs."""

from __future__ import annotations

from typing import Annotated

import typer

from factscope.cli.call_options import ReportFileOptions, with_groups
from factscope.cli.options import StoreLocation
from factscope.cli.output import choose_format, put_console, put_text, tell_written
from factscope.cli.stored import open_run
from factscope.core.errors import UsageError
from factscope.engine.data_rows import left_out_by_model
from factscope.report.run_diff import MOST_CHANGES, document, to_json
from factscope.scoring.compare_runs import compare as compare_runs


class CompareOptions(ReportFileOptions):
    """The two runs, and how the comparison is written."""

    first: Annotated[str, typer.Argument(metavar="RUN")]
    """A stored run: the beginning of its id, or last."""
    second: Annotated[str, typer.Argument(metavar="RUN")]
    """The run to compare it with."""
    measure: list[str] | None = None
    """Measure. Repeat for more. Default: those that both methods name."""
    store: StoreLocation = None


@with_groups
def compare(options: CompareOptions) -> None:
    """List the verdicts that changed between two runs, and whether their scores differ by more than chance.

    Example: factscope compare 3fa2 9c01 --measure factual_precision. Runs: see the ids that `run` prints.
    """
    output_format = choose_format(options.format, options.output)
    if output_format not in ("text", "json", "md"):
        raise UsageError(f"A comparison can't be written as {output_format}.", "Choose from: text, json, md.")
    with open_run(options.first, options.store) as stored_first, open_run(options.second, options.store) as other:
        if stored_first.run.id == other.run.id:
            raise UsageError(
                f"{options.first} and {options.second} are the same run, {other.run.id}: there is nothing to compare.",
                "Name two runs. Other columns, methods, models or evidence make another; `--fresh` does not.",
            )
        comparison = compare_runs(
            stored_first,
            other,
            options.measure,
            names=(stored_first.run.id[:8], other.run.id[:8]),
            left_out=(left_out_by_model(stored_first.left_out_rows), left_out_by_model(other.left_out_rows)),
        )
    if output_format == "text":
        from factscope.report.console import print_document

        put_console(lambda console: print_document(document(comparison, MOST_CHANGES), console), options.output)
    elif output_format == "md":
        from factscope.report.markdown_text import to_markdown

        put_text(to_markdown(document(comparison), headings=True), options.output)
    else:
        put_text(to_json(comparison), options.output)
    tell_written(options.output)
