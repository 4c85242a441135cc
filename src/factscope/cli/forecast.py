"""`--dry-run`: the calls, usage and cost of a command, estimated without a call."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from factscope.cli.options import Format
from factscope.cli.output import put_json, table
from factscope.core.errors import BoundaryError

if TYPE_CHECKING:
    from factscope.core.records import Response
    from factscope.engine import Tools
    from factscope.engine.estimate import CountRange, ResponseShape, StepEstimate
    from factscope.engine.settings import Settings
    from factscope.evidence.gather import EvidenceSource
    from factscope.evidence.results import QueryResults
    from factscope.llm.cost import Price
    from factscope.llm.session import CheckContext
    from factscope.methods import Evidence, Method

T = TypeVar("T")
_ANSWER = "answer"
"""Role of the model that answers."""
_ANSWER_TOKENS = (150, 1_200)
"""Least and most tokens of an answer."""


class DueAnswer(NamedTuple):
    """An answer that a model has yet to write, and that is then checked."""

    model: str
    request: str
    """The full request."""
    response: Response
    """The response to check, without its text."""


@dataclass
class _Sums:
    """Sums over the calls that are still to be made."""

    calls: CountRange
    sent: CountRange
    received: CountRange
    cost: CountRange | None

    def add(self, estimates: tuple[StepEstimate, ...], hits: int, spent: CountRange | None) -> None:
        """Add steps that would cost `spent`, some of whose calls the cache answers."""
        from factscope.engine.estimate import CountRange, calls, tokens

        all_calls = calls(estimates)
        share = CountRange(*(max(0, count - hits) / count if count else 0 for count in all_calls))
        sent, received = tokens(estimates)
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
    from factscope.engine import provenance, source
    from factscope.engine.estimate import CountRange, expected, money

    origin = provenance(method, tools)
    # Local documents cost nothing to search; a search engine is not called for an estimate.
    tools = replace(
        tools,
        sources={
            name: _IdleSource(source_open) if name == "web" else source_open
            for name, source_open in tools.sources.items()
        },
    )
    price_of = _prices(settings)
    questions = tuple(ask for ask in source(method, tools).asks if ask.role in origin.models)
    n = cached = n_due = 0
    sums = _Sums(CountRange(0, 0), CountRange(0, 0), CountRange(0, 0), CountRange(0, 0))
    for response in responses:
        n += 1
        hits, done = asyncio.run(_cached(response, method, tools))
        cached += hits
        if not done:
            step_estimates = expected(method, _shape(response, method), questions)
            sums.add(step_estimates, hits, money(step_estimates, origin.models, price_of))
    for answer in due_answers:
        n_due += 1
        step_estimates = _answered(answer, expected(method, _reference(answer.response), questions))
        sums.add(step_estimates, 0, money(step_estimates, {**origin.models, _ANSWER: answer.model}, price_of))
    models = dict(origin.models)
    for step in estimates:
        models[step.role] = tools.models.described(step.role) if tools.models else step.role
        sums.add((step,), 0, money((step,), models, price_of))
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


def _prices(settings: Settings) -> Callable[[str], Price | None]:
    """Return a function from a model's description to its price."""
    from factscope.engine.open_models import open_prices
    from factscope.llm.providers import endpoint

    prices = open_prices(settings)

    def price_of(described: str) -> Price | None:
        model = described.partition(" ")[0]
        where = endpoint(model, os.environ, need_key=False)
        return prices.of(model, at_home=where.address == where.provider.address)

    return price_of


def _time(calls: CountRange, method: Method, settings: Settings, *, answers: bool) -> dict[str, Any]:
    from factscope.engine.estimate import REFERENCE, SECONDS_PER_CALL, chain

    depth, in_flight = chain(method), settings.in_flight or 64
    seconds = [
        max((waits + answers) * pace, count * pace / in_flight) if count else 0.0
        for waits, count, pace in zip(depth, calls, SECONDS_PER_CALL, strict=True)
    ]
    assumed = f"{SECONDS_PER_CALL[0]:g} to {SECONDS_PER_CALL[1]:g} s for a call, {in_flight} at once"
    length = f"; {REFERENCE.segments} sentences in an answer that is not written yet" if answers else ""
    return {"seconds": [round(seconds[0], 1), round(seconds[1], 1)], "assumed": assumed + length}


def _answered(due_answer: DueAnswer, checked: tuple[StepEstimate, ...]) -> tuple[StepEstimate, ...]:
    """Return the steps with the call before them that writes the answer."""
    from factscope.engine.estimate import CountRange, StepEstimate
    from factscope.llm.cost import estimate_tokens

    sent = estimate_tokens(due_answer.request)
    return (
        StepEstimate(_ANSWER, _ANSWER, CountRange(1, 1), CountRange(sent, sent), CountRange(*_ANSWER_TOKENS)),
        *checked,
    )


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
        ("time", f"{_span(values['seconds'])} s ({values['assumed']})"),
    ]
    table(rows, ("estimate", "no call was made"))


def _span(pair: list[float], unit: str = "") -> str:
    low, high = (f"{unit}{value:,.2f}" if unit else f"{value:,.0f}" for value in pair)
    return low if low == high else f"{low} to {high}"


def _pair(values: CountRange, digits: int) -> list[float]:
    return [round(values.low, digits), round(values.high, digits)]


def _shape(response: Response, method: Method) -> ResponseShape:
    from factscope.claims.cut import cut
    from factscope.claims.text.segments import segment
    from factscope.engine.estimate import CLAIMS_PER_SEGMENT, CountRange, ResponseShape
    from factscope.llm.cost import estimate_tokens

    into = "sentences" if method.segment == "whole" else method.segment
    checkable = [cut_segment for cut_segment in segment(response.text, into) if cut(cut_segment).skipped is None]
    low, high = (len(checkable) * share for share in CLAIMS_PER_SEGMENT)
    return ResponseShape(len(checkable), CountRange(low, high), estimate_tokens(response.text), _context(response))


def _reference(response: Response) -> ResponseShape:
    from factscope.engine.estimate import REFERENCE

    return replace(REFERENCE, context=_context(response))


def _context(response: Response) -> int | None:
    from factscope.llm.cost import estimate_tokens

    return sum(estimate_tokens(document.text or "") for document in response.context) if response.context else None


async def _cached(response: Response, method: Method, tools: Tools) -> tuple[int, bool]:
    """Count the calls of a check that the cache answers, and return whether these are all.

    The check runs until it needs a call that is not cached.
    """
    from factscope.engine import check

    if tools.models is None:
        return 0, True
    async with tools:
        report = await check(response, method, tools)
        return tools.models.client.hits, not report.failures
