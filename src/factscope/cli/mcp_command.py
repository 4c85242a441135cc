"""`factscope mcp`: a server for assistants, over standard input and output."""

from __future__ import annotations

from typing import Annotated

import typer

from factscope.cli.call_options import CheckerOptions, LimitOptions, with_groups
from factscope.cli.calling import checker_of
from factscope.cli.options import Replay, StoreLocation


class ServedOptions(CheckerOptions, LimitOptions):
    """Options of the checker that assistants use."""

    replay: Replay = None
    store: StoreLocation = None
    max_characters: Annotated[int, typer.Option(min=1)] = 20_000
    """Longest text or question that may be sent."""


@with_groups
def mcp(options: ServedOptions) -> None:
    """Serve the Model Context Protocol, for assistants: they check texts, and choose neither evidence nor model.

    Example, in the settings of an assistant: factscope mcp --evidence /home/me/docs --max-cost 1
    """
    from factscope.integrations.mcp import build_server

    opened, settings = checker_of(options.settings())
    build_server(opened, settings.store, options.max_characters).run()
