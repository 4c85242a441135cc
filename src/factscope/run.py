"""Checks that are kept: their records go to the store as they are made, and the same call carries on after any stop."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable
from contextlib import aclosing

from factscope.engine import Basis, OnEvents, Tools, as_response, basis, batches, fold, judges, settled
from factscope.events import Event
from factscope.method import Method
from factscope.records import Failure, Report, Response, Verdict
from factscope.store import Store
from factscope.version import __version__

_TITLE = 80


def run_id(what: str, how: Basis, judge: str) -> str:
    """Name of a run: the same matter, method, models, prompts, evidence, judge and version make the same name."""
    asked = json.dumps([dict(how.models), dict(how.prompts)], sort_keys=True)
    place = how.searched.id if how.searched else ""
    parts = (__version__, what, how.method.model_dump_json(), asked, place, judge)
    return hashlib.sha256("\x00".join(parts).encode()).hexdigest()[:16]


async def check_kept(
    response: Response | str,
    method: Method,
    tools: Tools,
    store: Store,
    on_events: OnEvents = lambda events: None,
    *,
    fresh: bool = False,
) -> Report:
    """`check` with its records kept in `store`; a check that was stopped carries on, a finished one is read back.

    `on_events` is told of records once they are on disk, those of an earlier attempt first. `fresh` throws the earlier
    attempt away. Units that failed are tried again. Raises what `check` raises, and StoreError.
    """
    response = as_response(response)
    how = basis(method, tools)
    run = run_id(response.model_dump_json(), how, judges(method, tools))
    with store.owned(run):
        store.begin(
            run,
            method=method.model_dump_json(),
            asked=json.dumps({"models": dict(how.models), "prompts": dict(how.prompts)}),
            searched=how.searched.model_dump_json() if how.searched else "null",
            factscope=__version__,
            title=" ".join(response.text[: 2 * _TITLE].split())[:_TITLE],
        )
        events = [] if fresh else store.events(run, response.id)
        if _complete(events):
            on_events(tuple(events))
        else:
            store.reopen(run, response.id, fresh=fresh)
            events = list(settled(events))
            on_events(tuple(events))
            async with aclosing(batches(response, method, tools, events)) as groups:
                async for group in groups:
                    await asyncio.to_thread(store.append, run, response.id, group)
                    events.extend(group)
                    on_events(group)
        store.finish(run)
    return fold(events, how)


def _complete(events: Iterable[Event]) -> bool:
    """Whether the response has its verdict, and nothing is left to try again."""
    events = tuple(events)
    ended = any(isinstance(event, Verdict) and event.level == "response" for event in events)
    return ended and not any(isinstance(event, Failure) for event in events)
