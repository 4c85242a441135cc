"""`--dry-run`: what a command will call, use and cost, without a call."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from factscope.cli.options import Format
from factscope.errors import BoundaryError

if TYPE_CHECKING:
    from factscope.asking import Job
    from factscope.config import Settings
    from factscope.engine import Tools
    from factscope.estimate import Range
    from factscope.evidence.found import Findings
    from factscope.evidence.gather import Source
    from factscope.llm.cost import Price
    from factscope.method import Evidence, Method
    from factscope.records import Response


def forecast(responses: Iterable[Response], method: Method, tools: Tools, settings: Settings) -> dict[str, Any]:
    """The estimate as plain values. Cached replies are looked up; nothing is called and nothing is kept."""
    from factscope.config import open_prices
    from factscope.engine import basis, source
    from factscope.estimate import SECONDS_PER_CALL, Range, calls, chain, expected, money, tokens
    from factscope.llm.provider import endpoint

    how = basis(method, tools)
    # Documents at hand cost nothing to search; a search engine is not asked for an estimate.
    tools = replace(
        tools, sources={name: _Unasked(one) if name == "web" else one for name, one in tools.sources.items()}
    )
    prices = open_prices(settings)

    def price_of(described: str) -> Price | None:
        model = described.partition(" ")[0]
        where = endpoint(model, os.environ, need_key=False)
        return prices.of(model, at_home=where.address == where.provider.address)

    asked = tuple(ask for ask in source(method, tools).asks if ask.role in how.models)
    n, cached = 0, 0
    left = sent = received = Range(0, 0)
    cost: Range | None = Range(0, 0)
    for response in responses:
        n += 1
        hits, done = asyncio.run(_cached(response, method, tools))
        cached += hits
        if done:
            continue
        parts = expected(method, _shape(response, method), asked)
        whole = calls(parts)
        share = Range(*(max(0, count - hits) / count if count else 0 for count in whole))
        left += whole.times(share)
        sent, received = (old + new.times(share) for old, new in zip((sent, received), tokens(parts), strict=True))
        spent = money(parts, how.models, price_of)
        cost = None if cost is None or spent is None else cost + spent.times(share)
    depth, in_flight = chain(method), settings.in_flight or 64
    seconds = [
        max(waits * pace, count * pace / in_flight) if count else 0.0
        for waits, count, pace in zip(depth, left, SECONDS_PER_CALL, strict=True)
    ]
    return {
        "method": method.name,
        "models": dict(how.models),
        "responses": n,
        "calls": _pair(left, 0),
        "cached_calls": cached,
        "tokens_in": _pair(sent, 0),
        "tokens_out": _pair(received, 0),
        "cost": None if cost is None else _pair(cost, 4),
        "seconds": [round(seconds[0], 1), round(seconds[1], 1)],
        "assumed": f"{SECONDS_PER_CALL[0]:g} to {SECONDS_PER_CALL[1]:g} s for a call, {in_flight} at once",
    }


class _Unasked:
    """A source that is not asked."""

    def __init__(self, source: Source) -> None:
        self.searched = source.searched
        self.asks = source.asks

    async def find(self, query: str, part: Evidence, job: Job) -> Findings:
        """Raises BoundaryError."""
        raise BoundaryError("search", "The search was not made.")

    async def close(self) -> None:
        """Nothing to let go of."""


def put_forecast(values: dict[str, Any], wanted: Format) -> None:
    """Print an estimate as a table, or as JSON."""
    import json

    from factscope.cli.output import put_text, table

    if wanted is Format.JSON:
        put_text(json.dumps(values, ensure_ascii=False, indent=2) + "\n", None)
        return
    models = ", ".join(f"{role}: {model}" for role, model in sorted(values["models"].items())) or "none"
    cost = "unknown: the price of a model is not known" if values["cost"] is None else _span(values["cost"], "$")
    rows = [
        ("method", values["method"]),
        ("models", models),
        ("responses", f"{values['responses']:,}"),
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


def _pair(values: Range, digits: int) -> list[float]:
    return [round(values.low, digits), round(values.high, digits)]


def _shape(response: Response, method: Method) -> Any:
    from factscope.claims.cut import cut
    from factscope.estimate import CLAIMS_PER_SEGMENT, Range, Shape
    from factscope.llm.cost import estimate_tokens
    from factscope.text.segments import segment

    spoken = [one for one in segment(response.text, method.segment) if cut(one).skipped is None]
    low, high = (len(spoken) * share for share in CLAIMS_PER_SEGMENT)
    return Shape(len(spoken), Range(low, high), estimate_tokens(response.text))


async def _cached(response: Response, method: Method, tools: Tools) -> tuple[int, bool]:
    """How many calls of a check the cache answers, and whether these are all.

    The check is made as far as it gets without a call.
    """
    from factscope.engine import check

    if tools.models is None:
        return 0, True
    async with tools:
        report = await check(response, method, tools)
        return tools.models.client.hits, not report.failures
