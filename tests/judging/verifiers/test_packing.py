"""Sentences packed without loss, and the nearest ones read in the order of the passage."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from factscope.judging.verifiers import nearest, packed


@given(st.lists(st.integers(0, 30), max_size=40), st.integers(1, 50))
def test_runs_contain_all_sentences_in_order_within_the_budget(sizes: list[int], budget: int) -> None:
    runs = packed(sizes, budget)
    assert [at for low, high in runs for at in range(low, high)] == list(range(len(sizes)))
    for low, high in runs:
        assert high - low == 1 or sum(sizes[low:high]) <= budget
    for (low, high), _ in pairwise(runs):
        assert sum(sizes[low : high + 1]) > budget  # the next sentence did not fit


def test_ties_are_broken_by_the_order_of_the_passage() -> None:
    shared = {"a": 1, "b": 3, "c": 1, "d": 2, "e": 1}
    assert nearest("abcde", 4, shared.__getitem__) == ["a", "b", "c", "d"]
    assert nearest("abcde", 2, shared.__getitem__) == ["b", "d"]


def test_nothing_is_compared_when_everything_is_read() -> None:
    asked: list[str] = []
    assert nearest("ab", 2, lambda chunk: asked.append(chunk) or 0.0) == ["a", "b"]
    assert asked == []
