"""A question about several units, asked in smaller parts when its reply can't be used."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from factscope.llm.model_errors import ModelError
from factscope.llm.session import gather_all

U = TypeVar("U")


async def split_on_failure(
    items: Sequence[U],
    work: Callable[[tuple[U, ...], str], Awaitable[None]],
    failed: Callable[[tuple[U, ...], Exception], None],
) -> None:
    """Do `work` on all items in one call; when the reply is too long, too late, refused or can't be read, in parts.

    A small model that fails on ten items may manage five, and one that refuses ten may mind a single one. Both halves
    are sent at the same time, each once, with a remark that says what was wrong. When every part fails, one item is
    tried alone, since the model may not be able to do this at all, and every attempt is paid for. Parts that time out
    are not split again. `failed` is called with the items that were not done.
    """
    wrong = await _attempt(tuple(items), "", work)
    groups = [(tuple(items), wrong)] if wrong else []
    while groups:
        for group, error in groups:
            if not _smaller_may_do(group, error):
                failed(group, error)
        groups = [(group, error) for group, error in groups if _smaller_may_do(group, error)]
        late = any(_kind(error) == "timeout" for _, error in groups)
        parts = [
            (half, _remark(error))
            for group, error in groups
            for half in (group[: len(group) // 2], group[len(group) // 2 :])
        ]
        errors = await gather_all(_attempt(half, remark, work) for half, remark in parts)
        groups = [(half, error) for (half, _), error in zip(parts, errors, strict=True) if error]
        if not groups or (len(groups) < len(parts) and not late):
            continue
        (first, *others), error = groups[0]
        alone = None if late or not others else await _attempt((first,), _remark(error), work)
        if late or not others or alone:
            for group, error in groups:
                failed(group, error)
            return
        groups[0] = (tuple(others), error)


async def _attempt(
    group: tuple[U, ...], remark: str, work: Callable[[tuple[U, ...], str], Awaitable[None]]
) -> Exception | None:
    try:
        await work(group, remark)
    except Exception as error:  # noqa: BLE001 - see CheckContext.guard
        return error
    return None


def _kind(error: Exception) -> str | None:
    return error.kind if isinstance(error, ModelError) else None


def _smaller_may_do(group: Sequence[object], error: Exception) -> bool:
    return len(group) > 1 and _kind(error) in ("unreadable", "length", "timeout", "refusal")


def _remark(error: Exception) -> str:
    if _kind(error) != "unreadable":
        return ""
    return "An earlier reply, to this and more, could not be read. Answer in the form that was asked for."
