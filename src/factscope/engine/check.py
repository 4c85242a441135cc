"""The ways into the engine: a whole check, its records one by one, or in groups."""

from __future__ import annotations

import asyncio
import string
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, suppress

from factscope.core.attempts import reusable_records
from factscope.core.errors import InputError
from factscope.core.events import Event
from factscope.core.records import Report, Response
from factscope.engine.fold import fold
from factscope.engine.pipeline import Pipeline
from factscope.engine.tools import Tools, provenance
from factscope.methods import Method

MAX_CHARACTERS = 2_000_000
"""Longest text that is checked in one piece."""
_BLANK = string.whitespace + "\u00a0\u2028\u2029\u200b\u200c\u200d\u2060\ufeff"

OnEvents = Callable[[tuple[Event, ...]], None]
"""Is told of records as they are made."""


async def check(
    response: Response | str, method: Method, tools: Tools, on_events: OnEvents = lambda events: None
) -> Report:
    """Check one response and report on it.

    Raises UsageError when the tools lack what the method names, and InputError when there is no text to check or too
    much of it. What fails inside is a `Failure` in the report, never an exception.
    """
    events: list[Event] = []
    async with aclosing(batches(response, method, tools)) as groups:
        async for group in groups:
            on_events(group)
            events.extend(group)
    return fold(events, provenance(method, tools))


def check_sync(response: Response | str, method: Method, tools: Tools) -> Report:
    """`check` for code that is not asynchronous, notebooks included. Raises what `check` raises."""

    async def run_check() -> Report:
        async with tools:  # what belongs to an event loop ends with it
            return await check(response, method, tools)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(run_check())
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, run_check()).result()


async def stream(
    response: Response | str, method: Method, tools: Tools, done: Sequence[Event] = ()
) -> AsyncGenerator[Event, None]:
    """Check one response and yield each record as it is made. Raises what `check` raises, before the first record.

    `done` holds records of an earlier attempt. Claims that `reusable_records` finds in them are not worked on
    again, and their records are not yielded again.
    """
    async with aclosing(batches(response, method, tools, done)) as groups:
        async for group in groups:
            for event in group:
                yield event


async def batches(
    response: Response | str, method: Method, tools: Tools, done: Sequence[Event] = ()
) -> AsyncGenerator[tuple[Event, ...], None]:
    """`stream` with the records that are ready at one time together, so that a store can commit them as one."""
    work = Pipeline(as_response(response), method, tools, reusable_records(done))
    task = asyncio.create_task(work.run())
    try:
        while group := await work.ready():
            yield group
        await task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def as_response(response: Response | str) -> Response:
    """Text as a response. Raises InputError when there is no text to check, too much of it, or it can't be written."""
    if isinstance(response, str):
        response = Response(text=response)
    if not response.text.strip(_BLANK):
        raise InputError("The text is empty.", "Give a text with at least one sentence.")
    fields = {"text": response.text, "prompt": response.prompt, "system": response.system, "model": response.model}
    for name, words in fields.items():
        try:
            (words or "").encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"The {name} contains half of a surrogate pair (character {error.start:,}).",
                "Decode it as the UTF-8 it is.",
            ) from None
    if len(response.text) > MAX_CHARACTERS:
        raise InputError(
            f"The text has {len(response.text):,} characters; at most {MAX_CHARACTERS:,} are checked in one piece.",
            "Split it and check the parts.",
        )
    return response
