"""Intervals: their edges, and whether they cover as often as stated."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from factscope.scoring import (
    FEWEST,
    bootstrap_mean,
    bounded_mean,
    clustered_bootstrap,
    percentiles,
    wald,
    wilson,
)


def mean(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return sums[:, 0] / sums[:, 1]


def test_wilson_at_a_figure_worked_by_hand() -> None:
    # k=8, n=10: centre (0.8 + 1.9208/10) / (1 + 3.8415/10) = 0.71672, half width 0.22659
    interval = wilson(8, 10)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((0.49016, 0.94332), abs=1e-5)
    assert (interval.level, interval.method) == (0.95, "wilson")


@pytest.mark.parametrize(
    ("k", "n", "by_wilson", "by_wald"),
    [
        (81, 263, (0.2553, 0.3662), (0.2522, 0.3638)),
        (15, 148, (0.0624, 0.1605), (0.0527, 0.1500)),
        (0, 20, (0, 0.1611), (0, 0)),
        (1, 29, (0.0061, 0.1718), (0, 0.1009)),
    ],
)
def test_intervals_of_newcombes_table(
    k: int, n: int, by_wilson: tuple[float, float], by_wald: tuple[float, float]
) -> None:
    # Newcombe (1998), table I, methods 3 and 1; Wald's is clipped at 0.
    for interval, ends in ((wilson(k, n), by_wilson), (wald(k / n, n), by_wald)):
        assert interval is not None
        assert (interval.low, interval.high) == pytest.approx(ends, abs=5e-5)


def test_the_ends_of_wilson_are_exact_where_all_or_none_are_counted() -> None:
    for n in (1, 3, 7, 49, 1000):
        none, full = wilson(0, n), wilson(n, n)
        assert none is not None
        assert full is not None
        assert (none.low, full.high) == (0, 1)
        assert none.high == pytest.approx(3.841459 / (n + 3.841459))  # z² / (n + z²)
        assert full.low == pytest.approx(n / (n + 3.841459))


def test_a_wider_level_widens_and_is_named() -> None:
    for function in (lambda level: wilson(6, 10, level), lambda level: wald(0.6, 10, level)):
        narrow, wide = function(0.9), function(0.99)
        assert narrow is not None
        assert wide is not None
        assert (narrow.level, wide.level) == (0.9, 0.99)
        assert wide.low < narrow.low < narrow.high < wide.high
    ninety = wald(0.5, 100, 0.9)
    assert ninety is not None
    assert ninety.high - 0.5 == pytest.approx(1.644854 * 0.05)


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


def test_wald_is_clipped_to_the_range() -> None:
    interval = wald(0.99, 20)
    assert interval is not None
    assert interval.high == 1
    assert interval.low == pytest.approx(0.99 - 1.959964 * math.sqrt(0.99 * 0.01 / 20))


@pytest.mark.parametrize(
    "call",
    [lambda: wilson(3, 2), lambda: wilson(-1, 2), lambda: wald(1.1, 5), lambda: wald(-0.1, 5), lambda: wald(0.5, -1)],
)
def test_an_invalid_share_is_refused(call: object) -> None:
    with pytest.raises(ValueError, match="not a share"):
        call()  # type: ignore[operator]


@pytest.mark.parametrize("level", [0, 1, 95])
def test_an_impossible_level_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="confidence level"):
        wilson(1, 2, level)
    with pytest.raises(ValueError, match="confidence level"):
        clustered_bootstrap(np.ones((3, 2)), mean, level=level)


def test_wilson_has_its_nominal_coverage(cases: Callable[[int], None]) -> None:
    cases(4_000)
    rng = np.random.default_rng(20240501)
    n, shares = 120, rng.uniform(0.05, 0.95, size=4_000)
    bounds = [wilson(k, n) for k in range(n + 1)]
    low, high = (np.array([getattr(bound, end) for bound in bounds]) for end in ("low", "high"))
    drawn = rng.binomial(n, shares)
    covered = np.mean((low[drawn] <= shares) & (shares <= high[drawn]))
    assert 0.94 <= covered <= 0.96


@pytest.mark.medium
@pytest.mark.parametrize(("n", "off"), [(600, 0.03), pytest.param(2_000, 0.01, marks=pytest.mark.slow)])
def test_the_bootstrap_has_its_nominal_coverage_for_dependent_claims(
    n: int, off: float, cases: Callable[[int], None]
) -> None:
    cases(n)
    # 150 responses of 1 to 20 claims; each response has its own share, so its claims are not independent.
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
    assert np.mean(naive) < 0.9  # why clusters are drawn rather than claims


def test_the_bootstrap_is_reproducible_by_its_seed() -> None:
    rows = np.column_stack([np.arange(40.0), np.ones(40)])
    first, again, other = (clustered_bootstrap(rows, mean, seed=seed) for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.medium
def test_the_bootstrap_is_the_same_in_one_block_or_many() -> None:
    # 2,000 draws of 10,000 clusters come in blocks; the result must be the normal interval of the mean.
    rows = np.column_stack([np.random.default_rng(3).normal(5, 2, size=10_000), np.ones(10_000)])
    interval = clustered_bootstrap(rows, mean)
    assert interval is not None
    centre, half = rows[:, 0].mean(), 1.959964 * rows[:, 0].std() / 100
    assert (interval.low, interval.high) == pytest.approx((centre - half, centre + half), abs=half / 10)


def test_the_bootstrap_has_no_interval_for_one_cluster_or_none() -> None:
    assert clustered_bootstrap(np.ones((1, 2)), mean) is None
    assert clustered_bootstrap(np.ones((0, 2)), mean) is None
    assert clustered_bootstrap(np.zeros((5, 2)), mean) is None
    with pytest.raises(ValueError, match="shape"):
        clustered_bootstrap(np.ones(5), mean)


@pytest.mark.parametrize(
    ("n", "level", "student", "error"),
    [
        # By hand after Abramowitz and Stegun 26.7.5, with the terms g1 to g3, for 9 degrees and z = 1.959964:
        # z (1 + 4.841459/36 + 138.24737/7776 + 500.7501/279936).
        (10, 0.95, 2.261901, 1e-6),
        # Tables of Student's distribution.
        (10, 0.95, 2.262157, 1e-3),
        (20, 0.95, 2.093024, 1e-4),
        (100, 0.95, 1.984217, 1e-6),
        (10, 0.9, 1.833113, 1e-4),
        (10, 0.99, 3.249836, 1e-3),
    ],
)
def test_percentiles_are_as_wide_as_students_distribution(n: int, level: float, student: float, error: float) -> None:
    interval = percentiles(np.array([0.0, 1.0]), n, level)  # between 0 and 1 a quantile is its own level
    assert interval is not None
    assert (interval.low, interval.level, interval.method) == (pytest.approx(1 - interval.high), level, "bootstrap")
    assert -NormalDist().inv_cdf(interval.low) / math.sqrt(n / (n - 1)) == pytest.approx(student, rel=error)


def test_percentiles_ignore_nan_and_give_no_interval_for_few_values() -> None:
    numbers = np.array([0.0, np.nan, 1.0, np.nan])
    assert percentiles(numbers, FEWEST) == percentiles(np.array([0.0, 1.0]), FEWEST)
    assert percentiles(np.array([0.0, 1.0]), FEWEST - 1) is None
    assert percentiles(np.array([np.nan]), 100) is None
    assert percentiles(np.array([0.3, 0.3 * (1 + 1e-12)]), 100) is None, "a rounding error is not a spread"
    assert percentiles(np.array([-3.0, -3.0]), 100) is None
    assert percentiles(np.array([0.3, 0.3001]), 100) is not None
    assert FEWEST == 10


def test_a_bootstrap_needs_ten_clusters() -> None:
    rows = np.column_stack([np.arange(10.0), np.ones(10)])
    assert clustered_bootstrap(rows, mean) is not None
    assert clustered_bootstrap(rows[:9], mean) is None


@pytest.mark.parametrize("resamples", [1, 7, 100])
def test_a_bootstrap_draws_the_requested_number_of_resamples(resamples: int) -> None:
    shapes = []

    def counted(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        shapes.append(sums.shape)
        return mean(sums)

    clustered_bootstrap(np.column_stack([np.arange(40.0), np.ones(40)]), counted, resamples=resamples)
    clustered_bootstrap(np.ones((60_000, 2)), counted, resamples=resamples)  # in blocks of 16
    assert shapes == [(resamples, 2)] * 2


def test_a_bootstrap_of_another_level_has_the_matching_width() -> None:
    rows = np.column_stack([np.random.default_rng(3).normal(5, 2, size=400), np.ones(400)])
    interval = clustered_bootstrap(rows, mean, level=0.8)
    assert interval is not None
    assert interval.level == 0.8
    assert interval.high - interval.low == pytest.approx(2 * 1.281552 * rows[:, 0].std() / 20, rel=0.1)


def test_the_bootstrap_of_a_mean_is_that_of_clusters_of_one() -> None:
    values = [*np.random.default_rng(3).normal(size=30)]
    rows = np.column_stack([values, np.ones(30)])
    assert bootstrap_mean(values) == clustered_bootstrap(rows, mean)
    assert bootstrap_mean(values, seed=4, resamples=50) == clustered_bootstrap(rows, mean, seed=4, resamples=50)


def test_resamples_with_nothing_to_count_are_problems() -> None:
    rows = np.array([[1.0, 1.0], [0.5, 1.0], *[[0.0, 0.0]] * 10])
    interval = clustered_bootstrap(rows, mean)
    assert interval is not None
    assert (interval.low, interval.high) == (0.5, 1)


@pytest.mark.parametrize("value", [0.0, 0.4, 1.0])
def test_identical_values_do_not_give_certainty(value: float) -> None:
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


def test_a_bounded_mean_adds_half_a_value_at_each_bound() -> None:
    # For values at the ends of 0 to 4 it is four times Jeffreys' interval: beta(3.5, 7.5) for 3 of 10.
    interval = bounded_mean([4.0] * 3 + [0.0] * 7, 4, resamples=20_000)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((4 * 0.0927, 4 * 0.6058), abs=0.04)
    assert (interval.level, interval.method) == (0.95, "bayesian")


def test_a_bounded_mean_is_reproducible_in_any_order_by_its_seed() -> None:
    values = [0.1, 0.7, 0.4, 1.0]
    first = bounded_mean(values)
    assert first == bounded_mean(values[::-1]) == bounded_mean(values, seed=0) != bounded_mean(values, seed=1)
    long = [*np.random.default_rng(5).uniform(size=3_000)]
    interval = bounded_mean(long)  # drawn in blocks
    assert interval is not None
    half = 1.959964 * float(np.std(long)) / math.sqrt(3_000)
    assert (interval.low, interval.high) == pytest.approx((np.mean(long) - half, np.mean(long) + half), abs=half / 5)


def test_a_value_out_of_range_is_refused_and_a_single_value_has_no_interval() -> None:
    with pytest.raises(ValueError, match="lie between 0 and 1"):
        bounded_mean([0.5, 1.2])
    with pytest.raises(ValueError, match="lie between 0 and 1"):
        bounded_mean([-0.01, 0.5])
    assert bounded_mean([0.5, 1 + 1e-12]) is not None, "rounding is not out of range"
    assert bounded_mean([0.0, 1.0]) is not None
    assert bounded_mean([]) is None
    assert bounded_mean([0.5]) is None
    wide = bounded_mean([0.5, 1.2], most=2.0)
    assert wide is not None
    assert wide.high < 2


@pytest.mark.parametrize("n", [3, 8, 20])
def test_the_interval_of_a_bounded_mean_holds_with_few_responses(n: int) -> None:
    # Shares of 1 to 20 claims, 0.8 on average, each response with its own share.
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
