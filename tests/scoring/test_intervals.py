"""Intervals: their edges, and that they cover as often as they say."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from factscope.scoring.intervals import bootstrap_mean, bounded_mean, clustered_bootstrap, wald, wilson


def mean(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return sums[:, 0] / sums[:, 1]


def test_wilson_at_a_figure_worked_by_hand() -> None:
    # k=8, n=10: centre (0.8 + 1.9208/10) / (1 + 3.8415/10) = 0.71672, half width 0.22659
    interval = wilson(8, 10)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((0.49016, 0.94332), abs=1e-5)
    assert (interval.level, interval.method) == (0.95, "wilson")


def test_nothing_counted_has_no_interval() -> None:
    assert wilson(0, 0) is None
    assert wald(0.5, 0) is None


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_stays_in_range_and_holds_the_share(counted: tuple[int, int]) -> None:
    k, n = counted
    interval, mirrored, wider = wilson(k, n), wilson(n - k, n), wilson(k, n, 0.99)
    assert interval is not None
    assert mirrored is not None
    assert wider is not None
    assert 0 <= interval.low <= k / n <= interval.high <= 1
    assert interval.low < interval.high
    assert (interval.low, interval.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low))
    assert wider.low <= interval.low < interval.high <= wider.high


def test_wald_is_cut_at_the_ends() -> None:
    interval = wald(0.99, 20)
    assert interval is not None
    assert interval.high == 1
    assert interval.low == pytest.approx(0.99 - 1.959964 * math.sqrt(0.99 * 0.01 / 20))


@pytest.mark.parametrize("call", [lambda: wilson(3, 2), lambda: wilson(-1, 2), lambda: wald(1.1, 5)])
def test_what_is_no_share_is_refused(call: object) -> None:
    with pytest.raises(ValueError, match="not a share"):
        call()  # type: ignore[operator]


@pytest.mark.parametrize("level", [0, 1, 95])
def test_an_impossible_level_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="confidence level"):
        wilson(1, 2, level)
    with pytest.raises(ValueError, match="confidence level"):
        clustered_bootstrap(np.ones((3, 2)), mean, level=level)


def test_wilson_covers_as_often_as_it_says(cases: Callable[[int], None]) -> None:
    cases(4_000)
    rng = np.random.default_rng(20240501)
    n, shares = 120, rng.uniform(0.05, 0.95, size=4_000)
    bounds = [wilson(k, n) for k in range(n + 1)]
    low, high = (np.array([getattr(bound, end) for bound in bounds]) for end in ("low", "high"))
    drawn = rng.binomial(n, shares)
    covered = np.mean((low[drawn] <= shares) & (shares <= high[drawn]))
    assert 0.94 <= covered <= 0.96


@pytest.mark.parametrize(("n", "off"), [(600, 0.03), pytest.param(2_000, 0.01, marks=pytest.mark.slow)])
def test_the_bootstrap_covers_as_often_as_it_says_where_parts_hang_together(
    n: int, off: float, cases: Callable[[int], None]
) -> None:
    cases(n)
    # 150 responses of 1 to 20 claims; each response has a share of its own, so its claims are not independent.
    rng = np.random.default_rng(7)
    clusters, covered, naive = 150, [], []
    for _ in range(n):
        sizes = rng.integers(1, 21, size=clusters)
        right = rng.binomial(sizes, rng.beta(2, 1, size=clusters))
        rows = np.column_stack([right, sizes]).astype(float)
        interval = clustered_bootstrap(rows, mean, resamples=300, seed=int(rng.integers(1 << 30)))
        pooled = wilson(right.sum(), sizes.sum())
        assert interval is not None
        assert pooled is not None
        covered.append(interval.low <= 2 / 3 <= interval.high)
        naive.append(pooled.low <= 2 / 3 <= pooled.high)
    assert abs(np.mean(covered) - 0.95) <= off
    assert np.mean(naive) < 0.9  # why the clusters are drawn, and not the claims


def test_the_bootstrap_repeats_itself_by_its_seed() -> None:
    rows = np.column_stack([np.arange(40.0), np.ones(40)])
    first, again, other = (clustered_bootstrap(rows, mean, seed=seed) for seed in (1, 1, 2))
    assert first == again != other


def test_the_bootstrap_is_the_same_in_one_block_or_many() -> None:
    # 2,000 draws of 10,000 clusters come in blocks; the normal interval of the mean must come out.
    rows = np.column_stack([np.random.default_rng(3).normal(5, 2, size=10_000), np.ones(10_000)])
    interval = clustered_bootstrap(rows, mean)
    assert interval is not None
    centre, half = rows[:, 0].mean(), 1.959964 * rows[:, 0].std() / 100
    assert (interval.low, interval.high) == pytest.approx((centre - half, centre + half), abs=half / 10)


def test_the_bootstrap_says_nothing_of_one_cluster_or_none() -> None:
    assert clustered_bootstrap(np.ones((1, 2)), mean) is None
    assert clustered_bootstrap(np.ones((0, 2)), mean) is None
    assert clustered_bootstrap(np.zeros((5, 2)), mean) is None
    with pytest.raises(ValueError, match="shape"):
        clustered_bootstrap(np.ones(5), mean)


def test_resamples_with_nothing_to_count_are_problems() -> None:
    rows = np.array([[1.0, 1.0], [0.5, 1.0], *[[0.0, 0.0]] * 10])
    interval = clustered_bootstrap(rows, mean)
    assert interval is not None
    assert (interval.low, interval.high) == (0.5, 1)


@pytest.mark.parametrize("value", [0.0, 0.4, 1.0])
def test_values_that_are_all_alike_are_no_certainty(value: float) -> None:
    assert bootstrap_mean([value] * 40) is None
    few, many = bounded_mean([value] * 2), bounded_mean([value] * 40)
    assert few is not None
    assert many is not None
    assert few.low <= many.low <= value <= many.high <= few.high
    assert many.high > many.low
    assert few.high - few.low > 0.5
    assert many.high - many.low < 0.12


def test_zeros_and_ones_have_the_interval_of_jeffreys() -> None:
    # Brown, Cai and DasGupta 2001, table 5: n = 10, x = 2 and n = 30, x = 6.
    for n, k, ends in ((10, 2, (0.044, 0.503)), (30, 6, (0.087, 0.367))):
        interval = bounded_mean([1.0] * k + [0.0] * (n - k), resamples=20_000)
        assert interval is not None
        assert (interval.low, interval.high) == pytest.approx(ends, abs=0.01)
        assert interval.method == "bayesian"


def test_a_value_out_of_range_is_refused_and_one_alone_has_no_interval() -> None:
    with pytest.raises(ValueError, match="lie between 0 and 1"):
        bounded_mean([0.5, 1.2])
    assert bounded_mean([0.5]) is None
    wide = bounded_mean([0.5, 1.2], most=2.0)
    assert wide is not None
    assert wide.high < 2


@pytest.mark.parametrize("n", [3, 8, 20])
def test_the_interval_of_a_bounded_mean_holds_with_few_responses(n: int) -> None:
    # Shares of 1 to 20 claims, 0.8 on average, each response with a share of its own.
    rng, held, plain = np.random.default_rng(11), [], []
    for _ in range(1_000):
        sizes = rng.integers(1, 21, size=n)
        values = rng.binomial(sizes, rng.beta(4, 1, size=n)) / sizes
        interval = bounded_mean([*values], resamples=300, seed=1)
        assert interval is not None
        held.append(interval.low <= 0.8 <= interval.high)
        drawn = values[rng.integers(n, size=(300, n))].mean(axis=1)
        plain.append(np.quantile(drawn, 0.025) <= 0.8 <= np.quantile(drawn, 0.975))
    assert np.mean(held) >= 0.945
    assert np.mean(plain) < 0.93, "why it is not a percentile bootstrap"
