"""The entry points of the engine: a whole check, its records one by one, or its records in groups."""

from __future__ import annotations

import asyncio
import string
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, suppress
from typing import TypeVar

from factscope.core import Event, InputError, group_by, reusable_records
from factscope.core.records import Report, Response
from factscope.engine.fold import fold
from factscope.engine.pipeline import Pipeline
from factscope.engine.tools import NumberedEvents, Tools, provenance
from factscope.llm.session import gather_all
from factscope.llm.shared_calls import CallGroup
from factscope.methods import Method

MAX_CHARACTERS = 2_000_000
"""Longest text that is checked in one piece."""
_BLANK = string.whitespace + "\u00a0\u2028\u2029\u200b\u200c\u200d\u2060\ufeff"

T = TypeVar("T")
OnEvents = Callable[[tuple[Event, ...]], None]
"""Called with records as they are made."""


async def check(
    response: Response | str,
    method: Method,
    tools: Tools,
    on_events: OnEvents = lambda events: None,
    done: Sequence[Event] = (),
) -> Report:
    """Check one response and report on it, with the records of an earlier attempt in `done` as `stream` takes them.

    Raises UsageError when the tools lack something that the method names, and InputError when the text is empty or too
    long. A failure inside the check is a `Failure` in the report, never an exception.
    """
    events = list(done)
    async with aclosing(batches(response, method, tools, done)) as groups:
        async for group in groups:
            on_events(group)
            events.extend(group)
    return fold(events, provenance(method, tools))


def check_sync(response: Response | str, method: Method, tools: Tools) -> Report:
    """Run `check` from code that is not asynchronous, including notebooks. Raises the errors of `check`."""

    async def run_check() -> Report:
        async with tools:  # clients must be closed in the event loop that opened them
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
    """Check one response and yield each record as it is made. Raises the errors of `check` before the first record.

    `done` holds records of an earlier attempt. Claims that `reusable_records` returns for them are not checked again,
    and their records are not yielded again.
    """
    async with aclosing(batches(response, method, tools, done)) as groups:
        async for group in groups:
            for event in group:
                yield event


async def batches(
    response: Response | str, method: Method, tools: Tools, done: Sequence[Event] = ()
) -> AsyncGenerator[tuple[Event, ...], None]:
    """Yield the records of `stream` in groups that are ready together, which a store can commit at once."""
    work = [(as_response(response), done)]
    async with aclosing(batches_together(work, method, tools, share=False)) as groups:
        async for group in groups:
            for _, events in group:
                if events:
                    yield events


async def batches_together(
    work: Sequence[tuple[Response, Sequence[Event]]], method: Method, tools: Tools, *, share: bool
) -> AsyncGenerator[list[NumberedEvents], None]:
    """Check several responses concurrently, each with its earlier records; with `share` they share calls.

    Yield their records in groups that are ready together. When one of them raises an error, all are stopped and the
    error is raised.
    """
    group = CallGroup(len(work)) if share else None
    queue: asyncio.Queue[tuple[int, Event | None] | None] = asyncio.Queue()

    async def check_one(number: int, response: Response, done: Sequence[Event]) -> None:
        def put(*events: Event) -> None:
            for event in events:
                queue.put_nowait((number, event))

        member = group.members[number] if group else None
        try:
            await Pipeline(as_response(response), method, tools, reusable_records(done), put, member).run()
        except BaseException:
            if group:
                group.stop()  # an error that ends one check ends all
            raise
        queue.put_nowait((number, None))

    async def check_all() -> None:
        try:
            await gather_all(check_one(number, *item) for number, item in enumerate(work))
        finally:
            queue.put_nowait(None)

    task = asyncio.create_task(check_all())
    try:
        async for ready in queued_groups(queue):
            yield list(_by_response(ready))
        await task
    finally:
        if group:
            group.stop()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        if group:
            await group.close()


async def queued_groups(queue: asyncio.Queue[T | None]) -> AsyncIterator[list[T]]:
    """Yield all items in the queue as a list, whenever there are any, until None arrives."""
    last = False
    while not last:
        group = [await queue.get()]
        while not queue.empty():
            group.append(queue.get_nowait())
        last = None in group
        yield [item for item in group if item is not None]


def _by_response(ready: Iterable[tuple[int, Event | None]]) -> Iterator[NumberedEvents]:
    """Yield the records of each response; None for one that has ended."""
    for number, items in group_by(ready, lambda item: item[0]).items():
        events = tuple(event for _, event in items if event)
        if events:
            yield NumberedEvents(number, events)
        if len(events) < len(items):
            yield NumberedEvents(number, None)


def as_response(response: Response | str) -> Response:
    """Return the text as a response.

    Raises InputError if the text is empty, too long, or contains characters that can't be stored.
    """
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
                "Decode it as UTF-8.",
            ) from None
    if len(response.text) > MAX_CHARACTERS:
        raise InputError(
            f"The text has {len(response.text):,} characters; at most {MAX_CHARACTERS:,} are checked in one piece.",
            "Split it and check the parts.",
        )
    return response
