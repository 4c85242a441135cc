"""The seam to verifiers: judges that label one claim against one passage without a language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from factscope.labels import Label
from factscope.records import Span


class Pair(NamedTuple):
    """A claim and the passage that it is checked against."""

    claim: str
    passage: str


class Opinion(NamedTuple):
    """What a verifier says of one pair."""

    label: Label
    confidence: float
    """Probability of `label` in its own eyes, 0 to 1."""
    quote: Span | None
    """The sentence of the passage that carries the label, as offsets into the passage."""
    rationale: str
    """One line that names what spoke for the label, for a person."""


class Verifier(Protocol):
    """Anything that can label pairs. `verify` keeps the order and gives one opinion per pair."""

    @property
    def name(self) -> str:
        """Name and version, such as `builtin-1`; part of every score's signature."""

    def verify(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """Label each pair. Raises BoundaryError when it can't."""
