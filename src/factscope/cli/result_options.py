"""Options for the format and the place of results, and the functions that write them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from factscope.cli.call_options import OptionGroup
from factscope.cli.options import Output, Quiet
from factscope.cli.output import put_console, put_text, refuse_to_overwrite_inputs, tell_written
from factscope.core import TABLE, FormatName, by_ending
from factscope.report.document import Result


class ResultOptions(OptionGroup):
    """Where a result is written, and in which format."""

    format: Annotated[FormatName | None, typer.Option("--format", "-f")] = None
    """Output format. Default: by the extension of OUT, else table."""
    output: Output = None

    def __post_init__(self) -> None:
        """Refuse a file that can't be written, before there is a result: UsageError for its extension, StoreError."""
        by_ending(self.format, self.output)
        refuse_to_overwrite_inputs(self.output)

    @property
    def form(self) -> str:
        """The format: that of the option, otherwise of the file extension, otherwise a table."""
        return by_ending(self.format, self.output)

    def put(self, result: Result) -> None:
        """Write a result. Raises StoreError.

        If it goes to a file in another format than the table, the table is printed too.
        """
        put_result(result, self.form, self.output, quiet=True)
        if self.form != TABLE and self.output is not None:
            put_result(result, TABLE, None)


class ResultFileOptions(ResultOptions):
    """Where a result alone is written, and whether the file is named."""

    quiet: Quiet = False

    def put(self, result: Result) -> None:
        """Write a result. Raises StoreError."""
        put_result(result, self.form, self.output, quiet=self.quiet)


def put_result(result: Result, chosen: str, output: Path | None, *, quiet: bool = False) -> None:
    """Write a result in the chosen format, and unless `quiet` name the file. Raises StoreError."""
    if chosen == TABLE:
        from factscope.report.console import print_document  # with rich, which no other format needs

        put_console(lambda console: print_document(result.document(), console), output)
    else:
        put_text(result.text(chosen), output)
    if not quiet:
        tell_written(output)
