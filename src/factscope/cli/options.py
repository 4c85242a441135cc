"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from factscope.core import UsageError

Format = str
"""`text`, or the name of a registered format of reports."""


ListFormat = Literal["text", "json"]
"""Output formats of a short list."""


def _complete_method(incomplete: str) -> list[str]:
    from factscope.engine.find_method import method_names

    return [name for name in method_names() if name.startswith(incomplete)]


def _format_names() -> tuple[str, ...]:
    """Return the names of all formats, imported only here so that help loads none of them."""
    from factscope.report import RENDERERS

    return ("text", *RENDERERS.names())


def known_format(requested: str | None) -> str | None:
    """Return the name of a format. Raises UsageError for an unknown one."""
    if requested is None or requested == "text":
        return requested
    from factscope.report import RENDERERS

    if requested not in RENDERERS:  # not all their names: to list them reads a file of each installed package
        raise UsageError(f"Unknown format {requested!r}.", f"Choose from: {', '.join(_format_names())}.")
    return requested


def complete_format(incomplete: str) -> list[str]:
    """Return the formats that begin so."""
    return [name for name in _format_names() if name.startswith(incomplete)]


MethodName = Annotated[
    str | None, typer.Option("--method", "-m", help="Method by name, or a TOML file.", autocompletion=_complete_method)
]
MaxCost = Annotated[float | None, typer.Option(help="Limit on the cost in US dollars; no further call is made then.")]
InFlight = Annotated[int | None, typer.Option(help="Maximum number of calls to a model server at once.")]
Record = Annotated[Path | None, typer.Option(metavar="FILE", help="Record the calls in a file.")]
Replay = Annotated[Path | None, typer.Option(metavar="FILE", help="Answer calls from a recording.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Make no call: estimate calls, tokens, money and time.")]
StoredRunName = Annotated[str, typer.Argument(metavar="RUN", help="The id of a stored run, or last.")]
LabelledSet = Annotated[str, typer.Argument(metavar="DATASET", help="A labelled file, or a data set of the catalogue.")]
LocalCopy = Annotated[Path | None, typer.Option(help="Local copy of a data set of the catalogue.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", metavar="OUT", help="Write to this file.")]
StoreLocation = Annotated[
    str | None, typer.Option(metavar="FILE", help="File that stores checks, or postgresql://user@host/name.")
]
SERVER_TOKEN = "FACTSCOPE_TOKEN"  # noqa: S105 - the name of a variable
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
AsList = Annotated[ListFormat, typer.Option("--format", "-f", help="Output format.")]
