"""A verifier's answers on pairs: abstentions that count as answers, and those that don't."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from factscope.benchmarks.behaviour import judge_pairs
from factscope.benchmarks.behaviour.suite import PairCase
from factscope.core.records import JudgementFlag
from factscope.judging.verifiers import ClaimPair, Prediction, abstention

CASE = PairCase(id="1", category="negation", claim="It is.", evidence="It is not.", label="not_enough")


class Abstaining:
    """A verifier that abstains on every pair, always for the same reason."""

    name = "abstaining-1"

    def __init__(self, flag: JudgementFlag) -> None:
        self.flag = flag

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        return [abstention(self.flag, "its reason") for _ in pairs]


@pytest.mark.parametrize(
    ("flag", "answer"),
    [
        ("unsure", "not_enough"),
        ("partly_read", "not_enough"),
        ("nothing_to_read", None),
        ("too_long", None),
        ("other_language", None),
    ],
)
def test_an_abstention_is_an_answer_unless_the_pair_was_not_read(flag: JudgementFlag, answer: str | None) -> None:
    (row,) = judge_pairs(Abstaining(flag), [CASE])
    assert (row.answer, row.confidence, row.rationale) == (answer, None, "its reason")
