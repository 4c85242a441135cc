"""JSON posted over HTTP, with retries when the server is temporarily busy."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlparse

import aiohttp

from factscope.core.errors import FactscopeError
from factscope.llm.wire import strike
from factscope.report.wording import excerpt

_ATTEMPTS = 4
"""Of a post that failed in passing. Their waits are 3.5 seconds in all: a server that restarts is back by then, and a
person who waits for the command has not given up."""
_FIRST_WAIT = 0.5
"""Seconds before the second attempt; each further wait is twice as long."""
_TRY_AGAIN = (408, 429, 500, 502, 503, 504)
_WRONG_FORM = 400  # the server may want the older form
_REJECTED = 207
"""Langfuse's status when it took the request and not the score."""
_LONGEST = 220  # characters of a reason
_TIMEOUT = aiohttp.ClientTimeout(total=60)  # seconds: a score is a few hundred bytes, so a slower server is down


class SendError(FactscopeError):
    """Something did not arrive."""


async def post_all(
    url: str, headers: Mapping[str, str], bodies: Iterable[Sequence[object]], secrets: Sequence[str] = ()
) -> None:
    """Post each body in turn, in the first of its forms that the server accepts.

    Raises SendError at the first that fails, without the secrets, which a server may repeat in its reason.
    """
    async with aiohttp.ClientSession(headers=headers, timeout=_TIMEOUT) as session:
        for forms in bodies:
            for number, form in enumerate(forms, 1):
                status, reason = await _post(session, url, form)
                if not reason:
                    break
                if status != _WRONG_FORM or number == len(forms):
                    raise _lost(url, reason, secrets)


def _lost(url: str, reason: str, secrets: Sequence[str]) -> SendError:
    for secret in secrets:
        reason = strike(reason, secret)
    host = urlparse(url).netloc.rpartition("@")[2]
    return SendError(
        f"A score did not arrive at {host}: {excerpt(reason, _LONGEST)}.",
        "Mend that and export again: nothing is sent twice.",
    )


async def _post(session: aiohttp.ClientSession, url: str, body: object) -> tuple[int, str]:
    """Post one body; return the last status, and the reason for a failure, otherwise an empty text."""
    status, reason = 0, ""
    for attempt in range(_ATTEMPTS):
        if attempt:
            await asyncio.sleep(_FIRST_WAIT * 2 ** (attempt - 1))
        try:
            async with session.post(url, json=body) as reply:
                status = reply.status
                if status < 300 and status != _REJECTED:
                    return status, ""
                reason = f"status {status}: {(await reply.read()).decode('utf-8', 'replace')}"
                if status not in _TRY_AGAIN:
                    break
        except (aiohttp.ClientError, TimeoutError) as error:
            reason = str(error) or type(error).__name__
    return status, reason
