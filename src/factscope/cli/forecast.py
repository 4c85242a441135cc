"""`--dry-run`: the calls, usage and cost of a command, estimated without a call."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from factscope.cli.options import Format
from factscope.cli.output import put_json, table
from factscope.core import BoundaryError
from factscope.core.records import Response
from factscope.engine import Tools, check, estimate, provenance, source
from factscope.engine.estimate import REFERENCE, SECONDS_PER_CALL, CountRange, StepEstimate
from factscope.engine.open_tools import price_finder
from factscope.engine.settings import Settings
from factscope.evidence.gather import EvidenceSource
from factscope.evidence.results import QueryResults
from factscope.llm.cost import Price, estimate_tokens
from factscope.llm.providers import IN_FLIGHT
from factscope.llm.session import CheckContext
from factscope.methods import Evidence, Method

T = TypeVar("T")
_ANSWER = "answer"
"""Role of the model that answers."""
_ANSWER_TOKENS = CountRange(150, 1_200)
"""Least and most tokens of an answer."""


class DueAnswer(NamedTuple):
    """An answer that a model has yet to write, and that is then checked."""

    model: str
    request: str
    """The full request."""
    response: Response
    """The response to check, without its text."""


class _Sums:
    """Sums over the calls that are still to be made."""

    def __init__(self, price_of: Callable[[str], Price | None]) -> None:
        self._price_of = price_of
        self.calls = self.sent = self.received = CountRange(0, 0)
        self.cost: CountRange | None = CountRange(0, 0)

    def add(self, estimates: tuple[StepEstimate, ...], models: Mapping[str, str], hits: int = 0) -> None:
        """Add steps that ask these models by role; the cache answers some of their calls."""
        all_calls, spent = estimate.calls(estimates), estimate.money(estimates, models, self._price_of)
        share = CountRange(*(max(0, count - hits) / count if count else 0 for count in all_calls))
        sent, received = estimate.tokens(estimates)
        self.calls += all_calls.times(share)
        self.sent += sent.times(share)
        self.received += received.times(share)
        self.cost = None if self.cost is None or spent is None else self.cost + spent.times(share)


def forecast(
    responses: Iterable[Response],
    method: Method,
    tools: Tools,
    settings: Settings,
    due_answers: Iterable[DueAnswer] = (),
    estimates: Iterable[StepEstimate] = (),
) -> dict[str, Any]:
    """Return the estimate as plain values. Cached replies are looked up; nothing is called and nothing is stored.

    `due_answers` are answers that are written first, assumed to be as long as the reference response. `estimates` are
    steps of the command that are not part of the check, such as the classification of refusals.
    """
    origin = provenance(method, tools)
    # Local documents cost nothing to search; a search engine is not called for an estimate.
    sources = {name: _IdleSource(opened) if name == "web" else opened for name, opened in tools.sources.items()}
    tools = replace(tools, sources=sources)
    questions = tuple(ask for ask in source(method, tools).asks if ask.role in origin.models)
    n = cached = n_due = 0
    sums = _Sums(price_finder(settings))
    for response in responses:
        n += 1
        hits, done = asyncio.run(_cached(response, method, tools))
        cached += hits
        if not done:
            sums.add(estimate.expected(method, estimate.shape_of(response, method), questions), origin.models, hits)
    for answer in due_answers:
        n_due += 1
        shape = replace(REFERENCE, context=estimate.context_tokens(answer.response))
        sent = estimate_tokens(answer.request)
        writing = StepEstimate(_ANSWER, _ANSWER, CountRange(1, 1), CountRange(sent, sent), _ANSWER_TOKENS)
        sums.add((writing, *estimate.expected(method, shape, questions)), {**origin.models, _ANSWER: answer.model})
    models = dict(origin.models)
    for step in estimates:
        models[step.role] = tools.models.described(step.role) if tools.models else step.role
        sums.add((step,), models)
    return {
        "method": method.name,
        "models": models,
        "responses": n + n_due,
        **({"answers_to_write": n_due} if n_due else {}),
        "calls": _pair(sums.calls, 0),
        "cached_calls": cached,
        "tokens_in": _pair(sums.sent, 0),
        "tokens_out": _pair(sums.received, 0),
        "cost": None if sums.cost is None else _pair(sums.cost, 4),
        **_time(sums.calls, method, settings, answers=bool(n_due)),
    }


def at_hand(tools: Tools, work: Callable[[], Awaitable[T]]) -> T:
    """Run `work` with the tools of a dry run: the cache and local evidence. Raises its errors."""

    async def run_with_tools() -> T:
        async with tools:
            return await work()

    return asyncio.run(run_with_tools())


def _time(calls: CountRange, method: Method, settings: Settings, *, answers: bool) -> dict[str, Any]:
    """Estimate the seconds that calls take; none without a call, since the pace of a verifier is not known."""
    if not calls.high:
        return {"seconds": None, "assumed": "no call to a model; verifiers and searches are not timed"}
    seconds = estimate.seconds(method, calls, settings.in_flight, before=int(answers))
    pace = f"{SECONDS_PER_CALL.low:g} to {SECONDS_PER_CALL.high:g} s for a call"
    assumed = f"{pace}, {settings.in_flight or IN_FLIGHT} at once"
    length = f"; {REFERENCE.segments} sentences in an answer that is not written yet" if answers else ""
    return {"seconds": _pair(seconds, 1), "assumed": assumed + length}


class _IdleSource:
    """A source that is not searched."""

    def __init__(self, source: EvidenceSource) -> None:
        self.searched = source.searched
        self.asks = source.asks

    async def find(self, query: str, spec: Evidence, job: CheckContext) -> QueryResults:
        """Raise BoundaryError."""
        raise BoundaryError("search", "The search was not made.")

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


def put_forecast(values: dict[str, Any], output_format: Format) -> None:
    """Print an estimate as a table, or as JSON."""
    if output_format == "json":
        put_json(values)
        return
    models = ", ".join(f"{role}: {model}" for role, model in sorted(values["models"].items())) or "none"
    cost = "unknown: the price of a model is not known" if values["cost"] is None else _span(values["cost"], "$")
    time = "not estimated" if values["seconds"] is None else f"{_span(values['seconds'])} s"
    rows = [
        ("method", values["method"]),
        ("models", models),
        ("responses", f"{values['responses']:,}"),
        *([("answers to write", f"{values['answers_to_write']:,}")] if "answers_to_write" in values else []),
        ("calls to make", _span(values["calls"])),
        ("answered from the cache", f"{values['cached_calls']:,}"),
        ("tokens sent", _span(values["tokens_in"])),
        ("tokens received", _span(values["tokens_out"])),
        ("cost", cost),
        ("time", f"{time} ({values['assumed']})"),
    ]
    table(rows, ("estimate", "no call was made"))


def _span(pair: list[float], unit: str = "") -> str:
    # A price above 0 must not read as free.
    low, high = (f"{unit}{value:,.{4 if 0 < value < 0.01 else 2}f}" if unit else f"{value:,.0f}" for value in pair)
    return low if low == high else f"{low} to {high}"


def _pair(values: CountRange, digits: int) -> list[float]:
    return [round(values.low, digits), round(values.high, digits)]


async def _cached(response: Response, method: Method, tools: Tools) -> tuple[int, bool]:
    """Count the calls of a check that the cache answers, and return whether these are all.

    The check runs until it needs a call that is not cached.
    """
    if tools.models is None:
        return 0, True
    async with tools:
        report = await check(response, method, tools)
        return tools.models.client.hits, not report.failures
