"""Many questions to models, concurrently within limits; one that fails affects only its row."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from factscope.benchmarks.curate.stage import FAILED, WAITING
from factscope.core.plurals import many
from factscope.llm.model_errors import ModelError
from factscope.llm.session import for_each

V = TypeVar("V")
T = TypeVar("T")


async def ask_each(
    rows: Mapping[str, V], ask: Callable[[V], Awaitable[T]], progress: Callable[[int, int], None]
) -> dict[str, T | ModelError]:
    """Apply `ask` to each row; return its result or its error, by id and in the order of `rows`.

    Raises the ModelError that would affect every other question too: a wrong key, an outage, a budget that is used up.
    Answers are in the cache, so that the next attempt pays only for the rest.
    """
    results: dict[str, T | ModelError] = {}

    async def ask_one(name: str) -> None:
        try:
            results[name] = await ask(rows[name])
        except ModelError as error:
            if error.fatal or error.kind == "budget":
                hint = f"{error.hint} The same command carries on: what was answered is kept.".strip()
                progress_made = f"After {len(results):,} of {many(len(rows), 'row')}"
                raise ModelError(error.kind, f"{progress_made}: {error.message}", hint) from None
            results[name] = error
        progress(len(results), len(rows))

    await for_each(rows, ask_one)
    return {name: results[name] for name in rows}


def reason_of(error: ModelError) -> str:
    """Return the reason for dropping a row without an answer.

    It is tried again, now or when its reply has arrived.
    """
    return WAITING if error.kind == "pending" else FAILED
