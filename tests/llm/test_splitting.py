"""A question about several units of which some spoil the reply: few calls, and nothing lost or taken twice."""

from __future__ import annotations

import asyncio
from itertools import combinations

import pytest

from factscope.llm.model_errors import Kind, ModelError
from factscope.llm.splitting import Together, ask_together


class Asked:
    """Asks about numbers; calls with any of some numbers fail."""

    def __init__(self, n: int, spoiling: set[int], kind: Kind = "unreadable") -> None:
        self.calls: list[tuple[int, ...]] = []
        self.taken: list[int] = []
        self.failed: list[int] = []
        self._spoiling, self._kind = spoiling, kind
        asyncio.run(ask_together(range(n), Together(self._ask, self._take, self._fail)))

    async def _ask(self, group: tuple[int, ...], remark: str) -> tuple[int, ...]:
        self.calls.append(group)
        if self._spoiling & set(group):
            raise ModelError(self._kind, "No.")
        return group

    async def _take(self, group: tuple[int, ...], answer: tuple[int, ...]) -> None:
        assert set(group) <= set(answer)
        self.taken += group

    def _fail(self, group: tuple[int, ...], error: Exception) -> None:
        assert isinstance(error, ModelError)
        self.failed += group


@pytest.mark.parametrize("kind", ["unreadable", "refusal"])
def test_one_that_spoils_a_reply_costs_as_few_calls_as_can_be(kind: Kind) -> None:
    for n in range(3, 17):
        most = 1 + (n - 1).bit_length()
        for bad in range(n):
            asked = Asked(n, {bad}, kind)
            assert sorted(asked.taken) == [item for item in range(n) if item != bad]
            assert asked.failed == [bad]
            assert len(asked.calls) - 1 <= most, (n, bad)


def test_several_that_spoil_a_reply_cost_no_other_its_answer() -> None:
    for n in (5, 12):
        for bad in combinations(range(n), 2):
            asked = Asked(n, set(bad))
            assert sorted(asked.taken) == [item for item in range(n) if item not in bad], (n, bad)
            assert sorted(asked.failed) == sorted(bad)


@pytest.mark.parametrize("n", [2, 3, 8, 12])
def test_what_can_not_be_done_at_all_is_soon_given_up(n: int) -> None:
    asked = Asked(n, set(range(n)))
    assert sorted(asked.failed) == list(range(n))
    assert len(asked.calls) <= 6


def test_a_call_that_is_too_long_is_halved() -> None:
    asked = Asked(8, {5}, "length")
    assert [len(call) for call in asked.calls] == [8, 4, 4, 2, 2, 1, 1]
    assert asked.failed == [5]


def test_what_affects_all_calls_alike_is_not_asked_again() -> None:
    asked = Asked(8, {5}, "budget")
    assert (len(asked.calls), sorted(asked.failed)) == (1, list(range(8)))
