"""Questions about several units, some of which spoil the reply: few calls, and nothing lost or taken twice."""

from __future__ import annotations

import asyncio
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.llm import Kind, ModelError, Together, ask_together


class Asked:
    """Asks about numbers; calls with any spoiling number fail."""

    def __init__(self, n: int, spoiling: set[int], kind: Kind = "unreadable", *, overlap: bool = True) -> None:
        self.calls: list[tuple[int, ...]] = []
        self.taken: list[int] = []
        self.failed: list[int] = []
        self.remarks: list[str] = []
        self._spoiling, self._kind = spoiling, kind
        asyncio.run(ask_together(range(n), Together(self._ask, self._take, self._fail), overlap=overlap))

    async def _ask(self, group: tuple[int, ...], remark: str) -> tuple[int, ...]:
        self.calls.append(group)
        self.remarks.append(remark)
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
def test_isolating_one_bad_item_takes_as_few_calls_as_possible(kind: Kind) -> None:
    for n in range(3, 17):
        most = 1 + (n - 1).bit_length()
        for bad in range(n):
            asked = Asked(n, {bad}, kind)
            assert sorted(asked.taken) == [item for item in range(n) if item != bad]
            assert asked.failed == [bad]
            assert len(asked.calls) - 1 <= most, (n, bad)


def test_several_bad_items_do_not_cost_any_other_its_answer() -> None:
    for n in (5, 12):
        for bad in combinations(range(n), 2):
            asked = Asked(n, set(bad))
            assert sorted(asked.taken) == [item for item in range(n) if item not in bad], (n, bad)
            assert sorted(asked.failed) == sorted(bad)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 18),
    st.sets(st.integers(0, 17)),
    st.sampled_from(["unreadable", "refusal", "length", "timeout", "budget", "server"]),
    st.booleans(),
)
def test_each_item_is_taken_or_failed_exactly_once(n: int, bad: set[int], kind: Kind, overlap: bool) -> None:
    asked = Asked(n, bad, kind, overlap=overlap)
    assert sorted(asked.taken + asked.failed) == list(range(n))
    assert not bad & set(asked.taken)
    assert all(group and len(set(group)) == len(group) for group in asked.calls)
    assert len(asked.calls) <= 2 * n


@pytest.mark.parametrize("answered", [0, 1, 2])
def test_an_unusable_answer_fails_only_its_own_items(answered: int) -> None:
    """The reply came but processing it failed: it is not asked for again as if it had not come."""
    calls, taken, failed = [], [], []

    async def answer(group: tuple[int, ...], remark: str) -> int:
        calls.append(group)
        if 3 in group:
            raise ModelError("unreadable", "No.")
        return len(calls)

    async def take(group: tuple[int, ...], number: int) -> None:
        if answered in group:
            raise ValueError("a mistake of ours")
        taken.extend(group)

    asyncio.run(ask_together(range(4), Together(answer, take, lambda group, error: failed.extend(group))))
    assert sorted(taken + failed) == [0, 1, 2, 3]
    assert {answered, 3} <= set(failed)


def test_only_an_unreadable_reply_is_remarked_on() -> None:
    for kind, remarked in (("unreadable", True), ("refusal", False), ("length", False), ("timeout", False)):
        asked = Asked(6, {1, 4}, kind)
        assert asked.remarks[0] == ""
        assert all(("could not be read" in remark) == remarked for remark in asked.remarks[1:]), kind


@pytest.mark.parametrize("n", [2, 3, 8, 12])
def test_hopeless_questions_are_soon_given_up(n: int) -> None:
    asked = Asked(n, set(range(n)))
    assert sorted(asked.failed) == list(range(n))
    assert len(asked.calls) <= 6


def test_a_call_that_is_too_long_is_halved() -> None:
    asked = Asked(8, {5}, "length")
    assert [len(call) for call in asked.calls] == [8, 4, 4, 2, 2, 1, 1]
    assert asked.failed == [5]


def test_a_failure_that_affects_all_calls_is_not_retried() -> None:
    asked = Asked(8, {5}, "budget")
    assert (len(asked.calls), sorted(asked.failed)) == (1, list(range(8)))
