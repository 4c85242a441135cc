"""`factscope export`: a report that was made before, or all of a run, in another form."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from factscope.cli.options import Output, OutputFormat, StoreLocation
from factscope.cli.output import choose_format, put_report, tell_written
from factscope.cli.stored import load_report, open_run, put_reports, tell_left_out, tell_unfinished
from factscope.core.errors import UsageError
from factscope.core.plurals import many
from factscope.integrations.python.report import Report

EXAMPLE = "Example: factscope export last -o report.html"


def export(
    report: Annotated[
        str,
        typer.Argument(
            metavar="REPORT", help="A report file, - for standard input, the id of a stored check or run, or last."
        ),
    ] = "last",
    to: Annotated[
        Literal["langfuse", "phoenix", "huggingface"] | None,
        typer.Option(help="Send scores to existing traces, or write a data set folder with its card to OUT."),
    ] = None,
    format: OutputFormat = None,  # noqa: A002 - the option's name
    output: Output = None,
    store: StoreLocation = None,
) -> None:
    """Write a report, or the reports of a run, in another form.

    Text, JSON, JSONL, Markdown, HTML, CSV, Parquet, JUnit for a build server, or ClaimReview for fact-check markup.
    """
    if to:
        _put_elsewhere(report, to, output, store)
        return
    output_format = choose_format(format, output)
    many = False
    if report != "-" and not Path(report).is_file():
        with open_run(report, store) as stored:
            many = len(stored) > 1 or bool(stored.left_out)
            if many:
                tell_left_out(stored.left_out)
                put_reports(stored, output_format, output, stored.left_out)
    if not many:
        put_report(load_report(report, store), output_format, output)
    tell_written(output)


def _put_elsewhere(
    source: str, to: Literal["langfuse", "phoenix", "huggingface"], output: Path | None, store: str | None
) -> None:
    """Send a run's scores, or write its data set folder. Raises UsageError, StoreError, and SendError."""
    with open_run(source, store) as stored:
        tell_left_out(stored.left_out)
        tell_unfinished(stored.run)
        reports = (Report(record) for record in stored.values())
        if to == "huggingface":
            from factscope.integrations.hugging_face import write_folder

            if output is None:
                raise UsageError("A data set folder needs a name.", "Name it: -o FOLDER.")
            finished = stored.run.finished is not None
            n = write_folder(stored.run.id, reports, output, left_out=stored.left_out, finished=finished)
            typer.echo(f"Wrote {many(n, 'response')} to {output}", err=True)
            return
        from factscope.integrations.trace_scores import send

        n, unscored = send(stored.run.id, stored.run.started, reports, to, os.environ)
    typer.echo(f"Sent {many(n, 'score')} to {to}", err=True)
    if unscored:
        typer.echo(f"Without a score, not assessed or failed: {', '.join(unscored[:10])}", err=True)
