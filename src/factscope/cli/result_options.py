"""The option for the format of results, and the function that writes them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factscope.cli.output import put_console, put_text, tell_written
from factscope.core.result_format import TABLE, FormatName

if TYPE_CHECKING:
    from factscope.report.result import Result

FORMAT = typer.Option("--format", "-f", help="Output format. Default: by the extension of OUT, else table.")
ResultFormat = Annotated[FormatName | None, FORMAT]


def put_result(result: Result, chosen: str, output: Path | None, *, quiet: bool = False) -> None:
    """Write a result in the chosen format, and unless `quiet` name the file. Raises StoreError."""
    if chosen == TABLE:
        from factscope.report.console import print_document  # with rich, which no other format needs

        put_console(lambda console: print_document(result.document(), console), output)
    else:
        put_text(result.text(chosen), output)
    if not quiet:
        tell_written(output)
