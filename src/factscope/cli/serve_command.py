"""`factscope serve`: the page and the HTTP API."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from factscope.cli.options import (
    SERVER_TOKEN,
    AsList,
    Browser,
    Evidence,
    Host,
    InFlight,
    ListFormat,
    MaxCost,
    Model,
    Port,
    Token,
)
from factscope.core.store_location import is_address

EXAMPLE = (
    "Example: factscope serve --port 9000 --no-browser. Ctrl-C ends it; checks under way carry on at the next start."
)


def serve(
    host: Host = "127.0.0.1",
    port: Port = 8642,
    browser: Browser = True,
    store: Annotated[
        str | None,
        typer.Option(metavar="FILE|URL", help="Store of the checks: a file, or postgresql://… for several servers."),
    ] = None,
    token: Token = None,
    name: Annotated[list[str] | None, typer.Option(help="Another host name of the server, such as a proxy's.")] = None,
    evidence: Evidence = None,
    model: Model = None,
    max_cost: MaxCost = None,
    in_flight: InFlight = None,
    idle: Annotated[float, typer.Option(min=0, help="End after this many idle minutes; 0 never ends.")] = 0,
    at_once: Annotated[int, typer.Option(min=1, max=256, help="Checks that run at once.")] = 4,
    format: AsList = ListFormat.TEXT,  # noqa: A002 - the option's name
) -> None:
    """Serve the page and the HTTP API on this machine.

    Checks run on while no browser is open, and after a restart. Without a model, texts are checked against documents
    that you drop in.
    """
    os.environ.pop(SERVER_TOKEN, None)  # no child process needs it
    from factscope.cli.calling import load
    from factscope.evidence.file_list import must_exist
    from factscope.web.jobs import JobLimits
    from factscope.web.server import ServerAddress, default_store
    from factscope.web.server import serve as serve_until_told

    settings = load({"evidence": evidence, "model": model, "max_cost": max_cost, "in_flight": in_flight})
    must_exist(path for path in settings.evidence if isinstance(path, Path))
    address = ServerAddress(host, port, (token,) if token else (), tuple(name or ()))
    store_path = store or default_store(settings)

    def show_address(address: str) -> None:
        opened = f"{address}?token={token}" if token else address
        _print_address(opened, format)
        if browser:
            open_page(opened)

    serve_until_told(settings, absolute(store_path), address, show_address, JobLimits(running=at_once), 60 * idle)


def absolute(store: str) -> str:
    """Return a store's absolute path; an address is unchanged."""
    return store if is_address(store) else str(Path(store).absolute())


def _print_address(address: str, format: ListFormat) -> None:  # noqa: A002 - as the option
    if format is ListFormat.JSON:
        import json

        from factscope.core.version import __version__

        typer.echo(json.dumps({"address": address, "factscope": __version__, "process": os.getpid()}))
    else:
        typer.echo(f"Factscope is at {address}")
        typer.echo("Ctrl-C ends it.", err=True)


def open_page(address: str) -> None:
    """Open the page, if there is a browser, without waiting for it."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
