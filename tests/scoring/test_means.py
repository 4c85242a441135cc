"""A mean and a share with their intervals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.scoring import Mean, Proportion, bootstrap_mean, bounded_mean, mean, proportion, wilson

VALUES = [0.0, 0.1, 0.2, 0.35, 0.4, 0.5, 0.6, 0.7, 0.9, 1.0, 1.0]


def test_a_mean_leaves_out_what_has_no_value() -> None:
    found = mean([None, 0.25, None, 0.75], most=1)
    assert (found.value, found.n) == (0.5, 2)
    assert found.interval == bounded_mean([0.25, 0.75])
    assert mean([0.0], most=1) == Mean(value=0, n=1, interval=None)
    for nothing in ([], [None, None]):
        assert mean(nothing, most=1) == mean(nothing) == Mean(value=None, n=0, interval=None)


def test_the_interval_is_bounded_where_the_values_are() -> None:
    assert mean(VALUES, most=1).interval == bounded_mean(VALUES)
    assert mean(VALUES, most=2).interval == bounded_mean(VALUES, 2)
    assert mean(VALUES).interval == bootstrap_mean(VALUES)
    assert mean(VALUES).interval != mean(VALUES, seed=1).interval == bootstrap_mean(VALUES, seed=1)
    assert mean(VALUES, most=1, seed=1).interval == bounded_mean(VALUES, seed=1)
    assert mean(VALUES, resamples=50).interval == bootstrap_mean(VALUES, resamples=50)
    assert mean(VALUES, most=1, resamples=50).interval == bounded_mean(VALUES, resamples=50)


@given(st.permutations(VALUES))
def test_the_order_makes_no_difference(values: list[float]) -> None:
    assert mean(values, resamples=20) == mean(VALUES, resamples=20)


def test_a_share_has_the_interval_of_wilson() -> None:
    assert proportion(3, 4) == Proportion(k=3, n=4, value=0.75, interval=wilson(3, 4))
    assert proportion(0, 4).value == 0
    assert proportion(0, 0) == Proportion(k=0, n=0, value=None, interval=None)


@pytest.mark.parametrize(("k", "n"), [(5, 4), (-1, 4), (1, 0)])
def test_more_than_all_and_less_than_none_are_refused(k: int, n: int) -> None:
    with pytest.raises(ValueError, match="is not a share"):
        proportion(k, n)
