"""`bench … --dry-run`: what answers, the typing of refusals and the check of the answers will cost, without a call."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from factscope.cli.forecast import forecast

if TYPE_CHECKING:
    from factscope.benchmarks.facts_grounding import Example
    from factscope.config import Settings
    from factscope.engine import Tools
    from factscope.judging.answers import Answers
    from factscope.llm.cost import Price
    from factscope.method import Ask, Method

_WORDS = 20 * 20
"""Words of an answer that is not there yet: FactBench's mean response has 24 units in 400 to 640 tokens."""
_SENTENCE = "The answer that is not there yet states one thing or another of about this length in a sentence here."
_ANSWER_TOKENS = (400, 650)
_TYPED_TOKENS = (30, 80)
"""Tokens of a reply on whether a response refuses."""
Pair = tuple[float, float]


def forecast_answers(
    rows: Sequence[Example],
    models: Sequence[str],
    answers: Answers,
    typed: Ask | None,
    method: Method,
    tools: Tools,
    settings: Settings,
) -> dict[str, Any]:
    """The estimate of a benchmark as plain values, of the same form as that of `run`.

    `answers` are those that are there, in a file or in the cache; all others of `models` will be asked for, and are
    taken for as long as the mean of FactBench. `typed` is the question on refusals, where a model is asked it.
    """
    from factscope.bench.factbench import responses
    from factscope.records import Response

    there = list(responses(rows, models, answers))
    unknown = [(row, model) for row in rows for model in models if (model, row.id) not in answers.texts]
    text = " ".join([_SENTENCE] * (_WORDS // len(_SENTENCE.split())))
    parts = [_times(forecast(there, method, tools, settings), 1)]
    if unknown:
        guess = Response(id="unknown", text=text, prompt=unknown[0][0].asked.prompt)
        parts.append(_times(forecast([guess], method, tools, settings), len(unknown)))
        parts.append(_answering(unknown, settings))
    if typed and (there or unknown):
        texts = [*(one.text for one in there), *([text] * len(unknown))]
        parts.append(_typing(texts, typed, tools, settings))
    return _added(parts, len(there) + len(unknown), settings)


def known_answers(
    rows: Sequence[Example], asked: Sequence[str], given: Mapping[tuple[str, str], str], tools: Tools
) -> Answers:
    """The answers given, and those in the cache. The tools must be those of a dry run: then no call is made."""
    from factscope.bench.factbench import have_answers

    async def look() -> Answers:
        async with tools:
            return await have_answers(rows, asked, given, tools)

    return asyncio.run(look())


def _answering(unknown: Sequence[tuple[Example, str]], settings: Settings) -> dict[str, Any]:
    """The calls by which models answer."""
    from factscope.judging.request import whole_request
    from factscope.llm.cost import estimate_tokens

    cost: Pair | None = (0.0, 0.0)
    sent = 0
    prices = {model: _price(model, settings) for _, model in unknown}
    for row, model in unknown:
        tokens = estimate_tokens(whole_request(row.asked))
        sent += tokens
        price = prices[model]
        low, high = (price.of(tokens, n) if price else 0.0 for n in _ANSWER_TOKENS)
        cost = (cost[0] + low, cost[1] + high) if cost and price else None
    n = len(unknown)
    return {
        "models": {"answer": ", ".join(dict.fromkeys(model for _, model in unknown))},
        "calls": (n, n),
        "tokens_in": (sent, sent),
        "tokens_out": tuple(n * tokens for tokens in _ANSWER_TOKENS),
        "cost": cost,
    }


def _typing(texts: Sequence[str], typed: Ask, tools: Tools, settings: Settings) -> dict[str, Any]:
    """The calls that say which responses refuse."""
    from factscope.asking import read_prompt
    from factscope.llm.cost import estimate_tokens
    from factscope.prompts import NOTICE

    model = tools.models.of(typed.role) if tools.models else typed.role
    fixed = estimate_tokens(read_prompt(typed.prompt).body) + estimate_tokens(NOTICE)
    sent = sum(fixed + estimate_tokens(text) for text in texts)
    price = _price(model, settings)
    said = [len(texts) * tokens for tokens in _TYPED_TOKENS]
    return {
        "models": {typed.role: model},
        "calls": (len(texts), len(texts)),
        "tokens_in": (sent, sent),
        "tokens_out": tuple(said),
        "cost": (price.of(sent, said[0]), price.of(sent, said[1])) if price else None,
    }


def _price(model: str, settings: Settings) -> Price | None:
    from factscope.config import open_prices
    from factscope.llm.provider import endpoint

    where = endpoint(model, os.environ, need_key=False)
    return open_prices(settings).of(model, at_home=where.address == where.provider.address)


def _times(values: dict[str, Any], n: int) -> dict[str, Any]:
    """An estimate of one response as that of `n` like it; what takes its time one after another stays as it is."""
    several = {key: tuple(n * number for number in values[key]) for key in ("calls", "tokens_in", "tokens_out")}
    cost = None if values["cost"] is None else tuple(n * number for number in values["cost"])
    return {**values, **several, "cost": cost}


def _added(parts: Sequence[dict[str, Any]], n: int, settings: Settings) -> dict[str, Any]:
    from factscope.estimate import SECONDS_PER_CALL

    def total(key: str) -> list[float]:
        return [round(sum(part[key][end] for part in parts), 4) for end in (0, 1)]

    first, in_flight = parts[0], settings.in_flight or 64
    calls = total("calls")
    waits = [max(part.get("seconds", (0, 0))[end] for part in parts) for end in (0, 1)]
    return {
        **first,
        "models": {role: model for part in parts for role, model in part["models"].items()},
        "responses": n,
        "calls": [round(number) for number in calls],
        "tokens_in": [round(number) for number in total("tokens_in")],
        "tokens_out": [round(number) for number in total("tokens_out")],
        "cost": None if any(part["cost"] is None for part in parts) else total("cost"),
        "seconds": [
            round(max(wait, count * pace / in_flight), 1)
            for wait, count, pace in zip(waits, calls, SECONDS_PER_CALL, strict=True)
        ],
    }
