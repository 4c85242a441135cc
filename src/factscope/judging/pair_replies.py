"""Replies to a list of claim-passage pairs: their form and their reader."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from factscope.core.labels import Gap
from factscope.llm.model_errors import UnreadableError
from factscope.llm.structured import json_reader

GAPS: dict[Gap, str] = {gap: gap for gap in ("insufficient", "partial", "outdated", "subjective")}


@cache
def reply_form(words: tuple[str, ...]) -> type[BaseModel]:
    """The form of a reply to a list of pairs, with the labels of the method."""
    config = ConfigDict(extra="forbid", frozen=True)
    gaps = ("", *GAPS)
    row_model = create_model(
        "Said",
        __config__=config,
        claim=(str, ...),
        passage=(str, ...),
        reason=(str, ...),
        label=(Literal[words], ...),  # type: ignore[arg-type]
        quote=(str, ...),
        gap=(Literal[gaps], ...),  # type: ignore[arg-type]
        confidence=(float, Field(ge=0, le=1)),
    )
    return create_model("Said_of_pairs", __config__=config, judgements=(tuple[row_model, ...], ...))


def pairs_reader(form: type[BaseModel], pairs_asked: Collection[tuple[str, str]]) -> Callable[[str], Sequence[Any]]:
    """A reader of replies in this form. A reply may leave out pairs of the list, but not name any others."""
    reader = json_reader(form)

    def read(text: str) -> Sequence[Any]:
        rows_read = reader(text).judgements  # type: ignore[attr-defined]
        pairs = [(row.claim, row.passage) for row in rows_read]
        if unknown := [pair for pair in pairs if pair not in pairs_asked]:
            raise UnreadableError(f"the pair {unknown[0][0][:40]!r}, {unknown[0][1][:40]!r} is not in the list.")
        if len(pairs) != len(set(pairs)):
            raise UnreadableError("a pair comes twice.")
        if not pairs:
            raise UnreadableError("it holds no judgement.")
        return list(rows_read)

    return read
