"""Calls over HTTP: attempts with their limits, and the treatment of failures."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import cache, partial

from factscope.core import after_attempts, proxy_hint, proxy_of
from factscope.llm.call import Call, Reply, json_bytes
from factscope.llm.connections import Connections, HttpAnswer, Patience
from factscope.llm.cost import Allowance, Budget, Price, Prices, estimate_tokens, known_prices, message_tokens
from factscope.llm.limits import CallLimits, Gate, Ticket
from factscope.llm.model_client import Settle
from factscope.llm.model_errors import ModelError
from factscope.llm.providers import Endpoint, endpoint
from factscope.llm.reply_room import reasons
from factscope.llm.waiting import CallUnderWay
from factscope.llm.wire import Dialect, body, failure_of, parsed_body, reasoned, reply_in

_NOT_STREAMED = 16  # tokens; a shorter reply arrives at once
_TRIES_IN_SILENCE = 2
"""Most attempts of a call that the server does not answer at all; the second may take twice as long."""


class HttpSender:
    """Sends calls to their endpoints. Belongs to one event loop; close it when done."""

    def __init__(
        self,
        environment: Mapping[str, str],
        limits: CallLimits | None = None,
        prices: Prices | None = None,
        budget: Budget | None = None,
    ) -> None:
        """`budget` may be shared with other senders; without it, usage has no limits."""
        self._limits = limits or CallLimits()
        self._prices = prices or known_prices()
        self.budget = budget or Budget(Allowance())
        self._landing = False
        self._endpoint: Callable[[str], Endpoint] = cache(partial(endpoint, environment=environment))
        self._gates: dict[str, Gate] = {}
        self._dialects: dict[str, Dialect] = {}
        self._connections = Connections(self._limits)
        self._under_way: dict[int, CallUnderWay] = {}

    @property
    def under_way(self) -> Collection[CallUnderWay]:
        """The calls in progress, each with its own progress."""
        return self._under_way.values()

    def address(self, model: str) -> str:
        """Return the base address of a model. Raises UsageError when it is unknown."""
        return self._endpoint(model).address

    async def send(self, call: Call, settle: Settle) -> Reply:
        """Make the call, with retries where they can help. Raises ModelError, UsageError."""
        where = self._endpoint(call.model)
        if where.address not in self._gates:
            self._gates[where.address] = Gate(self._limits, where.provider.in_flight)
        gate, under_way = self._gates[where.address], CallUnderWay(call.role, call.units, tries=self._limits.tries)
        try:
            return await self._attempts(call, where, gate, under_way, settle)
        finally:
            self._under_way.pop(id(under_way), None)

    async def _attempts(
        self, call: Call, where: Endpoint, gate: Gate, under_way: CallUnderWay, settle: Settle
    ) -> Reply:
        limits, began, last, silent = self._limits, 0.0, None, 0
        for attempt in range(1, limits.tries + 1):
            ticket = await self._enter(gate, call, began, last)
            began = began or ticket.begun
            under_way.attempt, under_way.tokens, under_way.resumes = attempt, 0, 0.0
            self._under_way[id(under_way)] = under_way
            try:
                reply, tokens = await self._attempt(call, where, began, under_way, limits.timeout * 2**silent)
                await settle(reply)
                gate.leave(ticket, ok=True, tokens=tokens)
                return reply
            except ModelError as failure:
                last = _unreachable(failure, where) if gate.doubtful(where.model) else failure
                gate.leave(ticket, last)
            except BaseException:
                gate.leave(ticket)
                raise
            silent += last.kind == "timeout"
            # After silence, the same call would end the same way: one about several units is split instead.
            useless = silent >= _TRIES_IN_SILENCE or (silent and call.units > 1)
            if not last.again or attempt == limits.tries or useless:
                break
            pause = limits.pause(attempt, last.wait)
            if asyncio.get_running_loop().time() + pause > began + limits.deadline:
                break
            under_way.attempt, under_way.asked_wait = attempt + 1, last.wait
            under_way.resumes = time.monotonic() + pause
            await asyncio.sleep(pause)
        if last is None:
            raise ValueError("tries must be at least 1")
        raise _final(last, attempt, limits)

    def drain(self) -> int:
        """Start no further attempt; return the number of attempts in progress."""
        self._landing = True
        for gate in self._gates.values():
            gate.shut(_drained())
        return sum(gate.flying for gate in self._gates.values())

    async def close(self) -> None:
        """Close the connections."""
        await self._connections.close()

    async def _enter(self, gate: Gate, call: Call, began: float, last: ModelError | None) -> Ticket:
        """Return a ticket for an attempt; for a retry only within the deadline."""
        if self._landing:
            raise _drained()
        tokens = message_tokens(call.messages) + min(call.max_tokens or 0, call.room or call.max_tokens or 0)
        if not began:
            return await gate.enter(call.model, tokens)
        try:
            async with asyncio.timeout_at(began + self._limits.deadline):
                return await gate.enter(call.model, tokens, again=True)
        except TimeoutError:
            pass
        raise ModelError("timeout", f"No time was left for another attempt. The last: {last.message if last else ''}")

    async def _attempt(
        self, call: Call, where: Endpoint, began: float, under_way: CallUnderWay, silence: float
    ) -> tuple[Reply, int]:
        """Make one attempt within the budget; return the reply and the tokens that it used."""
        price = self._prices.of(call.model, at_home=where.at_home)
        held = self.budget.hold(call.model, message_tokens(call.messages), price)
        tokens: int | None = None  # usage unknown: a call that was interrupted may have been paid for
        money: float | None = None
        try:
            answer = await self._exchange(call, where, under_way, began, silence)
            if answer.status != 200:
                tokens, money = 0, 0.0
                raise failure_of(answer.status, answer.headers, answer.content, where, time.time())
            values = answer.completion or parsed_body(answer.content, where)
            try:
                seconds = asyncio.get_running_loop().time() - began
                reply = reply_in(values, where, seconds, cut_is_whole=call.cut_is_whole)
            except ModelError as failure:
                is_cut = failure.kind == "length" and failure.reply is not None
                raise self._too_long(failure, call, where, values) if is_cut else failure from None
            reply, tokens, money = _counted(reply, call, price)
            return reply, tokens
        except ModelError as failure:
            if failure.reply:
                failure.reply, tokens, money = _counted(failure.reply, call, price)
            raise
        finally:
            self.budget.settle(held, tokens, money)

    def _too_long(self, failure: ModelError, call: Call, where: Endpoint, values: object) -> ModelError:
        """Return the failure of a reply that was cut off.

        If its model thinks before it answers, that is remembered for other calls.
        """
        limit = _limit(call, where, Dialect.of(where.provider))
        if limit == call.max_tokens:
            return failure
        if thinks := reasoned(values):
            self._dialects[where.model] = self._dialects[where.model]._replace(bounded=False)
        return ModelError(
            "length",
            f"The reply of {where.model} was still going on after {limit:,} tokens, more than its question can need.",
            "Ask a larger model, or for less at a time.",
            reply=failure.reply,
            more_room=thinks,
        )

    async def _exchange(
        self, call: Call, where: Endpoint, under_way: CallUnderWay, began: float, silence: float
    ) -> HttpAnswer:
        """Post the call, and again in a simpler dialect as long as the server rejects features that can be left out."""
        now, limits = asyncio.get_running_loop().time(), self._limits
        patience = Patience(silence, began + limits.deadline, now + limits.longest)
        while True:
            dialect = self._dialects.setdefault(where.model, Dialect.of(where.provider))
            limit = _limit(call, where, dialect)
            values = body(call, where, dialect, limit)
            if limit is None or limit > _NOT_STREAMED:
                values |= dialect.streaming()
            data, stop_loops = json_bytes(values), call.room is not None
            answer = await self._connections.post(where, data, patience, under_way, stop_loops=stop_loops)
            simpler = None if answer.status == 200 else dialect.simpler(call, answer.status, answer.content)
            if simpler is None:
                return answer
            if self._dialects[where.model] == dialect:  # otherwise another call has already found the dialect
                self._dialects[where.model] = simpler


def _limit(call: Call, where: Endpoint, dialect: Dialect) -> int | None:
    """Return the longest reply to ask for, in tokens.

    It is no more than the question needs, unless the model reasons before it answers.
    """
    if call.room is None or call.max_tokens is None or not dialect.bounded or reasons(where.name):
        return call.max_tokens
    return min(call.room, call.max_tokens)


def _counted(reply: Reply, call: Call, price: Price | None) -> tuple[Reply, int, float | None]:
    """Return the reply with its cost, its tokens (estimated if the server does not state them) and their price."""
    is_counted = reply.tokens_in is not None and reply.tokens_out is not None
    tokens_in = message_tokens(call.messages) if reply.tokens_in is None else reply.tokens_in
    tokens_out = estimate_tokens(reply.text) if reply.tokens_out is None else reply.tokens_out
    money = price.of(tokens_in, tokens_out) if price else None
    return replace(reply, cost=money) if money is not None and is_counted else reply, tokens_in + tokens_out, money


def _unreachable(failure: ModelError, where: Endpoint) -> ModelError:
    """Return the failure of a server that never answered, and now failed twice to reply in the expected format."""
    if failure.kind not in ("connection", "bad_reply"):
        return failure
    if proxy_of(where.url):
        return ModelError("unreachable", failure.message, proxy_hint(where.url))
    variable = (where.provider.addresses or ("the address",))[0]
    return ModelError("unreachable", failure.message, f"Is the server running? Its address can be set with {variable}.")


def _drained() -> ModelError:
    return ModelError("budget", "The run was stopped.", "Run the same command again: finished work is kept.")


def _final(failure: ModelError, attempts: int, limits: CallLimits) -> ModelError:
    message = after_attempts(failure.message, failure.wait, limits.longest_wait, attempts)
    return ModelError(
        failure.kind, message, failure.hint, wait=failure.wait, reply=failure.reply, more_room=failure.more_room
    )
