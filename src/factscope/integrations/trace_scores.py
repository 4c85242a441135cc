"""Scores of a run on existing traces: `factscope export RUN --to langfuse`, or `--to phoenix`.

The id of each response is the id of its trace: `factscope run traces.jsonl --column id=trace_id`. A score's own id is a
hash of the run, the trace and the measure, so that sending it again changes the score and adds none.

- Langfuse: `POST /api/public/scores` (API reference; SDK 5.0.4, `CreateScoreRequest`). A score replaces the one of the
  same `id`, `name` and day of `timestamp`, so the time is that of the run's beginning. From the environment:
  LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY, LANGFUSE_BASE_URL.
- Phoenix: `POST /v1/trace_annotations`, one for each name, trace and `identifier` (client 3.5.0,
  `AnnotateTracesRequestBody`). From the environment: PHOENIX_COLLECTOR_ENDPOINT, PHOENIX_API_KEY.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Literal, NamedTuple
from urllib.parse import urlparse

import aiohttp

from factscope.core import FactscopeError, UsageError
from factscope.integrations.assessment import explain, failure_of
from factscope.integrations.python.report import Report
from factscope.llm.wire import strike
from factscope.report.wording import excerpt

Target = Literal["langfuse", "phoenix"]
_LONGEST = 5_000
"""Characters of an explanation."""
_NAMES = {"factual_precision": "factscope", "coverage": "factscope_coverage"}
_ATTEMPTS = 4
"""Of a post that failed in passing. Their waits are 3.5 seconds in all: a server that restarts is back by then, and a
person who waits for the command has not given up."""
_FIRST_WAIT = 0.5
"""Seconds before the second attempt; each further wait is twice as long."""
_TRY_AGAIN = (408, 429, 500, 502, 503, 504)
_WRONG_FORM = 400  # the server may want the older form
_REJECTED = 207
"""Langfuse's status when it took the request and not the score."""
_LONGEST_REASON = 220  # characters
_TIMEOUT = aiohttp.ClientTimeout(total=60)  # seconds: a score is a few hundred bytes, so a slower server is down


class SendError(FactscopeError):
    """Something did not arrive."""


class TraceScore(NamedTuple):
    """One number on one trace."""

    id: str
    trace: str
    name: str
    value: float
    comment: str


def scores_of(run: str, reports: Iterable[Report]) -> tuple[list[TraceScore], list[str]]:
    """Return the scores of a run, and the ids of the traces without any: not or only partly assessed."""
    scores: list[TraceScore] = []
    unscored: list[str] = []
    for report in reports:
        trace = report.record.response.id
        if report.score is None or failure_of(report):
            unscored.append(trace)
            continue
        for measure, value in (("factual_precision", report.score), ("coverage", report.coverage)):
            name = sha256(f"{run}\0{trace}\0{measure}".encode()).hexdigest()[:32]
            scores.append(TraceScore(name, trace, _NAMES[measure], value, explain(report)[:_LONGEST]))
    return scores, unscored


def send(
    run: str, started: str, reports: Iterable[Report], target: Target, environment: Mapping[str, str]
) -> tuple[int, list[str]]:
    """Send the scores of a run that began at a time (ISO 8601).

    Returns their number, and the ids of the traces without any: not assessed, or something in them failed.

    Raises UsageError for a missing or malformed address or key, SendError when a score does not arrive.
    """
    scores, unscored = scores_of(run, reports)
    access, forms = (_langfuse, _langfuse_forms) if target == "langfuse" else (_phoenix, _phoenix_forms)
    url, headers, secrets = access(environment)
    asyncio.run(post_all(url, headers, [forms(started, score) for score in scores], secrets))
    return len(scores), unscored


def _langfuse(environment: Mapping[str, str]) -> tuple[str, dict[str, str], tuple[str, ...]]:
    """Return the address, the headers, and the secrets in them."""
    public, secret = (_needed(environment, f"LANGFUSE_{name}_KEY") for name in ("PUBLIC", "SECRET"))
    variable = next((name for name in ("LANGFUSE_BASE_URL", "LANGFUSE_HOST") if environment.get(name)), None)
    address = _address(environment, variable, with_key=True) if variable else "https://cloud.langfuse.com"
    pair = f"{public}:{secret}"
    token = base64.b64encode(pair.encode()).decode()
    return f"{address}/api/public/scores", {"Authorization": f"Basic {token}"}, (pair, secret)


def _phoenix(environment: Mapping[str, str]) -> tuple[str, dict[str, str], tuple[str, ...]]:
    key = _needed(environment, "PHOENIX_API_KEY") if environment.get("PHOENIX_API_KEY") else None
    address = _address(environment, "PHOENIX_COLLECTOR_ENDPOINT", with_key=bool(key))
    url = f"{address}/v1/trace_annotations?sync=true"
    return (url, {"Authorization": f"Bearer {key}"}, (key,)) if key else (url, {}, ())


def _langfuse_forms(started: str, score: TraceScore) -> list[object]:
    """Return one score, as servers take it that the SDK's version 4 is for, and a list of scores, as in version 5."""
    about = {"id": score.id, "traceId": score.trace, "name": score.name, "timestamp": started}
    body = {**about, "value": score.value, "dataType": "NUMERIC", "comment": score.comment}
    return [body, [body]]


def _phoenix_forms(_started: str, score: TraceScore) -> list[object]:
    result = {"score": score.value, "explanation": score.comment}
    about = {"name": score.name, "annotator_kind": "CODE", "trace_id": score.trace, "identifier": score.id}
    return [{"data": [{**about, "result": result}]}]


def _needed(environment: Mapping[str, str], name: str) -> str:
    value = environment.get(name)
    if not value:
        raise UsageError(f"{name} is not set.", "Set it in the environment, as for the tracing itself.")
    if not value.isprintable():  # a header would not take it
        raise UsageError(f"{name} holds a line break or another control character.", "Set it without.")
    return value


def _address(environment: Mapping[str, str], name: str, *, with_key: bool) -> str:
    """Return the address in a variable. The errors do not show it, as it may hold a password."""
    address = _needed(environment, name)
    try:
        url = urlparse(address)
        host, _ = (url.hostname or "").encode("idna"), url.port  # both raise ValueError for a malformed one
    except ValueError:
        host = b""
    if not host or url.scheme not in ("http", "https") or " " in address:
        raise UsageError(f"{name} is not an address.", "Such as https://cloud.langfuse.com.")
    if with_key and "@" in url.netloc:
        raise UsageError(f"{name} holds a user name or a password, and a key is set, too.", "Leave one of them out.")
    return address.rstrip("/")


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
        f"A score did not arrive at {host}: {excerpt(reason, _LONGEST_REASON)}.",
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
