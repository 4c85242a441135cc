"""A sentence of a claim beside a passage, with what several rules need to know of the two."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from factscope.core import Label
from factscope.core.records import Span
from factscope.judging.verifiers.wording.claim_sentences import text_of
from factscope.judging.verifiers.wording.clauses import Clause, clauses
from factscope.judging.verifiers.wording.features import closest
from factscope.judging.verifiers.wording.table_rows import TableRow, rows
from factscope.judging.verifiers.wording.text_items import (
    NUMERIC,
    AnalysedSentence,
    AnalysedText,
    TextItem,
    WordWeights,
)


class RuleOutcome(NamedTuple):
    """A rule's decision: the label, the sentence that decides, and the reason."""

    label: Label
    sentence: Span
    reason: str


@dataclass(frozen=True)
class SentencePair:
    """A sentence of a claim, and a passage with at least one sentence."""

    claim: AnalysedText
    passage: AnalysedText
    weights: WordWeights

    @cached_property
    def claimed(self) -> AnalysedSentence:
        """The claim's only stretch."""
        (claimed,) = self.claim.stretches
        return claimed

    @cached_property
    def text(self) -> str:
        """The text of the claim's sentence."""
        return text_of(self.claim)

    @cached_property
    def nearest_at(self) -> int:
        """Number of the passage's sentence that is closest to the claim."""
        return closest(self.claimed, self.passage.stretches)

    @property
    def nearest(self) -> AnalysedSentence:
        """The passage's sentence that is closest to the claim."""
        return self.passage.stretches[self.nearest_at]

    @property
    def nearest_text(self) -> str:
        """Its text."""
        return self.passage.part(self.nearest)

    @cached_property
    def new_numbers(self) -> list[TextItem]:
        """Numbers of the claim that the closest sentence lacks."""
        present = self.nearest.keys
        return [item for item in self.claimed.items if item.kind in NUMERIC and item.key not in present]

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses of the passage."""
        return clauses(self.passage, self.weights)

    @cached_property
    def rows(self) -> tuple[TableRow, ...]:
        """The rows of the passage's tables."""
        return rows(self.passage.text, self.weights)

    def contradicted(self, sentence: AnalysedSentence, reason: str) -> RuleOutcome:
        """Return the ruling that a sentence of the passage contradicts the claim."""
        return RuleOutcome("contradicted", sentence.span, reason)
