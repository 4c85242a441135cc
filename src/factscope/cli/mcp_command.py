"""`factscope mcp`: a server for assistants, over standard input and output."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from factscope.cli.call_options import CheckerOptions, with_groups
from factscope.cli.options import (
    MaxCalls,
    MaxCost,
    MaxTokens,
    Replay,
    StorePath,
)

EXAMPLE = "Example, in the settings of an assistant: factscope mcp --evidence /home/me/docs --max-cost 1"


@with_groups
def mcp(
    *,
    checker: CheckerOptions,
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_characters: Annotated[int, typer.Option(min=1, help="Longest text that an assistant may send.")] = 20_000,
    replay: Replay = None,
    store: StorePath = None,
) -> None:
    """Serve the Model Context Protocol, for assistants: they check texts, and choose neither evidence nor model."""
    from factscope.cli.checkers import checker_of
    from factscope.integrations.mcp import build_server
    from factscope.integrations.mcp_results import ToolLimits

    flags = {**asdict(checker), "max_cost": max_cost, "max_calls": max_calls, "max_tokens": max_tokens}
    opened, settings = checker_of({**flags, "replay": replay, "store": store})
    build_server(opened, settings.store, ToolLimits(characters=max_characters)).run()
