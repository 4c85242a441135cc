"""Rate limits of an endpoint: calls in flight, requests and tokens per minute, and a shared pause.

Each base address has one `Gate`, and each call's result affects the others: after a 429 all calls wait for the time
that the server asks; after twenty failures in a row the gate closes until a single call has succeeded; and the first
call to a model starts a moment before the others, so that a wrong key costs one call instead of as many as are in
flight (a server reports a wrong key at once; if it says nothing for a moment, the key is accepted).
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field

from factscope.core import back_off
from factscope.llm.model_errors import Kind, ModelError

_TROUBLE: frozenset[Kind] = frozenset({"server", "connection", "timeout", "bad_reply"})
"""Failures that indicate that the server is overloaded or down."""
_ANSWERED: frozenset[Kind] = frozenset({"refusal", "length", "bad_request"})
"""Failures that prove that key and model are accepted."""
SILENCE = 120.0
"""Seconds for which a model server may send nothing, unless the user says otherwise."""
_LONGEST_BACK_OFF = 30.0
"""Longest wait in seconds, unless a server asks for more."""
_FATAL_SECONDS = 60.0
"""Seconds for which a fatal failure is returned to all later calls, before one of them may try again."""


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Limits of an endpoint. Times in seconds."""

    in_flight: int | None = None
    """Most calls at once, fewer while the server signals overload; None: see `Provider.in_flight`."""
    requests_per_minute: int | None = None
    """Most calls begun in any 60 seconds."""
    tokens_per_minute: int | None = None
    """Most tokens sent in any 60 seconds, estimated when a call begins and corrected when it ends."""
    tries: int = 6
    """Most attempts of one call."""
    timeout: float = SILENCE
    """Longest silence: time in which a server sends nothing."""
    deadline: float = 600.0
    """Seconds from the first attempt in which another may start, and in which a reply must begin."""
    longest: float = 3600.0
    """Longest attempt, even if its reply keeps coming."""
    longest_wait: float = 120.0
    """Longest wait between two attempts, however long the server asks for."""
    first_wait: float = 0.5
    """Wait after the first failure, when the server asks for none."""
    failures_in_a_row: int = 20
    """Number of failures in a row that close the gate: calls wait, and are then tried one at a time."""
    cool_down: float = 5.0
    """First pause of a closed gate; doubled after each trial that fails."""
    trials: int = 3
    """Number of failed trials that end the run."""
    head_start: float = 0.3
    """Longest time by which the first call to a model goes ahead of the others."""

    def pause(self, attempt: int, asked: float | None) -> float:
        """Return the wait after attempt number `attempt`: the server's requested wait, otherwise back-off."""
        return max(min(asked or 0.0, self.longest_wait), back_off(attempt, self.first_wait, _LONGEST_BACK_OFF))


class Window:
    """Limit of `limit` units in any minute. Pure: the caller passes the time."""

    def __init__(self, limit: int) -> None:
        self._limit, self._sum = limit, 0
        self._begun: deque[list[float]] = deque()

    def delay(self, now: float, amount: int) -> float:
        """Return the seconds until `amount` more fits; 0 when it fits now.

        An amount above the limit fits an empty window.
        """
        while self._begun and self._begun[0][0] <= now - 60.0:
            self._sum -= int(self._begun.popleft()[1])
        need = self._sum + min(amount, self._limit) - self._limit
        for time, held in self._begun:
            if need <= 0:
                break
            need -= int(held)
            if need <= 0:
                return time + 60.0 - now
        return 0.0

    def add(self, now: float, amount: int) -> list[float]:
        """Record that `amount` starts now; return the entry, for `correct`."""
        entry = [now, float(amount)]
        self._begun.append(entry)
        self._sum += amount
        return entry

    def correct(self, entry: list[float], amount: int) -> None:
        """Replace the estimate by the actual amount, if it is still in the window."""
        if self._begun and entry[0] >= self._begun[0][0]:
            self._sum += amount - int(entry[1])
            entry[1] = float(amount)


@dataclass(slots=True)
class Ticket:
    """Permission for one attempt; to be handed back to `Gate.leave`."""

    model: str
    begun: float
    exclusive: bool
    tokens: list[float] | None = None


@dataclass(slots=True)
class _Waiting:
    future: asyncio.Future[Ticket]
    tokens: int
    turn: int


@dataclass(slots=True)
class _ModelState:
    """State of one model behind the address."""

    name: str
    queue: deque[_Waiting] = field(default_factory=deque)
    proven: bool = False
    """It has answered since the last outage."""
    answered: bool = False
    """It has ever answered."""
    trying: bool = False
    tried: float = 0.0
    """When it was last tried alone."""
    fatal_error: ModelError | None = None
    fatal_until: float = 0.0

    def refuse(self, failure: ModelError) -> None:
        """End its waiting calls with a failure."""
        for waiting in self.queue:
            if not waiting.future.done():
                waiting.future.set_exception(failure.copy())
        self.queue.clear()


class Gate:
    """Admits calls to one base address. Belongs to one event loop."""

    def __init__(self, limits: CallLimits, in_flight: int = 256) -> None:
        """`in_flight` holds where `limits` sets none."""
        self._limits = limits
        self._most = self._widest = float(limits.in_flight or in_flight)
        self.flying = 0
        """Attempts in progress."""
        self._turn = self._failures = self._trials = 0
        self._open_circuit = False
        self._resume = self._shrunk = 0.0
        self._requests = Window(limits.requests_per_minute) if limits.requests_per_minute else None
        self._tokens = Window(limits.tokens_per_minute) if limits.tokens_per_minute else None
        self._models: dict[str, _ModelState] = {}
        self._timer: asyncio.TimerHandle | None = None

    @property
    def most(self) -> int:
        """Attempts that are allowed at the same time now."""
        return max(1, int(self._most))

    def doubtful(self, model: str) -> bool:
        """Return whether this model has never answered, and calls to its address have failed."""
        return self._failures > 0 and not self._models[model].answered

    async def enter(self, model: str, tokens: int = 0, *, again: bool = False) -> Ticket:
        """Wait for permission to make an attempt; retries (`again`) go before first attempts.

        Raises the ModelError that ended all calls to this model, if there was one.
        """
        loop = asyncio.get_running_loop()
        state = self._models.setdefault(model, _ModelState(model))
        if state.fatal_error and loop.time() < state.fatal_until:
            raise state.fatal_error.copy()
        state.fatal_error = None
        self._turn += 1
        waiting = _Waiting(loop.create_future(), tokens, 0 if again else self._turn)
        if again:  # its deadline is already running
            state.queue.appendleft(waiting)
        else:
            state.queue.append(waiting)
        self._admit()
        try:
            return await waiting.future
        except asyncio.CancelledError:
            if waiting.future.done() and not waiting.future.cancelled() and waiting.future.exception() is None:
                self.leave(waiting.future.result())
            raise

    def leave(self, ticket: Ticket, failure: ModelError | None = None, *, ok: bool = False, tokens: int = -1) -> None:
        """Hand a ticket back: with its failure, with `ok`, or with neither when the attempt was abandoned."""
        now = asyncio.get_running_loop().time()
        state = self._models[ticket.model]
        self.flying -= 1
        if ticket.exclusive:
            state.trying = False
        if ticket.tokens is not None and self._tokens and tokens >= 0:
            self._tokens.correct(ticket.tokens, tokens)
        if ok or (failure and failure.kind in _ANSWERED):
            state.proven = state.answered = True
            self._failures = self._trials = 0
            self._open_circuit = False
            self._most = min(self._widest, self._most + max(1 / self._most, 0.05))
        elif failure:
            self._learn(ticket, failure, state, now)
        self._admit()

    def shut(self, failure: ModelError) -> None:
        """Refuse all waiting calls with `failure`."""
        for model in self._models.values():
            model.refuse(failure)

    def _learn(self, ticket: Ticket, failure: ModelError, state: _ModelState, now: float) -> None:
        if failure.wait:
            self._resume = max(self._resume, now + min(failure.wait, self._limits.longest_wait))
        if (
            failure.kind in ("rate_limit", "timeout") and ticket.begun >= self._shrunk
        ):  # once per wave of failures, not once per call
            self._most = max(1.0, min(self._most, self.flying + 1) / 2)
            self._shrunk = now
        if failure.kind in _TROUBLE:
            self._failures += 1
            if self._open_circuit and ticket.exclusive:
                self._trials += 1
                self._resume = max(self._resume, now + self._limits.cool_down * 2**self._trials)
                if self._trials >= self._limits.trials:
                    self._end_all(_outage(failure, self._failures), now)
            elif not self._open_circuit and self._failures >= self._limits.failures_in_a_row:
                self._open_circuit = True
                self._resume = max(self._resume, now + self._limits.cool_down)
                for each in self._models.values():
                    each.proven = False
        elif failure.kind == "unreachable":
            self._end_all(failure, now)
        elif failure.fatal:
            self._end(state, failure, now)

    def _end_all(self, failure: ModelError, now: float) -> None:
        for model in self._models.values():
            self._end(model, failure, now)
        self._failures = self._trials = 0
        self._open_circuit = False

    def _end(self, state: _ModelState, failure: ModelError, now: float) -> None:
        state.fatal_error, state.fatal_until, state.proven = failure, now + _FATAL_SECONDS, False
        state.refuse(failure)

    def _admit(self) -> None:
        """Admit the calls that the limits allow, in order of arrival, and set a timer for the next."""
        now = asyncio.get_running_loop().time()
        while self.flying < self.most and (state := self._next(now)) is not None:
            waiting = state.queue[0]
            wait = self._resume - now
            if self._requests:
                wait = max(wait, self._requests.delay(now, 1))
            if self._tokens:
                wait = max(wait, self._tokens.delay(now, waiting.tokens))
            if wait > 0:
                self._wake_in(wait)
                return
            state.queue.popleft()
            ticket = Ticket(state.name, now, exclusive=not state.proven)
            if ticket.exclusive and not state.trying:
                state.trying, state.tried = True, now
            if self._requests:
                self._requests.add(now, 1)
            if self._tokens:
                ticket.tokens = self._tokens.add(now, waiting.tokens)
            self.flying += 1
            waiting.future.set_result(ticket)

    def _next(self, now: float) -> _ModelState | None:
        """Return the model with the longest-waiting call, among those that may go."""
        best: _ModelState | None = None
        for model in self._models.values():
            while model.queue and model.queue[0].future.done():  # abandoned while waiting
                model.queue.popleft()
            if not model.queue:
                continue
            if model.trying and not model.proven and (wait := self._ahead(model, now)) > 0:
                if wait < _FATAL_SECONDS:
                    self._wake_in(wait)
            elif best is None or model.queue[0].turn < best.queue[0].turn:
                best = model
        return best

    def _ahead(self, state: _ModelState, now: float) -> float:
        """Return the seconds for which others still wait for the call that goes ahead.

        During an outage they wait for the trial call.
        """
        if self._open_circuit or state.answered or self._failures:
            return _FATAL_SECONDS
        return state.tried + self._limits.head_start - now

    def _wake_in(self, seconds: float) -> None:
        """Check again in `seconds`, unless that happens earlier anyway."""
        loop = asyncio.get_running_loop()
        due = loop.time() + seconds
        if self._timer is None or due < self._timer.when():
            if self._timer:
                self._timer.cancel()
            self._timer = loop.call_at(due, self._wake)

    def _wake(self) -> None:
        self._timer = None
        self._admit()


def _outage(last: ModelError, failures: int) -> ModelError:
    return ModelError(
        "outage",
        f"Gave up after {failures} failures in a row. The last: {last.message}",
        "Run the same command again later.",
    )
