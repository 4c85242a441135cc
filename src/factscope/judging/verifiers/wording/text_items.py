"""Analysed texts: their sentences, and the content words, names and quantities that are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, wraps
from typing import Literal, NamedTuple, TypeVar, TypeVarTuple, cast

from factscope.core.records import Span

Kind = Literal["word", "name", "count", "year", "percent", "ordinal", "month"]
NUMERIC: frozenset[Kind] = frozenset(("count", "year", "percent", "ordinal", "month"))
"""Kinds with an amount."""

_PASSAGES = 512
"""Recent passages whose analysis is cached, as many claims are read beside the same ones: some 30 megabytes."""
_LONGEST = 5_000
"""Characters of a text whose analysis is cached. Checks read shorter passages; 512 whole documents take gigabytes."""
DECADE = "decade"
"""Unit of a year that means the ten years from it: "the 1980s"."""


class TextItem(NamedTuple):
    """One thing that two texts can share: `key` is equal when they do."""

    key: str
    kind: Kind
    weight: float
    """Inverse document frequency, a measure of how informative it is."""
    at: int
    """Number of its first token in the sentence."""
    start: int
    end: int
    """Offsets in the text."""
    amount: float = 0.0
    """For quantities, in the base unit."""
    unit: str = ""
    about: bool = False
    """Whether the text calls the quantity approximate."""


class Cues(NamedTuple):
    """Words that reverse or modify a statement, as token numbers."""

    negations: tuple[int, ...]
    strong: tuple[int, ...]
    weak: tuple[int, ...]
    hedges: tuple[int, ...]
    superlatives: tuple[int, ...]


class AnalysedSentence(NamedTuple):
    """A sentence, or a piece of an overlong one: `text[start:end]`."""

    start: int
    end: int
    items: tuple[TextItem, ...]
    cues: Cues
    words: tuple[str, ...]
    """All its tokens as stems, function words too."""
    lower: tuple[str, ...]
    """The same tokens in lower case."""
    question: bool

    @property
    def span(self) -> Span:
        """Its place in the text."""
        return Span(start=self.start, end=self.end)

    @property
    def keys(self) -> frozenset[str]:
        """The keys of its items."""
        return frozenset(item.key for item in self.items)

    @property
    def amounts(self) -> list[TextItem]:
        """Its counts and percentages."""
        return self.of_kind("count", "percent")

    @property
    def years(self) -> list[TextItem]:
        """Its years."""
        return self.of_kind("year")

    def of_kind(self, *kinds: Kind) -> list[TextItem]:
        """Return its items of some kinds."""
        return [item for item in self.items if item.kind in kinds]


@dataclass(frozen=True, eq=False)
class WordWeights:
    """Inverse document frequencies; an unknown word weighs as much as the rarest known one.

    Compared by identity, so that it can be part of the key of a cache.
    """

    table: Mapping[str, float]
    unknown: float

    def of(self, key: str) -> float:
        """Return the weight of a stem."""
        return self.table.get(key, self.unknown)


@dataclass(frozen=True, eq=False)
class AnalysedText:
    """An analysed text, or a part of a claim; a claim is analysed once for all its passages.

    Compared by identity, as `WordWeights` is.
    """

    text: str
    stretches: tuple[AnalysedSentence, ...]

    @cached_property
    def items(self) -> tuple[TextItem, ...]:
        """The items of all its sentences."""
        return tuple(item for stretch in self.stretches for item in stretch.items)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Their keys."""
        return frozenset(item.key for item in self.items)

    def part(self, stretch: AnalysedSentence) -> str:
        """Return the text of one of its sentences."""
        return self.text[stretch.start : stretch.end]


def same_year(left: TextItem, right: TextItem) -> bool:
    """Tell whether two years agree; any year of a decade agrees with the decade."""
    if DECADE in (left.unit, right.unit):
        return left.amount // 10 == right.amount // 10
    return left.amount == right.amount


_Arguments = TypeVarTuple("_Arguments")
_Result = TypeVar("_Result")


def cached_by_text(
    size: int = _PASSAGES,
) -> Callable[[Callable[[*_Arguments], _Result]], Callable[[*_Arguments], _Result]]:
    """Cache what a function returns for recent texts, its first argument; of long ones only for the last."""

    def decorate(function: Callable[[*_Arguments], _Result]) -> Callable[[*_Arguments], _Result]:
        cached, last = lru_cache(maxsize=size)(function), lru_cache(maxsize=1)(function)

        @wraps(function)
        def call(*args: *_Arguments) -> _Result:
            first = cast("str | AnalysedText", next(iter(args)))
            text = first if isinstance(first, str) else first.text
            return (cached if len(text) <= _LONGEST else last)(*args)

        return call

    return decorate
