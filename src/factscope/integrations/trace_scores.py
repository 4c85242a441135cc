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
from collections.abc import Iterable, Mapping
from functools import partial
from hashlib import sha256
from typing import Literal, NamedTuple
from urllib.parse import urlparse

from factscope.core.errors import UsageError
from factscope.integrations.assessment import explain, failure_of
from factscope.integrations.posting import post_all
from factscope.integrations.python.report import Report

Target = Literal["langfuse", "phoenix"]
_LONGEST = 5_000
"""Characters of an explanation."""
_NAMES = {"factual_precision": "factscope", "coverage": "factscope_coverage"}


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
    url, headers, secrets = _langfuse(environment) if target == "langfuse" else _phoenix(environment)
    forms = partial(_langfuse_forms, started) if target == "langfuse" else _phoenix_forms
    asyncio.run(post_all(url, headers, map(forms, scores), secrets))
    return len(scores), unscored


def _langfuse(environment: Mapping[str, str]) -> tuple[str, dict[str, str], tuple[str, ...]]:
    """Return the address, the headers, and the secrets in them."""
    public, secret = (_needed(environment, f"LANGFUSE_{name}_KEY") for name in ("PUBLIC", "SECRET"))
    named = next((name for name in ("LANGFUSE_BASE_URL", "LANGFUSE_HOST") if environment.get(name)), None)
    address = _address(environment, named, with_key=True) if named else "https://cloud.langfuse.com"
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


def _phoenix_forms(score: TraceScore) -> list[object]:
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
        parts = urlparse(address)
        host, _ = (parts.hostname or "").encode("idna"), parts.port  # both raise ValueError for a malformed one
    except ValueError:
        host = b""
    if not host or parts.scheme not in ("http", "https") or " " in address:
        raise UsageError(f"{name} is not an address.", "Such as https://cloud.langfuse.com.")
    if with_key and "@" in parts.netloc:
        raise UsageError(f"{name} holds a user name or a password, and a key is set, too.", "Leave one of them out.")
    return address.rstrip("/")
