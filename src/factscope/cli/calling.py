"""Shared code of commands that call models: their settings and checker, a clean end on Ctrl-C, and the usage line."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from factscope.cli.output import log, warn
from factscope.cli.progress import RunProgressDisplay
from factscope.core import UsageError, many
from factscope.core.records import Usage

if TYPE_CHECKING:
    from factscope.engine import Tools
    from factscope.engine.run import Runner
    from factscope.engine.settings import Settings
    from factscope.integrations.python.checker import Checker

T = TypeVar("T")
WAITING = 5
"""Exit code when calls wait in a batch folder."""
_PATIENCE = 5.0
"""Seconds in which calls in flight may end after Ctrl-C."""
SHOWN_PROBLEMS = 10
"""Problems that are listed: as many as fit a screen."""
_REASONS = 3
"""Reasons for failed calls of a batch that are printed."""
_TELL_EVERY = 0.5
"""Seconds between two updates of the pending calls."""


def load(flags: dict[str, Any]) -> Settings:
    """Return the settings of a command; an empty list sets nothing. Raises UsageError."""
    flags = {name: value for name, value in flags.items() if value != []}
    from factscope.engine.settings import load_settings

    settings = load_settings(flags, dot_env=True)[0]
    if settings.record:  # it is written after all calls
        record = f"The recording {settings.record} can't be written"
        if settings.record.is_dir():
            raise UsageError(f"{record}: it is a folder.", "Name a file.")
        if not settings.record.absolute().parent.is_dir():
            raise UsageError(f"{record}: its folder does not exist.", "Create the folder first.")
    return settings


def checker_of(flags: dict[str, Any]) -> tuple[Checker, Settings]:
    """Return the checker that these options and the settings ask for, with those settings. Raises UsageError."""
    from factscope.engine.find_method import must_ask_a_model
    from factscope.evidence.file_list import must_exist
    from factscope.integrations.python.checker import Checker

    settings = load(flags)
    must_exist(path for path in settings.evidence if isinstance(path, Path))  # now, and not in the first check
    checker = Checker(settings={name: getattr(settings, name) for name in settings.model_fields_set})
    must_ask_a_model([checker.method], flags.get("model") or [], search=settings.search)
    return checker, settings


def on_engine(tools: Tools, settings: Settings) -> Tools:
    """Return the tools, with work done on a cluster if the settings name one. Raises UsageError."""
    if settings.engine == "here":
        return tools
    from factscope.engine.ray import on_ray

    return on_ray(tools, settings)


def traced(tools: Tools, settings: Settings) -> Tools:
    """Return the tools with each check and each call of a model traced, and exported by OTLP. Raises UsageError."""
    from factscope.integrations.opentelemetry import traced as with_spans
    from factscope.integrations.opentelemetry_export import export_by_otlp

    if settings.engine != "here":
        raise UsageError("--otel traces what this machine does, and the work is done on a cluster.", "Leave one out.")
    export_by_otlp()
    return with_spans(tools)


def finish(
    tools: Tools,
    work: Callable[[], Awaitable[T]],
    on_waiting: Callable[[str], None] = lambda waiting: None,
    *,
    resumable: bool = False,
) -> T:
    """Do the work in an event loop and close the tools, whatever happens.

    `on_waiting` is called twice a second with a description of the pending model calls.

    The first Ctrl-C starts nothing more and lets the calls in flight end, since they are paid for; the second ends
    everything at once. With `resumable`, a message then says how to resume. Raises KeyboardInterrupt, and the errors of
    `work`.
    """
    import asyncio

    async def run_until_stopped() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work())
        telling = asyncio.ensure_future(_tell(tools, on_waiting))
        stopped = False

        def stop() -> None:
            nonlocal stopped
            stopped = True
            loop.remove_signal_handler(signal.SIGINT)  # the next one is Python's own: it ends everything
            flying = tools.models.drain() if tools.models else 0
            if flying:
                log(
                    f"\nFinishing {many(flying, 'call')} in flight, {_PATIENCE:g} s at most. Ctrl-C again"
                    " stops at once."
                )
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
            telling.cancel()
            await tools.close(_PATIENCE if stopped else 0.0)

    try:
        return asyncio.run(run_until_stopped())
    except KeyboardInterrupt:
        if resumable:
            log("\nFinished work is kept: run the same command again to carry on.")
        raise


def run_stored(
    tools: Tools,
    settings: Settings,
    progress: RunProgressDisplay,
    work: Callable[[Runner], Awaitable[T]],
    *,
    fresh: bool = False,
) -> T:
    """Do work whose checks go to the store, and show each when it is done.

    With a recording, stored checks are made again, since it holds the calls of one command.

    Raises StoreError, and the errors of `finish`.
    """
    from factscope.engine.run import Runner
    from factscope.engine.run_store import Store

    with Store(settings.store) as run_store:
        runner = Runner(tools, run_store, progress.report, fresh or settings.record is not None)
        return finish(tools, lambda: work(runner), progress.waiting, resumable=True)


def log_usage(text: str, usage: Iterable[Usage], settings: Settings, *, quiet: bool) -> None:
    """Print the number of calls and their usage."""
    if not quiet:
        log(", ".join(filter(None, [text, usage_line(usage, settings)])))


async def _tell(tools: Tools, on_waiting: Callable[[str], None]) -> None:
    import asyncio

    from factscope.llm.waiting import describe

    while tools.models:
        await asyncio.sleep(_TELL_EVERY)
        on_waiting(describe(tools.models.under_way))


def usage_line(usage: Iterable[Usage], settings: Settings) -> str:
    """Format the usage line; empty when no language model was called. An unknown price is marked as unknown."""
    rows = [row for row in usage if row.tokens_in is not None or row.cached_calls or "/" in row.model]
    if not rows:
        return ""
    calls, cached = sum(row.calls for row in rows), sum(row.cached_calls for row in rows)
    tokens = [number for row in rows for number in (row.tokens_in, row.tokens_out) if number is not None]
    costs = [row.cost for row in rows]
    money = "cost unknown" if any(cost is None for cost in costs) else f"${sum(cost or 0 for cost in costs):,.4f}"
    pieces = [many(calls, "model call")]
    pieces += [many(sum(tokens), "token") if tokens else "tokens unknown", money] if calls else []
    origin = "recording" if settings.replay else "cache"
    return ", ".join([*pieces, *([f"{cached:,} answered from the {origin}"] if cached else [])])


def tell_pending(settings: Settings, tools: Tools) -> bool:
    """Report the calls that wait in the batch folder, if any; return whether there are any."""
    if settings.batch is None or tools.models is None or not tools.models.missing:
        return False
    from factscope.llm.batch import REPLY, request_files

    waiting = {path.name: _lines(path) for path in request_files(settings.batch)}
    if waiting:
        where = ", ".join(f"{number:,} in {name}" for name, number in waiting.items())
        log(
            f"Model calls are waiting in {settings.batch}: {where}. Put the replies beside them as .jsonl files and run"
            f" the same command again.\n  A line for each reply: {REPLY}",
            "yellow",
        )
        for reason, n in Counter(tools.models.refused).most_common(_REASONS):
            log(f"{n:,} of them failed at the last try: {reason}", "yellow")
    return bool(waiting)


def exit_while_waiting(settings: Settings, tools: Tools) -> None:
    """End the command if calls wait in the batch folder, after reporting them."""
    if tell_pending(settings, tools):
        raise typer.Exit(WAITING)


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def log_problems(tools: Tools) -> None:
    """Name the evidence that could not be used, or only in part."""
    problems = [problem for source in tools.sources.values() for problem in source.searched.problems]
    warn(f"Evidence: {problem}" for problem in problems[:SHOWN_PROBLEMS])
    if len(problems) > SHOWN_PROBLEMS:
        log(f"Evidence: {many(len(problems) - SHOWN_PROBLEMS, 'more problem')}.", "yellow")
