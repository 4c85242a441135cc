"""Results of commands in every format: one option, and one way to write them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from factscope.cli.output import log, put_console, put_text
from factscope.core.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from factscope.report.document import Block

TABLE = "table"
ENDINGS = {
    ".json": "json",
    ".md": "md",
    ".csv": "csv",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
    ".txt": TABLE,
}
FormatName = Literal["table", "json", "md", "csv", "latex", "html"]
FORMAT = typer.Option("--format", "-f", help="Output format. Default: by the extension of OUT, else table.")
ResultFormat = Annotated[FormatName | None, FORMAT]


@dataclass(frozen=True)
class Result:
    """A result, made when it is known in which format it is wanted."""

    title: str
    values: Callable[[], Any]
    """All of it as plain values, for JSON."""
    document: Callable[[], Iterable[Block]] = tuple
    """Its tables and notes."""
    show: Callable[[Console], None] | None = None
    """Prints it, where that is more than the document."""
    texts: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    """By format, where it has a form of its own."""
    indent: int = 2
    """Of the JSON."""

    def print(self, console: Console) -> None:
        """Print it on a terminal."""
        from factscope.report.console import print_document

        if self.show:
            self.show(console)
        else:
            print_document(self.document(), console)

    def text(self, name: str) -> str:
        """Write it in a format that is not for a terminal."""
        if name in self.texts:
            return self.texts[name]()
        match name:
            case "json":
                return json.dumps(self.values(), ensure_ascii=False, indent=self.indent) + "\n"
            case "csv":
                from factscope.report.csv_text import to_csv

                return to_csv(self.document())
            case "latex":
                from factscope.report.latex import document_to_latex

                return document_to_latex(self.document())
            case "html":
                from factscope.report.document_page import to_html

                return to_html(self.title, self.document())
        from factscope.report.markdown_text import to_markdown

        return to_markdown(self.document())


def by_ending(requested: str | None, output: Path | None, names: Sequence[str] = get_args(FormatName)) -> str:
    """Return the requested format, else that of the file extension, else the first of `names`. Raises UsageError."""
    if requested is not None or output is None:
        return requested or names[0]
    if ENDINGS.get(output.suffix.lower()) not in names:
        raise UsageError(f"The file extension of {output} is not a known format.", f"Add --format {'|'.join(names)}.")
    return ENDINGS[output.suffix.lower()]


def put_result(result: Result, chosen: str, output: Path | None) -> None:
    """Write a result in the chosen format. Raises StoreError."""
    if chosen == TABLE:
        put_console(result.print, output)
    else:
        put_text(result.text(chosen), output)
    if output is not None:
        log(f"Wrote {output}")
