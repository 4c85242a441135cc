"""`factscope demo`: a check of bundled texts and documents, without a key or a network."""

from __future__ import annotations

import json
import select
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Annotated

import typer

import factscope
from factscope.cli.calling import load
from factscope.cli.inputs import read_text
from factscope.cli.options import Quiet
from factscope.cli.output import put_report
from factscope.cli.progress import ProgressDisplay
from factscope.core import StoreError, UsageError, __version__

DOCUMENTS = "harbour"
IDLE_MINUTES = 30  # minutes after which a forgotten demonstration ends
_PORT = 8642
_START_SECONDS = 30  # a server that has not answered by then has failed
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
    """Check a bundled text, with errors in it, against bundled documents about an invented harbour town.

    Example: factscope demo -o demo.html
    """
    folder = examples_folder()
    texts = sorted(path for path in folder.glob("*.*") if path.suffix in (".md", ".txt") and path.name not in _OTHERS)
    selected = next((path for path in texts if text in (path.name, path.stem)), None)
    if selected is None:
        raise UsageError(f"Unknown bundled text {text!r}.", f"Choose from: {', '.join(p.name for p in texts)}.")
    with ProgressDisplay(quiet=quiet) as progress:
        from factscope.cli.check_run import run_check

        settings = load({"method": "builtin", "evidence": [folder / DOCUMENTS]})
        report = run_check(read_text(str(selected)), settings, progress, keep=False).report
    put_report(report, "text", None, "short")
    put_report(report, "html", output)
    typer.echo(f"Checked {selected} against the documents in {folder / DOCUMENTS}.", err=True)
    typer.echo(f"The report as a file: {output}", err=True)
    if page and selected.stem in _SAMPLES:
        address, process = _serve_in_background()
        typer.echo(f"The same in the interactive page: {address}#example={_SAMPLES[selected.stem]}")
        if process:
            ending = f"after {IDLE_MINUTES} minutes without a visit. To stop it now: kill {process}"
            typer.echo(f"The page stops {ending}", err=True)


def _serve_in_background() -> tuple[str, int | None]:
    """Return the address of the running server of this version, or start one that ends when it is idle.

    Beside it stands the id of its process, or None for one that was running already. Raises StoreError with the
    server's message when it does not start.
    """
    address = f"http://127.0.0.1:{_PORT}/"
    if _answers(address):
        return address, None
    port = _PORT if _is_free(_PORT) else 0
    command = [sys.executable, "-m", "factscope", "serve", "--no-browser", "--format", "json"]
    command += ["--port", str(port), "--idle", str(IDLE_MINUTES)]
    with tempfile.TemporaryFile() as log:
        begun = subprocess.Popen(  # noqa: S603 - ourselves
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, start_new_session=True
        )
        assert begun.stdout is not None
        ready, _, _ = select.select([begun.stdout], [], [], _START_SECONDS)
        line = begun.stdout.readline() if ready else b""
        begun.stdout.close()
        if not line:
            begun.kill()
            begun.wait()
            log.seek(0)
            reason = " ".join(log.read().decode("utf-8", "replace").split())[-500:] or "it did not answer in time"
            raise StoreError(f"The page could not be served: {reason}", "Try `factscope serve`.")
    return json.loads(line)["address"], begun.pid


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}healthz", timeout=2) as reply:  # noqa: S310 - our own address
            return bool(json.load(reply).get("version") == __version__)
    except (OSError, ValueError, urllib.error.URLError):
        return False


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def examples_folder() -> Path:
    """Return the folder of bundled texts: inside the installed package, or beside it in a checkout."""
    package = Path(factscope.__file__).parent
    installed = package / "_examples"
    folder = installed if installed.is_dir() else package.parent.parent / "examples"
    return folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
