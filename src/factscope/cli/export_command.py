"""`factscope export`: a report that was made before, or all of a run, in another form."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from factscope.cli.options import Output, OutputFormat, StorePath

EXAMPLE = "Example: factscope export last -o report.html"


def export(
    report: Annotated[
        str,
        typer.Argument(
            metavar="REPORT", help="A report file, - for standard input, the id of a kept check or run, or last."
        ),
    ] = "last",
    format: OutputFormat = None,  # noqa: A002 - the option's name
    output: Output = None,
    store: StorePath = None,
) -> None:
    """Write a report, or the reports of a run, in another form.

    Text, JSON, JSONL, Markdown, HTML, CSV, Parquet, JUnit for a build server, or ClaimReview for fact-check markup.
    """
    from factscope.cli.output import choose_format, put_report
    from factscope.cli.stored import load_report, open_run, put_reports

    output_format = choose_format(format, output)
    many = False
    if report != "-" and not Path(report).is_file():
        with open_run(report, store) as stored:
            many = len(stored) > 1
            if many:
                put_reports(stored, output_format, output)
    if not many:
        put_report(load_report(report, store), output_format, output)
    if output is not None:
        typer.echo(f"Wrote {output}", err=True)
