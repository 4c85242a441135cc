"""A question about several units, asked again in smaller parts when its reply can't be used."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from factscope.llm.model_errors import ModelError
from factscope.llm.session import gather_all

A = TypeVar("A")
U = TypeVar("U")

_SPOILT = ("unreadable", "refusal")
"""Failures of a reply that a single unit may cause, whatever else the call contains."""
_SMALLER = (*_SPOILT, "length", "timeout")
"""Failures after which a smaller call may succeed."""


class Together(NamedTuple, Generic[U, A]):
    """The callbacks of a question about several units."""

    ask: Callable[[tuple[U, ...], str], Awaitable[A]]
    """Ask about some units; the text is a remark on an earlier failure. Raises ModelError."""
    take: Callable[[tuple[U, ...], A], Awaitable[None]]
    """Process the reply to a call about these units, and perhaps others."""
    failed: Callable[[tuple[U, ...], Exception], None]
    """Record the units that got no answer."""

    async def work(self, group: tuple[U, ...], remark: str) -> None:
        """Ask about units and process the reply."""
        await self.take(group, await self.ask(group, remark))

    async def attempt(self, group: tuple[U, ...], remark: str) -> Exception | None:
        """Run `work`, and return the error that it raises."""
        try:
            await self.work(group, remark)
        except Exception as error:  # noqa: BLE001 - see CheckContext.guard
            return error
        return None


async def ask_together(items: Sequence[U], steps: Together[U, A], *, overlap: bool = True) -> None:
    """Ask about all items in one call; when the reply is too long, too late, refused or unreadable, ask in parts.

    A refusal or an unreadable reply may be caused by a single item. The parts, which are asked at the same time,
    therefore overlap in such a way that the failed parts identify that item; one more call then has the items that no
    answered part contained. Up to eight items need four further calls, up to sixteen five. No scheme needs fewer: after
    a call for all, n calls distinguish at most 2 ** (n - 1) items if all but one are to be answered. The item fails
    when all parts with it failed and all others were answered; it is asked alone where a call is left for that.

    After other failures, and without `overlap`, the parts are halves: a small model that fails on ten items may manage
    five. Both halves are sent at the same time, each once, with a remark that says what was wrong. When every part
    fails, one item is tried alone, since the model may not be able to do this at all, and every attempt costs money.
    Parts that time out are not split again.
    """
    group = tuple(items)
    error = await steps.attempt(group, "")
    if error and overlap and len(group) > 2 and _kind(error) in _SPOILT:
        await _in_overlapping_parts(group, error, steps)
    elif error:
        await _in_halves(group, error, steps)


async def _in_overlapping_parts(items: tuple[U, ...], error: Exception, steps: Together[U, A]) -> None:
    """Ask for the items of a failed call in overlapping parts, and then for those that no answered part contained."""
    groups = _overlapping_groups(len(items))

    async def reply_to(group: Sequence[int]) -> A | Exception:
        try:
            return await steps.ask(_chosen(items, group), _remark(error))
        except Exception as failure:  # noqa: BLE001 - see CheckContext.guard
            return failure

    replies = list(zip(groups, await gather_all(map(reply_to, groups)), strict=True))
    answered = [(group, reply) for group, reply in replies if not isinstance(reply, Exception)]
    unanswered = await _take_answers(items, answered, steps)
    if not unanswered:
        return
    errors = [reply for _, reply in replies if isinstance(reply, Exception)] or [error]
    if fatal := next((each for each in errors if _kind(each) not in _SMALLER), None):
        steps.failed(_chosen(items, unanswered), fatal)
        return
    failed_groups = [group for group, reply in replies if isinstance(reply, Exception)]
    # No two items are in the same groups, so there is at most one such item.
    culprits = [at for at in unanswered if [group for group in groups if at in group] == failed_groups]
    culprit, others = _chosen(items, culprits), _chosen(items, [at for at in unanswered if at not in culprits])
    if culprit and not others:
        if again := await steps.attempt(culprit, _remark(errors[0])):
            steps.failed(culprit, again)
        return
    if culprit and not await steps.attempt(others, _remark(errors[0])):
        steps.failed(culprit, errors[0])
        return
    # Several items are the cause. Any answer shows that the model can do others.
    if answered:
        await _in_halves((*others, *culprit), errors[0], steps, to_the_end=True)
    else:
        await _one_first((*others, *culprit), errors[0], steps)


async def _take_answers(
    items: tuple[U, ...], answered: Sequence[tuple[Sequence[int], A]], steps: Together[U, A]
) -> list[int]:
    """Process the replies to groups of items, each item once; return the indices of the items in none of them."""
    unanswered, reading = list(range(len(items))), []
    for group, reply in answered:
        reading.append(_take(steps, _chosen(items, [at for at in group if at in unanswered]), reply))
        unanswered = [at for at in unanswered if at not in group]
    await gather_all(reading)
    return unanswered


def _overlapping_groups(n: int) -> list[list[int]]:
    """Return as few groups as possible, such that no two of `n` items are in exactly the same ones.

    Each item is in few groups, and at most one item is in none.
    """
    bits = (n - 1).bit_length()
    numbers = [*sorted(range(1, 1 << bits), key=int.bit_count), 0][:n]
    return [[at for at, number in enumerate(numbers) if number >> bit & 1] for bit in range(bits)]


def _chosen(items: Sequence[U], indices: Sequence[int]) -> tuple[U, ...]:
    return tuple(items[at] for at in indices)


async def _one_first(items: tuple[U, ...], error: Exception, steps: Together[U, A]) -> None:
    """Ask for one item alone; where that fails too, give all of them up."""
    first, *others = items
    if again := await steps.attempt((first,), _remark(error)):
        steps.failed(items, again)
    else:
        await _in_halves(tuple(others), error, steps, to_the_end=True)


async def _take(steps: Together[U, A], group: tuple[U, ...], reply: A) -> None:
    try:
        if group:
            await steps.take(group, reply)
    except Exception as error:  # noqa: BLE001 - see CheckContext.guard
        steps.failed(group, error)


async def _in_halves(
    items: tuple[U, ...], error: Exception, steps: Together[U, A], *, to_the_end: bool = False
) -> None:
    """Ask for the items of a failed call in halves, and split failed halves again.

    With `to_the_end`, the model is known to manage some items, and none is given up untried.
    """
    failures = [(items, error)]
    while failures:
        divisible = []
        for group, error in failures:
            if len(group) > 1 and _kind(error) in _SMALLER:
                divisible.append((group, error))
            else:
                steps.failed(group, error)
        timed_out = any(_kind(error) == "timeout" for _, error in divisible)
        halves = [
            (half, _remark(error))
            for group, error in divisible
            for half in (group[: len(group) // 2], group[len(group) // 2 :])
        ]
        errors = await gather_all(steps.attempt(half, remark) for half, remark in halves)
        failures = [(half, error) for (half, _), error in zip(halves, errors, strict=True) if error]
        some_answered = to_the_end or len(failures) < len(halves)
        if not failures or (some_answered and not timed_out):
            continue
        (first, *others), error = failures[0]
        if timed_out or not others or await steps.attempt((first,), _remark(error)):
            for group, error in failures:
                steps.failed(group, error)
            return
        failures[0] = (tuple(others), error)


def _kind(error: Exception) -> str | None:
    return error.kind if isinstance(error, ModelError) else None


def _remark(error: Exception) -> str:
    if _kind(error) != "unreadable":
        return ""
    return "An earlier reply, to this and more, could not be read. Answer in the form that was asked for."
