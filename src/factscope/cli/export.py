"""`factscope export`: a report that was made before, in another form."""

from __future__ import annotations

from typing import Annotated

import typer

from factscope.cli.options import Output, OutputFormat, StorePath

EXAMPLE = "Example: factscope export last -o report.html"


def export(
    report: Annotated[
        str,
        typer.Argument(metavar="REPORT", help="A report file, - for standard input, the id of a kept check, or last."),
    ] = "last",
    format: OutputFormat = None,  # noqa: A002 - the option's name
    output: Output = None,
    store: StorePath = None,
) -> None:
    """Write a report in another form: text, JSON, JSONL, Markdown, HTML or CSV."""
    from factscope.cli.output import choose_format, put_report
    from factscope.cli.stored import load_report

    wanted = choose_format(format, output)
    put_report(load_report(report, store), wanted, output)
    if output is not None:
        typer.echo(f"Wrote {output}", err=True)
