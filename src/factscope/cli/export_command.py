"""`factscope export`: a report that was made before, or all of a run, in another form."""

from __future__ import annotations

import os
from typing import Annotated, Literal

import typer

from factscope.cli.call_options import ReportFileOptions, with_groups
from factscope.cli.options import StoreLocation
from factscope.cli.output import choose_format, put_report, tell_written
from factscope.cli.stored import load_report, open_run, put_reports, report_file, tell_left_out, tell_unfinished
from factscope.core import UsageError, many
from factscope.integrations.python.report import Report


class ExportOptions(ReportFileOptions):
    """The report, its new form, and where it goes."""

    report: Annotated[str, typer.Argument(metavar="REPORT")] = "last"
    """A report file, - for standard input, the id of a stored check or run, or last."""
    to: Literal["langfuse", "phoenix", "huggingface"] | None = None
    """Send scores to existing traces, or write a data set folder with its card to OUT."""
    store: StoreLocation = None


@with_groups
def export(options: ExportOptions) -> None:
    """Write a report, or the reports of a run, in another form.

    Text, JSON, JSONL, Markdown, HTML, CSV, Parquet, JUnit for a build server, SARIF for a code host, or ClaimReview for
    fact-check markup.

    Example: factscope export last -o report.html
    """
    if options.to:
        _put_elsewhere(options, options.to)
        return
    output_format = choose_format(options.format, options.output)
    many = False
    if report_file(options.report) is None:
        with open_run(options.report, options.store) as stored:
            many = len(stored) > 1 or bool(stored.left_out)
            if many:
                tell_left_out(stored.left_out)
                put_reports(stored, output_format, options.output, stored.left_out, scored=False)
    if not many:
        put_report(load_report(options.report, options.store), output_format, options.output)
    tell_written(options.output)


def _put_elsewhere(options: ExportOptions, to: Literal["langfuse", "phoenix", "huggingface"]) -> None:
    """Send a run's scores, or write its data set folder. Raises UsageError, StoreError, and SendError."""
    with open_run(options.report, options.store) as stored:
        tell_left_out(stored.left_out)
        tell_unfinished(stored.run)
        reports = (Report(record) for record in stored.values())
        if to == "huggingface":
            from factscope.integrations.hugging_face import write_folder

            if options.output is None:
                raise UsageError("A data set folder needs a name.", "Name it: -o FOLDER.")
            finished = stored.run.finished is not None
            n = write_folder(stored.run.id, reports, options.output, left_out=stored.left_out, finished=finished)
            typer.echo(f"Wrote {many(n, 'response')} to {options.output}", err=True)
            return
        from factscope.integrations.trace_scores import send

        n, unscored = send(stored.run.id, stored.run.started, reports, to, os.environ)
    typer.echo(f"Sent {many(n, 'score')} to {to}", err=True)
    if unscored:
        typer.echo(f"Without a score, not assessed or failed: {', '.join(unscored[:10])}", err=True)
