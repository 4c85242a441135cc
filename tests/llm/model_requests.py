"""Shortcuts for asking models, for the tests of this folder."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from factscope.llm import (
    Allowance,
    Budget,
    Cache,
    Call,
    CallLimits,
    HttpSender,
    Message,
    ModelClient,
    ModelError,
    Prices,
    Reply,
)
from tests import lab

KEY = "sk-canary-5f2b9c/+77"
QUICK = CallLimits(first_wait=0.01, timeout=60.0, head_start=60.0, cool_down=0.02)


def question(number: int = 0, **more: Any) -> Call:
    """Make one of many different calls."""
    return Call(role="judge", model="openai/lab", messages=(Message("user", f"question {number}"),), **more)


def environment(server: lab.Server) -> dict[str, str]:
    return {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": KEY}


def client(
    server: lab.Server,
    limits: CallLimits = QUICK,
    cache: Cache | None = None,
    allowance: Allowance | None = None,
    prices: Prices | None = None,
) -> ModelClient:
    return ModelClient(HttpSender(environment(server), limits, prices, Budget(allowance or Allowance())), cache)


async def outcomes(using: ModelClient, calls: Sequence[Call]) -> list[Reply | ModelError]:
    """Return the outcome of each call, in order; raise anything but a reply or a ModelError."""
    ended = await asyncio.gather(*(using.complete(call) for call in calls), return_exceptions=True)
    for each in ended:
        if isinstance(each, BaseException) and not isinstance(each, ModelError):
            raise each
    return [each for each in ended if isinstance(each, Reply | ModelError)]


def ask_all(
    server: lab.Server, calls: Sequence[Call], limits: CallLimits = QUICK, **more: Any
) -> list[Reply | ModelError]:
    """Run `outcomes` in a new loop with a new client."""

    async def run() -> list[Reply | ModelError]:
        async with client(server, limits, **more) as using:
            return await outcomes(using, calls)

    return asyncio.run(run())


def kinds(ended: Sequence[Reply | ModelError]) -> list[str]:
    """Return `reply` or the kind of failure for each."""
    return [each.kind if isinstance(each, ModelError) else "reply" for each in ended]
