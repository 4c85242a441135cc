"""Dates, times and amounts of a claim and a passage in one notation: "14/03/1822" as "14 March 1822".

A network reads characters, and takes the same date in words and in digits for two dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from factscope.core.records import Span
from factscope.judging.verifiers.notations.amount_notations import AMOUNTS
from factscope.judging.verifiers.notations.calendar_notations import CALENDAR
from factscope.judging.verifiers.notations.notation_form import Notation
from factscope.judging.verifiers.protocol import ClaimPair

_REMEMBERED = 1_024
"""Recent claims and passages whose notations are cached, since each is in many pairs."""
_LONGEST = 3_000
"""Most characters of one of them, so that a cached text is a passage, not a document."""
_Places = tuple[Notation, list[re.Match[str]]]
"""A notation, and where a text has it."""


class _Edit(NamedTuple):
    """Words that take the place of `text[start:end]`."""

    start: int
    end: int
    words: str


class WrittenAlike(NamedTuple):
    """A pair whose dates, times and amounts are in one notation."""

    pair: ClaimPair
    edits: tuple[_Edit, ...] = ()
    """Those of the passage, in order."""
    changed: bool = False
    """Whether claim or passage was edited."""
    claim_words: tuple[tuple[str, str], ...] = ()
    """Words put into the claim, each with those that they replace."""

    def original(self, span: Span) -> Span:
        """Return the place in the original passage of a span of this one."""
        return Span(start=self._original(span.start), end=self._original(span.end))

    def _original(self, offset: int) -> int:
        growth = 0
        for edit in self.edits:
            longer = len(edit.words) - (edit.end - edit.start)
            if edit.end + growth + longer > offset:
                return min(offset - growth, edit.end)
            growth += longer
        return offset - growth


def write_alike(pair: ClaimPair) -> WrittenAlike:
    """Write the dates, times and amounts of a pair in the same words where its texts write them differently."""
    claim_edits, edits = (_edits(text, other) for text, other in (pair, pair[::-1]))
    if not claim_edits and not edits:
        return WrittenAlike(pair)
    claim_words = tuple((edit.words, pair.claim[edit.start : edit.end]) for edit in claim_edits)
    written = ClaimPair(_edited(pair.claim, claim_edits), _edited(pair.passage, edits))
    return WrittenAlike(written, edits, changed=True, claim_words=claim_words)


def _edits(text: str, other: str) -> tuple[_Edit, ...]:
    """Return the edits of a text in order; of two at one place, that of the earlier notation."""
    edits: list[_Edit] = []
    taken = bytearray(len(text))
    for notation, matches in _places(text):
        for match in matches if notation.sign.search(other) else ():
            start, end = match.span()
            if not any(taken[start:end]) and (words := notation.write(match, other)):
                edits.append(_Edit(start, end, words))
                taken[start:end] = b"1" * (end - start)
    return tuple(sorted(edits))


def _places(text: str) -> Iterable[_Places]:
    """Return the notations that a text has, in their order, each with all its places."""
    return _remembered(text) if len(text) <= _LONGEST else _search(text)


@lru_cache(maxsize=_REMEMBERED)
def _remembered(text: str) -> tuple[_Places, ...]:
    return tuple(_search(text))


def _search(text: str) -> Iterator[_Places]:
    for notation in (*CALENDAR, *AMOUNTS):
        if matches := list(notation.pattern.finditer(text)):
            yield notation, matches


def _edited(text: str, edits: tuple[_Edit, ...]) -> str:
    starts = [0, *(edit.end for edit in edits)]
    kept_parts = [text[start : edit.start] + edit.words for start, edit in zip(starts, edits, strict=False)]
    return "".join(kept_parts) + text[starts[-1] :]
