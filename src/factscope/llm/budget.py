"""Hard limits on the cost of a run: money, tokens, calls and time."""

from __future__ import annotations

import time
from dataclasses import dataclass

from factscope.core.errors import UsageError
from factscope.core.plurals import many
from factscope.llm.model_errors import ModelError

from .cost import Price


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
        limits = self.allowance
        if limits.money is not None and price is None:
            raise UsageError(
                f"The price of {model!r} is unknown, so a limit on money can't be enforced.",
                "Give its price in a price file, or limit tokens or calls instead.",
            )
        if self._began is None:
            self._began = time.monotonic()
        mean_tokens, mean_money = (self.tokens / self._done, self.money / self._done) if self._done else (0.0, 0.0)
        held = BudgetHold(max(float(tokens_in), mean_tokens), max(price.of(tokens_in, 0) if price else 0.0, mean_money))
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
