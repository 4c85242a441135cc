"""Vectors of prompts from a model behind an OpenAI-compatible `/embeddings` endpoint, as FactBench takes them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from factscope.core.backoff import asked_wait, back_off
from factscope.llm.model_errors import ModelError
from factscope.llm.providers import Endpoint, endpoint

if TYPE_CHECKING:
    import aiohttp

PREFIX = "api:"
"""Prefix of such a model's name in the parameters."""
_BATCH = 128
"""Prompts in one call."""
_ATTEMPTS = 6  # of a call that failed in passing
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0  # seconds before another attempt
_SECONDS = 120.0  # that a call may take
Matrix = NDArray[np.float32]


def api_vectors(model: str, prompts: Sequence[str], progress: Callable[[int, int], None]) -> Matrix:
    """Return one row for each prompt, in their order.

    Raises UsageError for a model that can't be reached by its name, and ModelError when its server refuses or fails.
    """
    where = endpoint(model, os.environ)

    async def fetch_vectors() -> Matrix:
        import aiohttp

        timeout = aiohttp.ClientTimeout(total=_SECONDS)
        async with aiohttp.ClientSession(timeout=timeout, trust_env=True) as session:
            parts = []
            for start in range(0, len(prompts), _BATCH):
                parts.append(await _vectors(session, where, prompts[start : start + _BATCH]))
                progress(min(start + _BATCH, len(prompts)), len(prompts))
        return np.concatenate(parts) if parts else np.zeros((0, 0), np.float32)

    with ThreadPoolExecutor(max_workers=1) as pool:  # a build has an event loop of its own in this thread
        return pool.submit(lambda: asyncio.run(fetch_vectors())).result()


async def _vectors(session: aiohttp.ClientSession, where: Endpoint, prompts: Sequence[str]) -> Matrix:
    """Return the vectors of one call, asked again where the server says later."""
    import aiohttp

    url = where.url.replace("/chat/completions", "/embeddings")
    failure, wait = "", 0.0
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            async with session.post(
                url, json={"model": where.name, "input": list(prompts)}, headers=dict(where.headers)
            ) as reply:
                if reply.status == 200:
                    return _read(await reply.json(content_type=None), len(prompts), where.model)
                failure = f"the server answered {reply.status}: {(await reply.text())[:200]}"
                if reply.status not in (408, 409, 429) and reply.status < 500:
                    break
                wait = asked_wait(reply.headers, 0.0) or 0.0
        except (aiohttp.ClientError, TimeoutError) as error:
            failure = f"{type(error).__name__}: {error}"
        await asyncio.sleep(max(wait, back_off(attempt, _FIRST_WAIT, _LONGEST_WAIT)))
    struck = failure.replace(where.key, "…") if where.key else failure
    raise ModelError(
        "server", f"{where.model} gives no embeddings: {struck}.", 'Another: model = "api:…" in the table [vectors].'
    )


def _read(reply: Any, number: int, model: str) -> Matrix:
    """Return the vectors of a reply in the order of its prompts. Raises ModelError for one of another form."""
    try:
        rows = sorted(reply["data"], key=lambda row: row["index"])
        vectors = np.array([row["embedding"] for row in rows], np.float32)
    except (KeyError, TypeError, ValueError):
        vectors = np.zeros((0, 0), np.float32)
    if vectors.ndim != 2 or len(vectors) != number or not np.isfinite(vectors).all():
        raise ModelError("unreadable", f"The reply of {model} is not a list of {number:,} embeddings.", "")
    return vectors
