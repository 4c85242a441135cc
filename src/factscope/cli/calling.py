"""What commands that call models share: their settings, a clean end on Ctrl-C, and what was spent."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from factscope.cli.output import say

if TYPE_CHECKING:
    from factscope.config import Settings
    from factscope.engine import Tools
    from factscope.records import Usage

T = TypeVar("T")
_PATIENCE = 5.0
"""Seconds that calls in flight have to end after Ctrl-C."""


def load(flags: dict[str, Any]) -> Settings:
    """The settings of a command. Raises UsageError for a bad value."""
    from factscope.config import load_settings

    return load_settings(flags, dot_env=True)[0]


def finish(tools: Tools, work: Callable[[], Awaitable[T]]) -> T:
    """Do the work in an event loop and close the tools, whatever happens.

    The first Ctrl-C begins nothing more and lets the calls in flight end, since they are paid for; the second ends
    everything at once. Raises what `work` raises, and KeyboardInterrupt.
    """

    async def main() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work())
        stopped = False

        def stop() -> None:
            nonlocal stopped
            stopped = True
            loop.remove_signal_handler(signal.SIGINT)  # the next one is Python's own: it ends everything
            flying = tools.models.land() if tools.models else 0
            if flying:
                say(f"\nFinishing {flying} calls in flight, {_PATIENCE:g} s at most. Ctrl-C again stops at once.")
            task.cancel()

        with suppress(NotImplementedError, ValueError, RuntimeError):  # a system, or a thread, without signals
            loop.add_signal_handler(signal.SIGINT, stop)
        try:
            return await task
        except asyncio.CancelledError:
            if stopped:
                raise KeyboardInterrupt from None
            raise
        finally:
            await tools.close(_PATIENCE if stopped else 0.0)

    return asyncio.run(main())


def told(usage: Iterable[Usage]) -> str:
    """What was used, in one line; empty when no language model was asked. An unknown price is said to be unknown."""
    rows = [row for row in usage if row.tokens_in is not None or row.cached_calls or "/" in row.model]
    if not rows:
        return ""
    calls, cached = sum(row.calls for row in rows), sum(row.cached_calls for row in rows)
    tokens = [(row.tokens_in or 0) + (row.tokens_out or 0) for row in rows]
    costs = [row.cost for row in rows]
    money = "cost unknown" if any(cost is None for cost in costs) else f"${sum(cost or 0 for cost in costs):,.4f}"
    parts = [f"{calls:,} model calls", f"{sum(tokens):,} tokens" if calls else "", money if calls else ""]
    return ", ".join(filter(None, [*parts, f"{cached:,} answered from the cache" if cached else ""]))


def tell_pending(settings: Settings) -> bool:
    """Say what waits in the batch folder, if anything does. Returns whether it does."""
    if settings.batch is None:
        return False
    files = sorted(settings.batch.glob("requests-*.jsonl"))
    waiting = sum(1 for path in files for _ in path.open(encoding="utf-8"))
    if waiting:
        names = ", ".join(path.name for path in files)
        say(
            f"{waiting:,} calls wait in {settings.batch} ({names}). Put the replies beside them as .jsonl files"
            " and run the same command again.",
            "yellow",
        )
    return waiting > 0
