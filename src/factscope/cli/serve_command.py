"""`factscope serve`: the page and the HTTP API."""

from __future__ import annotations

import json
import os
import threading
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from factscope.cli.call_options import EvidenceOptions, ModelOptions, ServingOptions, with_groups
from factscope.cli.calling import load
from factscope.cli.options import SERVER_TOKEN, InFlight, ListFormat, MaxCost
from factscope.core import __version__, is_address


class ServeOptions(EvidenceOptions, ModelOptions, ServingOptions):
    """The server, and settings of the checks that it makes."""

    max_cost: MaxCost = None
    in_flight: InFlight = None
    store: Annotated[str | None, typer.Option(metavar="FILE|URL")] = None
    """Store of the checks: a file, or postgresql://… for several servers."""
    name: list[str] | None = None
    """Another host name of the server, such as a proxy's."""
    idle: Annotated[float, typer.Option(min=0)] = 0
    """End after this many idle minutes; 0 never ends."""
    at_once: Annotated[int, typer.Option(min=1, max=256)] = 4
    """Checks that run at once."""


@with_groups
def serve(options: ServeOptions) -> None:
    """Serve the page and the HTTP API on this machine.

    Checks continue while no browser is open, and after a restart. Without a model, texts are checked against documents
    that you drop in.

    Example: factscope serve --port 9000 --no-browser. Ctrl-C ends it; checks under way carry on at the next start.
    """
    os.environ.pop(SERVER_TOKEN, None)  # no child process needs it
    from factscope.evidence.file_list import must_exist
    from factscope.llm.providers import endpoint
    from factscope.web.check_tables import JobLimits
    from factscope.web.server import default_store
    from factscope.web.server import serve as serve_until_told

    settings = load(options.settings(store=None))  # its default is another than that of a check
    must_exist(path for path in settings.evidence if isinstance(path, Path))
    for model in settings.model.values():
        endpoint(model, os.environ, need_key=False)  # a wrong name is told now, and not by the first check
    store_path = options.store or default_store(settings)

    def show_address(address: str) -> None:
        _print_address(f"{address}{options.query}", options.format)
        if options.browser:
            open_page(f"{address}{options.query}")

    address, room = options.address(options.name or ()), JobLimits(running=options.at_once)
    serve_until_told(settings, absolute(store_path), address, show_address, room, 60 * options.idle)


def absolute(store: str) -> str:
    """Return a store's absolute path; an address is unchanged."""
    return store if is_address(store) else str(Path(store).absolute())


def _print_address(address: str, format: ListFormat) -> None:  # noqa: A002 - as the option
    if format == "json":
        typer.echo(json.dumps({"address": address, "factscope": __version__, "process": os.getpid()}))
    else:
        typer.echo(f"Factscope is at {address}")
        typer.echo("Ctrl-C ends it.", err=True)


def open_page(address: str) -> None:
    """Open the page, if there is a browser, without waiting for it."""
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
