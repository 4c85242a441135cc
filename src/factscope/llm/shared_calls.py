"""Calls that the responses of a group share, and which questions go into the same call.

The responses of a group are processed concurrently, in turns. A question that may be shared waits until every other
response has a question of the same turn, is past that turn, or can have no more questions; then the waiting questions
are divided between calls in the order of the responses. So the questions in a call depend only on the responses, and
not on which of them was faster.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from typing import Any, TypeVar

from factscope.llm.model_errors import ModelError

Q = TypeVar("Q")
A = TypeVar("A")


@dataclass(frozen=True)
class _Question:
    question: Any
    fits: Callable[[Sequence[Any], Any], bool]
    ask: Callable[[Sequence[Any]], Awaitable[Sequence[Any]]]
    answer: asyncio.Future[Any]
    context: Context = field(default_factory=copy_context)
    """The context in which it was asked; the call runs in the context of its first question."""


class CallGroup:
    """Responses that share calls. Belongs to one event loop; close it when all of them have ended."""

    def __init__(self, size: int) -> None:
        self.members = tuple(GroupMember(self, number) for number in range(size))
        self.turns = dict.fromkeys(range(size), 0)
        """The current turn of each response that takes part."""
        self.waiting: dict[int, _Question] = {}
        """The question that a response waits with."""
        self._calls: set[asyncio.Task[None]] = set()
        self._stopped = False

    def stop(self) -> None:
        """Start no further call."""
        self._stopped = True

    async def close(self) -> None:
        """Cancel the calls in progress."""
        self.stop()
        for task in self._calls:
            task.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)

    def begin(self) -> None:
        """Ask the questions of the earliest turn, once no response is being waited for."""
        if self._stopped or not self.waiting:
            return
        turn = min(self.turns[number] for number in self.waiting)
        if any(other <= turn and number not in self.waiting for number, other in self.turns.items()):
            return
        numbers = sorted(number for number in self.waiting if self.turns[number] == turn)
        for call in _calls([self.waiting.pop(number) for number in numbers]):
            if len(call) == 1:
                _answer(call[0], None)
                continue
            task = asyncio.get_running_loop().create_task(_make_call(call), context=call[0].context)
            self._calls.add(task)
            task.add_done_callback(self._calls.discard)


@dataclass(frozen=True)
class GroupMember:
    """One response of a group."""

    group: CallGroup
    number: int

    def next_turn(self) -> None:
        """Note that it has no further question in its turn."""
        if self.number in self.group.turns:
            self.group.turns[self.number] += 1
            self.group.begin()

    def leave(self) -> None:
        """Note that it has nothing more to share, so that the others no longer wait for it."""
        self.group.turns.pop(self.number, None)
        self.group.waiting.pop(self.number, None)
        self.group.begin()

    async def share(
        self,
        question: Q,
        fits: Callable[[Sequence[Q], Q], bool],
        ask: Callable[[Sequence[Q]], Awaitable[Sequence[A | None]]],
    ) -> A | None:
        """Ask a question in one call with those of other responses; return None if it must be asked alone.

        `fits` says whether a question may be added to a call; `ask` makes a call with several questions and answers
        each. Raises the errors of `ask`.
        """
        if self.number not in self.group.turns or self.number in self.group.waiting:
            return None
        answer: asyncio.Future[A | None] = asyncio.get_running_loop().create_future()
        self.group.waiting[self.number] = _Question(question, fits, ask, answer)
        self.group.begin()
        return await answer


def _calls(questions: Sequence[_Question]) -> list[list[_Question]]:
    """Divide questions between calls, each into the first call that it fits into."""
    calls: list[list[_Question]] = []
    for waiting in questions:
        fitting = (call for call in calls if waiting.fits([other.question for other in call], waiting.question))
        call = next(fitting, None)
        if call is None:
            calls.append(call := [])
        call.append(waiting)
    return calls


async def _make_call(call: Sequence[_Question]) -> None:
    """Make a call, and answer the questions that are still waited for: a cancelled one does not cancel the others."""
    try:
        answers = await call[0].ask([waiting.question for waiting in call])
        answered = [*zip(call, answers, strict=True)]
    except asyncio.CancelledError:
        for waiting in call:
            waiting.answer.cancel()
        raise
    except BaseException as error:  # noqa: BLE001 - those who wait must hear of it, whatever it is
        for waiting in call:
            if not waiting.answer.done():
                waiting.answer.set_exception(error.copy() if isinstance(error, ModelError) else error)
        return
    for waiting, answer in answered:
        _answer(waiting, answer)


def _answer(question: _Question, answer: Any) -> None:
    if not question.answer.done():  # its response may have been cancelled
        question.answer.set_result(answer)
