"""Cost of calls, from a dated table of prices; usage by role; and hard limits on money, tokens, calls and time."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import accumulate, pairwise
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from factscope.core import UsageError, many, user_text
from factscope.core.records import Usage

from .call import Call, Message, Reply
from .model_errors import ModelError

_DATE = re.compile(r"-20[\d-]*\d$")
"""Date at the end of the name of a snapshot; its day may be the 20th."""


class Price(NamedTuple):
    """US dollars per million tokens."""

    tokens_in: float
    tokens_out: float

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """Return the price of the tokens in US dollars."""
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1e6


class Prices:
    """Prices by `provider/model`. A model in neither table has an unknown price, never a price of 0."""

    def __init__(self, listed: Mapping[str, Price], own_prices: Mapping[str, Price] | None = None) -> None:
        self._listed, self._own_prices = dict(listed), dict(own_prices or {})

    @property
    def models(self) -> tuple[str, ...]:
        """The models whose price is known."""
        return tuple({**self._listed, **self._own_prices})

    def of(self, model: str, *, at_home: bool = True) -> Price | None:
        """Return the price of a model, None when it is unknown.

        The shipped prices apply only `at_home`, at the vendor's own address; the user's prices apply anywhere. A dated
        snapshot (`…-2025-04-14`) costs the same as its model, unless it has its own price.
        """
        name = model.lower()
        names = tuple(dict.fromkeys((name, _DATE.sub("", name))))
        tables = (self._own_prices, self._listed) if at_home else (self._own_prices,)
        return next((table[each] for table in tables for each in names if each in table), None)

    def with_file(self, path: Path) -> Prices:
        """Return these prices, overridden by those in the user's file. Raises UsageError.

        The file has the same format: `{"models": {"provider/model": [dollars per million in, out]}}`.
        """
        return Prices(self._listed, {**self._own_prices, **_read(user_text(path, f"Price file {path}"), str(path))})


@cache
def known_prices() -> Prices:
    """Return the price table that comes with Factscope; the file states its date."""
    return Prices(_read(files(__package__).joinpath("prices.json").read_text(encoding="utf-8"), "prices.json"))


def _read(text: str, where: str) -> dict[str, Price]:
    hint = 'It looks like {"models": {"openai/gpt-4o": [2.5, 10]}}: dollars per million tokens in and out.'
    try:
        table = json.loads(text)["models"]
        prices = {
            model.lower(): Price(float(pair[0]), float(pair[1]))
            for model, pair in table.items()
            if isinstance(pair, list) and len(pair) == 2
        }
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise UsageError(f"{where} is not a price file.", hint) from None
    if len(prices) != len(table) or any(not 0 <= number < 1e6 for price in prices.values() for number in price):
        raise UsageError(f"{where} contains an invalid price.", hint)
    return prices


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens of a text: a quarter of its letters, or one per letter in scripts without spaces.

    Real tokenizers differ by model and have to be downloaded; this is for limits and estimates, never reported as a
    count.
    """
    wide = 0 if text.isascii() else sum(1 for character in text if character >= "\u0e00")
    return wide + (len(text) - wide + 3) // 4


def message_tokens(messages: Iterable[Message]) -> int:
    """Estimate the tokens of some messages."""
    return sum(estimate_tokens(message.content) + 4 for message in messages)


@dataclass(slots=True)
class Ledger:
    """Usage of each model by each role, for one response or a whole run."""

    _rows: dict[tuple[str, str], Usage] = field(default_factory=dict)

    def add(self, call: Call, reply: Reply, calls: int = 1) -> None:
        """Count a reply, even an unusable one; `calls` is 0 for a share of a reply that is counted elsewhere."""
        blank = Usage(role=call.role, model=call.model, calls=0, tokens_in=0, tokens_out=0, cost=0.0, seconds=0.0)
        if reply.cached:
            self.include(blank.model_copy(update={"cached_calls": calls}))
            return
        used = {name: getattr(reply, name) for name in ("tokens_in", "tokens_out", "cost", "seconds")}
        self.include(blank.model_copy(update={"calls": calls, **used}))

    def include(self, *usage: Usage) -> None:
        """Add the counts of another ledger, such as that of a report."""
        for used in usage:
            key, known = (used.role, used.model), used.model_copy(update={"seconds": used.seconds or 0.0})
            self._rows[key] = _sum(self._rows[key], known) if key in self._rows else known

    def usage(self) -> tuple[Usage, ...]:
        """Return one record per role and model, in the order of their names, without calls that gave no reply."""
        return tuple(_rounded(used) for _, used in sorted(self._rows.items(), key=lambda row: row[0]))


class DividedLedger(Ledger):
    """Ledger of a call that several responses share: its usage is divided among their ledgers."""

    def __init__(self, shares: Sequence[tuple[Ledger, int]]) -> None:
        """`shares` are the ledgers, each with its weight."""
        super().__init__()
        self._shares = shares

    def add(self, call: Call, reply: Reply, calls: int = 1) -> None:
        """Divide a reply: the first ledger counts the call, and the shares add up to the reply's usage."""
        weights = [weight for _, weight in self._shares]
        tokens_in, tokens_out = _divided(reply.tokens_in, weights), _divided(reply.tokens_out, weights)
        thousandths = _divided(round(1000 * reply.seconds), weights)
        for number, (ledger, weight) in enumerate(self._shares):
            share = replace(
                reply,
                tokens_in=tokens_in[number],
                tokens_out=tokens_out[number],
                cost=None if reply.cost is None else reply.cost * weight / sum(weights),
                seconds=(thousandths[number] or 0) / 1000,
            )
            ledger.add(call, share, calls if number == 0 else 0)


def _divided(total: int | None, weights: Sequence[int]) -> list[int | None]:
    """Divide a whole number by weights, so that the shares add up to it."""
    if total is None:
        return [None] * len(weights)
    ends = [total * end // sum(weights) for end in accumulate(weights, initial=0)]
    return [end - start for start, end in pairwise(ends)]


def _sum(usage: Usage, other: Usage) -> Usage:
    names = ("calls", "cached_calls", "tokens_in", "tokens_out", "cost", "seconds")
    pairs = {name: (getattr(usage, name), getattr(other, name)) for name in names}
    return usage.model_copy(update={name: None if None in pair else sum(pair) for name, pair in pairs.items()})


def _rounded(usage: Usage) -> Usage:
    return usage.model_copy(update={"seconds": None if usage.seconds is None else round(usage.seconds, 3)})


@dataclass(frozen=True, slots=True)
class Allowance:
    """Spending limits; None is not a limit."""

    money: float | None = None
    """US dollars."""
    tokens: int | None = None
    """Tokens sent and received."""
    calls: int | None = None
    """Attempts; each retry counts too."""
    seconds: float | None = None
    """Time since the first call, after which no call is started."""


@dataclass(slots=True)
class BudgetHold:
    """Amount reserved for one attempt in progress."""

    tokens: float
    money: float


_TURN = Lock()
"""Threads may share a budget. One lock, held for an instant, serves all: a budget with its own could not be copied."""


class Budget:
    """Counts usage, and refuses a call that would exceed the allowance.

    A call is refused when the usage so far, the calls in flight and the call itself together exceed a limit. Each call
    in flight is estimated by the mean so far, and at least by its own question. So a limit can be exceeded by no more
    than the calls in flight at that moment.
    """

    def __init__(self, allowance: Allowance) -> None:
        self.allowance = allowance
        self.calls, self.tokens, self.money = 0, 0.0, 0.0
        self._held_tokens = self._held_money = 0.0
        self._done = 0
        self._began: float | None = None

    def hold(self, model: str, tokens_in: int, price: Price | None) -> BudgetHold:
        """Reserve the estimated usage of an attempt.

        Raises ModelError (`budget`), or UsageError for an unknown price.
        """
        if self.allowance.money is not None and price is None:
            raise UsageError(
                f"The price of {model!r} is unknown, so a limit on money can't be enforced.",
                "Give its price in a price file, or limit tokens or calls instead.",
            )
        limits = self.allowance
        with _TURN:
            if self._began is None:
                self._began = time.monotonic()
            mean_tokens, mean_money = (self.tokens / self._done, self.money / self._done) if self._done else (0.0, 0.0)
            dollars = price.of(tokens_in, 0) if price else 0.0
            held = BudgetHold(max(float(tokens_in), mean_tokens), max(dollars, mean_money))
            if limits.calls is not None and self.calls >= limits.calls:
                raise _spent(many(limits.calls, "call"))
            if limits.tokens is not None and self.tokens + self._held_tokens + held.tokens > limits.tokens:
                raise _spent(many(limits.tokens, "token"))
            if limits.money is not None and self.money + self._held_money + held.money > limits.money:
                raise _spent(f"${limits.money:g}")
            if limits.seconds is not None and time.monotonic() - self._began >= limits.seconds:
                raise _spent(f"{limits.seconds:g} second{'' if limits.seconds == 1 else 's'}")
            self.calls += 1
            self._held_tokens += held.tokens
            self._held_money += held.money
        return held

    def settle(self, held: BudgetHold, tokens: int | None, money: float | None) -> None:
        """Replace the reserved amount by the actual usage; None (unknown) keeps the reserved amount."""
        with _TURN:
            self._held_tokens -= held.tokens
            self._held_money -= held.money
            self.tokens += held.tokens if tokens is None else tokens
            self.money += held.money if money is None else money
            self._done += tokens != 0


def _spent(limit: str) -> ModelError:
    return ModelError(
        "budget",
        f"The budget of {limit} is used up.",
        "Raise it and run the same command again: finished work is kept.",
    )
