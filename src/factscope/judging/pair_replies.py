"""Replies about a list of claim-passage pairs: their schema and their reader."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from factscope.core.labels import Gap
from factscope.llm.model_errors import UnreadableError
from factscope.llm.structured import first_error, json_reader

GAPS: dict[Gap, str] = {gap: gap for gap in ("insufficient", "partial", "outdated", "subjective")}
_STRICT = ConfigDict(extra="forbid", frozen=True)


class PairRows(NamedTuple):
    """The usable rows of a reply, and the reasons why others are not."""

    rows: Sequence[Any]
    unusable: Mapping[tuple[str, str], str]
    """Reason by claim and passage."""


@cache
def reply_form(words: tuple[str, ...]) -> type[BaseModel]:
    """Return the schema of a reply to a list of pairs, with the labels of the method."""
    return create_model("Said_of_pairs", __config__=_STRICT, judgements=(tuple[row_form(words), ...], ...))  # type: ignore[misc, arg-type]


@cache
def row_form(words: tuple[str, ...]) -> type[BaseModel]:
    """Return the schema of one pair's row in such a reply."""
    gaps = ("", *GAPS)
    return create_model(
        "Said",
        __config__=_STRICT,
        claim=(str, ...),
        passage=(str, ...),
        reason=(str, ...),
        label=(Literal[words], ...),  # type: ignore[arg-type]
        quote=(str, ...),
        gap=(Literal[gaps], ...),  # type: ignore[arg-type]
        confidence=(float, Field(ge=0, le=1)),
    )


_AnyRows = create_model("AnyRows", __config__=_STRICT, judgements=(tuple[dict[str, Any], ...], ...))


def pairs_reader(words: tuple[str, ...], pairs_asked: Collection[tuple[str, str]]) -> Callable[[str], PairRows]:
    """Return a reader of replies in this form, row by row.

    A reply may leave out pairs of the list. A row that does not fit the schema, or the rows of a pair that occurs
    twice, are unusable and do not affect the other rows. The reader raises UnreadableError where no row can be used,
    and where a row names a pair that is not in the list: then the ids were mixed up.
    """
    reader, form = json_reader(_AnyRows), row_form(words)

    def read(text: str) -> PairRows:
        """Parse a reply into its rows."""
        rows: dict[tuple[str, str], Any] = {}
        unusable: dict[tuple[str, str], str] = {}
        reason = "it holds no judgement."
        for values in reader(text).judgements:  # type: ignore[attr-defined]
            pair = (str(values.get("claim")), str(values.get("passage")))
            if pair not in pairs_asked:
                raise UnreadableError(f"the pair {pair[0][:40]!r}, {pair[1][:40]!r} is not in the list.")
            try:
                row = form.model_validate(values, strict=True)
            except ValidationError as error:
                reason = unusable[pair] = first_error(error)
                continue
            if pair in rows:
                reason = unusable[pair] = "a pair comes twice."
            rows[pair] = row
        usable = [row for pair, row in rows.items() if pair not in unusable]
        if not usable:
            raise UnreadableError(reason)
        return PairRows(usable, unusable)

    return read
