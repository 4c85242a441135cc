"""JSON posted over HTTP, again when the server is busy for a moment."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlparse

import aiohttp

from factscope.core.errors import FactscopeError

_ATTEMPTS = 4
_FIRST_WAIT = 0.5
"""Seconds before the second attempt; each further wait is twice as long."""
_TRY_AGAIN = (408, 429, 500, 502, 503, 504)
_TIMEOUT = aiohttp.ClientTimeout(total=60)


class SendError(FactscopeError):
    """Something did not arrive."""


async def post_all(url: str, headers: Mapping[str, str], bodies: Iterable[dict[str, Any]]) -> None:
    """Post each body in turn. Raises SendError at the first that does not arrive."""
    async with aiohttp.ClientSession(headers=headers, timeout=_TIMEOUT) as session:
        for body in bodies:
            await _post(session, url, body)


async def _post(session: aiohttp.ClientSession, url: str, body: dict[str, Any]) -> None:
    reason = ""
    for attempt in range(_ATTEMPTS):
        if attempt:
            await asyncio.sleep(_FIRST_WAIT * 2 ** (attempt - 1))
        try:
            async with session.post(url, json=body) as reply:
                if reply.status < 300:
                    return
                reason = f"status {reply.status}: {(await reply.text())[:200]}"
                if reply.status not in _TRY_AGAIN:
                    break
        except (aiohttp.ClientError, TimeoutError) as error:
            reason = str(error) or type(error).__name__
    raise SendError(
        f"A score did not arrive at {urlparse(url).netloc}: {reason}.",
        "Mend that and export again: nothing is sent twice.",
    )
