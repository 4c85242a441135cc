"""`factscope demo`: a check of bundled texts and documents, without a key or a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import factscope
from factscope.cli.background import serve_in_background
from factscope.cli.calling import load
from factscope.cli.check_command import run_check
from factscope.cli.inputs import read_text
from factscope.cli.options import Quiet
from factscope.cli.output import put_report
from factscope.cli.progress import ProgressDisplay
from factscope.core.errors import UsageError

EXAMPLE = "Example: factscope demo -o demo.html"
DOCUMENTS = "harbour"
IDLE_MINUTES = 30  # minutes after which a forgotten demonstration ends
_OTHERS = ("README.md", "conversations-facts.md")  # beside the texts, but about no harbour town
_SAMPLES = {"harbour-guide": "1-harbour-guide"}
"""Sample of the page for each bundled text."""


def demo(
    text: Annotated[str, typer.Argument(metavar="NAME", help="Which bundled text to check.")] = "harbour-guide.md",
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="OUT", help="Write the HTML report to this file.")
    ] = Path("factscope-demo.html"),
    page: Annotated[
        bool, typer.Option("--page/--no-page", help="Serve the interactive page, in the background.")
    ] = True,
    quiet: Quiet = False,
) -> None:
    """Check a bundled text, with errors in it, against bundled documents about an invented harbour town."""
    folder = examples_folder()
    texts = sorted(path for path in folder.glob("*.*") if path.suffix in (".md", ".txt") and path.name not in _OTHERS)
    selected = next((path for path in texts if text in (path.name, path.stem)), None)
    if selected is None:
        raise UsageError(f"Unknown bundled text {text!r}.", f"Choose from: {', '.join(p.name for p in texts)}.")
    with ProgressDisplay(quiet=quiet) as progress:
        settings = load({"method": "builtin", "evidence": [folder / DOCUMENTS]})
        report = run_check(read_text(str(selected)), settings, progress, keep=False).report
    put_report(report, "text", None, "short")
    put_report(report, "html", output)
    typer.echo(f"Checked {selected} against the documents in {folder / DOCUMENTS}.", err=True)
    typer.echo(f"The report as a file: {output}", err=True)
    if page and selected.stem in _SAMPLES:
        _serve(_SAMPLES[selected.stem])


def _serve(sample: str) -> None:
    served = serve_in_background(IDLE_MINUTES)
    typer.echo(f"The same in the interactive page: {served.address}#example={sample}")
    if served.process:
        typer.echo(
            f"The page ends by itself after {IDLE_MINUTES} minutes without a visit, or by: kill {served.process}",
            err=True,
        )


def examples_folder() -> Path:
    """Return the folder of bundled texts: inside the installed package, or beside it in a checkout."""
    package = Path(factscope.__file__).parent
    installed = package / "_examples"
    folder = installed if installed.is_dir() else package.parent.parent / "examples"
    return folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
