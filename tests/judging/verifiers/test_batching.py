"""Concurrent claims: judged together without a barrier, and unaffected by one that fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import pytest

from factscope.core import BoundaryError, UsageError
from factscope.judging.verifiers import MOST_PAIRS, ClaimPair, LabelProbabilities, Prediction, of_parts, predict_all


class Slow:
    """A verifier that records its batch sizes, and fails when a claim says so."""

    name = "slow-1"

    def __init__(self) -> None:
        self.batches: list[int] = []

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        self.batches.append(len(pairs))
        time.sleep(0.01)
        if any(pair.claim == "bad" for pair in pairs):
            raise BoundaryError("model", "It can't.")
        return [Prediction("supported", 1.0, None, pair.passage) for pair in pairs]


def ask(verifier: Slow, questions: Sequence[Sequence[ClaimPair]]) -> list[object]:
    async def all_at_once() -> list[object]:
        return await asyncio.gather(*(predict_all(verifier, pairs) for pairs in questions), return_exceptions=True)

    return asyncio.run(all_at_once())


def test_claims_that_arrive_meanwhile_form_the_next_batch_and_answers_keep_their_order() -> None:
    verifier = Slow()
    questions = [[ClaimPair(f"c{n}", f"{n}.{m}") for m in range(1 + n % 3)] for n in range(200)]
    found = ask(verifier, questions)
    assert [[one.rationale for one in answer] for answer in found] == [  # type: ignore[attr-defined]
        [pair.passage for pair in pairs] for pairs in questions
    ]
    assert sum(verifier.batches) == sum(map(len, questions))
    assert len(verifier.batches) == 2
    assert max(verifier.batches) <= MOST_PAIRS


def test_a_failing_claim_does_not_affect_the_others() -> None:
    verifier = Slow()
    found = ask(verifier, [[ClaimPair("good", "a")], [ClaimPair("bad", "b")], [ClaimPair("fine", "c")]])
    assert isinstance(found[1], BoundaryError)
    assert [type(one) for one in found] == [list, BoundaryError, list]


def test_an_unusable_verifier_is_not_tried_for_each_claim() -> None:
    class Broken(Slow):
        def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
            super().verify(pairs)
            raise UsageError("There is no such model.")

    verifier = Broken()
    found = ask(verifier, [[ClaimPair(name, "a")] for name in "abcde"])
    assert [type(one) for one in found] == [UsageError] * 5
    assert len(verifier.batches) == 1


def test_a_claim_with_more_passages_than_a_batch_is_not_split() -> None:
    verifier = Slow()
    ask(verifier, [[ClaimPair("c", str(n)) for n in range(MOST_PAIRS + 7)], [ClaimPair("d", "x")]])
    assert verifier.batches == [MOST_PAIRS + 7, 1]


def test_cancelled_requests_are_left_out_of_the_next_batch() -> None:
    verifier = Slow()

    async def part() -> list[Prediction]:
        tasks = [asyncio.create_task(predict_all(verifier, [ClaimPair(str(n), "p")])) for n in range(3)]
        await asyncio.sleep(0.002)
        late = [asyncio.create_task(predict_all(verifier, [ClaimPair(f"late {n}", "p")])) for n in range(5)]
        await asyncio.sleep(0)
        for task in late[1:]:
            task.cancel()
        await asyncio.gather(*tasks)
        return await late[0]

    assert len(asyncio.run(part())) == 1
    assert sum(verifier.batches) == 4


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        ([LabelProbabilities(0.9), LabelProbabilities(0.2)], LabelProbabilities(0.2)),
        (
            [LabelProbabilities(0.9, 0.05, 0.05), LabelProbabilities(0.5, 0.25, 0.25)],
            LabelProbabilities(0.5, 0.25, 0.25),
        ),
        (
            [LabelProbabilities(0.75, 0.125, 0.125), LabelProbabilities(0.0, 1.0, 0.0)],
            LabelProbabilities(0.0, 1.0, 0.0),
        ),
        ([LabelProbabilities(0.5, 0.5, 0.0), LabelProbabilities(0.75, 0.0, 0.25)], LabelProbabilities(0.5, 0.5, 0.0)),
    ],
)
def test_a_claim_is_at_most_as_good_as_its_weakest_part(
    parts: list[LabelProbabilities], whole: LabelProbabilities
) -> None:
    assert of_parts(parts) == whole
