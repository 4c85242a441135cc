"""Paired tests: published figures, exhaustive counts, and the rate of false alarms on equal runs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from factscope.scoring import EXACT, PairedDifference, finding, holm, mcnemar, paired_difference, sign_flip

# Heights of crossed minus self-fertilised maize, in eighths of an inch (Darwin 1876, in Fisher 1935, section 17).
DARWIN = (49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48)

twentieths = st.integers(0, 20).map(lambda number: number / 20)
scores = st.none() | twentieths
ps = st.lists(st.integers(1, 1000).map(lambda number: number / 1000), max_size=6)


def test_sign_flips_of_darwins_maize_match_fishers_count() -> None:
    # Section 21: 863 of the 32,768 totals are at least 314, hence as many are at most -314.
    assert sign_flip(DARWIN) == 2 * 863 / 32_768


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([], 1),
        ([0.0, 0.0], 1),
        ([0.4], 1),
        ([1, 2, 3], 2 / 8),
        ([1, 2, 3, 0, 0, 0], 2 / 8),  # a difference of 0 has no sign
        ([3, -1], 1),
        ([4, 3, -1], 4 / 8),  # sums ±8, ±6, ±2, 0, 0
        ([0.1] * 6, 2 / 64),
        ([0.1, 0.2, -0.3], 1),  # 0.1 + 0.2 - 0.3 is 0 except for rounding
    ],
)
def test_sign_flips_worked_by_hand(differences: list[float], p: float) -> None:
    assert sign_flip(differences) == p


@given(st.lists(st.integers(-20, 20).map(lambda number: number / 20), max_size=8))
def test_sign_flips_are_all_tried(differences: list[float]) -> None:
    sums = [abs(math.fsum(map(math.prod, zip(differences, way, strict=True)))) for way in _ways(len(differences))]
    seen = abs(math.fsum(differences))
    assert sign_flip(differences) == pytest.approx(np.mean([total >= seen - 1e-12 for total in sums]))


def _ways(n: int) -> itertools.product[tuple[int, ...]]:
    return itertools.product((1, -1), repeat=n)


@pytest.mark.parametrize("shift", [0.0, 0.1, 0.25, 0.6, 1.5])
def test_sampled_sign_flips_agree_with_exact_ones_for_rare_outcomes(shift: float) -> None:
    differences = [*np.random.default_rng(4).normal(shift, 0.5, size=EXACT + 4)]
    sums = np.zeros(1)
    for size in differences:
        sums = np.concatenate([sums + size, sums - size])
    exact = np.mean(np.abs(sums) >= abs(math.fsum(differences)) - 1e-12)
    assert sign_flip(differences) == pytest.approx(exact, rel=0.05)


def test_sampled_sign_flips_agree_with_exact_ones_if_one_difference_dominates() -> None:
    differences = [5.0, *np.random.default_rng(5).normal(0.1, 0.2, size=EXACT + 3)]
    sums = np.zeros(1)
    for size in differences:
        sums = np.concatenate([sums + size, sums - size])
    exact = np.mean(np.abs(sums) >= abs(math.fsum(differences)) - 1e-12)
    assert sign_flip(differences) == pytest.approx(exact, rel=0.05)


@pytest.mark.parametrize(("ups", "downs"), [(40, 0), (30, 10), (300, 200), (500, 0)])
@pytest.mark.parametrize("size", [1.0, 1 / 3, 0.7])
def test_multiples_of_one_step_are_counted_exactly(ups: int, downs: int, size: float) -> None:
    assert sign_flip([size] * ups + [-size] * downs) == pytest.approx(mcnemar(ups, downs), rel=1e-9)


def test_shares_of_three_judges_are_counted_exactly() -> None:
    differences = [*(np.random.default_rng(6).integers(-2, 4, size=EXACT + 4) / 3)]
    sums = np.zeros(1)
    for size in differences:
        sums = np.concatenate([sums + size, sums - size])
    assert sign_flip(differences) == np.mean(np.abs(sums) >= abs(math.fsum(differences)) - 1e-9)


@pytest.mark.parametrize("n", [10, 30])  # signs are tried one by one, and counted
def test_values_that_differ_by_rounding_alone_count_as_equal(n: int) -> None:
    found = paired_difference([0.3] * n, [0.1 + 0.2] * n)
    assert (found.p, found.value, found.interval) == (1.0, 0.0, None)
    assert sign_flip([0.1 + 0.2 - 0.3] * n + [0.5, 0.5]) == 0.5


def test_p_is_never_zero_has_no_floor_and_is_reproducible() -> None:
    assert sign_flip([1.0] * 40) == 2 / 2**40
    assert 0 < sign_flip([1.0] * 5_000) < 1e-300
    uneven = [*np.random.default_rng(7).uniform(0.5, 1.5, size=40)]
    assert sign_flip(uneven, resamples=99) == pytest.approx(2 / 2**40, rel=0.5)
    mixed = [0.1001, -0.2002, 0.3007] * 10
    assert sign_flip(mixed) == sign_flip(mixed) != sign_flip(mixed, seed=1)


def test_a_small_p_is_as_sure_as_a_large_one() -> None:
    # 1,000 draws of a p of 0.00026 err by 3 %; with half or twice the tilt by 10 %, and without tilt by 175 %.
    differences = [*np.random.default_rng(4).normal(0.6, 0.5, size=EXACT + 4)]
    sums = np.zeros(1)
    for size in differences:
        sums = np.concatenate([sums + size, sums - size])
    exact = np.mean(np.abs(sums) >= abs(math.fsum(differences)) - 1e-12)
    drawn = [sign_flip(differences, resamples=1_000, seed=seed) for seed in range(20)]
    assert np.std(drawn) / exact < 0.05
    assert np.mean(drawn) == pytest.approx(exact, rel=0.02)


def test_many_draws_come_in_blocks_and_agree_with_the_normal_distribution() -> None:
    # 10,000 draws of 400 signs are four million. The sum of many coin tosses is nearly normal.
    for shift in (0.05, 0.2):
        differences = np.random.default_rng(8).normal(shift, 1, size=400)
        z = abs(differences.sum()) / math.sqrt((differences**2).sum())
        assert sign_flip([*differences]) == pytest.approx(math.erfc(z / math.sqrt(2)), rel=0.1)


def test_a_single_draw_is_enough_for_an_estimate() -> None:
    uneven = [*np.random.default_rng(7).uniform(0.5, 1.5, size=40)]
    assert sign_flip(uneven, resamples=1) == pytest.approx(2 / 2**40, rel=0.5)


@pytest.mark.parametrize(
    ("n", "parts", "exact"),
    [
        (16, None, True),  # all sign flips are tried
        (17, None, False),
        (17, 1, True),
        (17, 719, True),  # a prime
        (17, 720, True),
        (17, 721, False),  # 7 times 103
    ],
)
def test_p_depends_on_the_seed_only_for_many_differences_without_a_common_step(
    n: int, parts: int | None, exact: bool
) -> None:
    whole = np.array([-3, -2, -1, *range(4, n + 1)])
    sizes = whole / parts if parts else np.random.default_rng(9).normal(0.2, 0.5, size=n)
    first, second = (sign_flip([*sizes], resamples=200, seed=seed) for seed in (0, 1))
    assert (first == second) is exact
    assert sign_flip([*sizes], resamples=200) == first


def test_sums_of_uneven_steps_are_counted_exactly() -> None:
    # 1 to 17 fifths have 131,072 ways. As extreme as a negative 1 are those with none or only 1 negative, and so on.
    steps = [-1, *range(2, 18)]
    assert sign_flip([step / 5 for step in steps]) == 2 * 2 / 2**17
    assert sign_flip([step / 5 for step in (1, -2, *range(3, 18))]) == 2 * 3 / 2**17
    assert sign_flip([step / 5 for step in (1, 2, -3, *range(4, 18))]) == 2 * 5 / 2**17, "3, or 1 and 2, or less"
    assert sign_flip([step / 5 for step in (2, -3, *range(4, 19))]) == 2 * 3 / 2**17


def test_a_paired_difference_worked_by_hand() -> None:
    found = paired_difference([0.5, None, 0.25, 1.0, None], [0.75, 1.0, 0.75, None, None])
    assert (found.n, found.n_left_out) == (2, 3)
    assert (found.first, found.second, found.value) == (0.375, 0.75, 0.375)
    assert found.p == 2 / 4
    assert found.interval is None, "two pairs are too few to draw from"
    many = paired_difference([0.5, 0.25] * 20, [0.75, 0.75] * 20)
    assert many.interval is not None
    assert 0.25 < many.interval.low < 0.375 < many.interval.high < 0.5
    assert many.interval.method == "bootstrap"
    assert many == paired_difference([0.5, 0.25] * 20, [0.75, 0.75] * 20, seed=0)
    assert many.interval != paired_difference([0.5, 0.25] * 20, [0.75, 0.75] * 20, seed=1).interval


def test_runs_with_nothing_in_common_have_no_difference() -> None:
    assert paired_difference([None, 0.5], [0.5, None]) == PairedDifference(n_left_out=2)
    assert paired_difference([], []) == PairedDifference()
    assert (PairedDifference().n, PairedDifference().n_left_out) == (0, 0)
    assert paired_difference([0.5], [0.75]).interval is None
    with pytest.raises(ValueError, match="shorter"):
        paired_difference([0.5, 0.5], [0.5])


@given(st.lists(st.tuples(scores, scores), max_size=30), st.randoms(use_true_random=False))
def test_swapping_the_runs_turns_the_sign_and_nothing_else(
    pairs: list[tuple[float | None, float | None]], chance: object
) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    there = paired_difference(first, second, resamples=200)
    back = paired_difference(second, first, resamples=200)
    assert (there.p, there.n, there.n_left_out) == (back.p, back.n, back.n_left_out)
    assert (there.first, there.second) == (back.second, back.first)
    assert there.value == (None if back.value is None else -back.value)
    if there.interval and back.interval and there.value:
        assert (there.interval.low, there.interval.high) == (-back.interval.high, -back.interval.low)
    chance.shuffle(pairs)  # type: ignore[attr-defined]
    again = paired_difference([a for a, _ in pairs], [b for _, b in pairs], resamples=200)
    assert again == there


def test_the_interval_of_opposite_differences_is_the_opposite() -> None:
    second = [*np.random.default_rng(10).exponential(size=30)]
    there, back = paired_difference([0.5] * 30, second), paired_difference(second, [0.5] * 30)
    assert there.interval is not None
    assert back.interval is not None
    assert (there.interval.low, there.interval.high) == (-back.interval.high, -back.interval.low)
    assert there.interval.low < np.mean(second) - 0.5 < there.interval.high


@given(st.lists(twentieths, min_size=2, max_size=30))
def test_a_run_does_not_differ_from_itself(values: list[float]) -> None:
    found = paired_difference(values, values)
    assert (found.value, found.p) == (0, 1)
    assert found.interval is None, "no spread is no certainty"


@pytest.mark.parametrize(
    ("gained", "lost", "p"),
    [
        (0, 0, 1),
        (0, 5, 2 / 32),
        (6, 1, 2 * (1 + 7) / 128),
        (3, 3, 1),
        (8, 1, 2 * (1 + 9) / 512),
        (59, 121, 2 * sum(math.comb(180, k) for k in range(60)) / 2**180),
    ],
)
def test_mcnemar_worked_by_hand(gained: int, lost: int, p: float) -> None:
    assert mcnemar(gained, lost) == pytest.approx(p, rel=1e-12)
    assert mcnemar(lost, gained) == mcnemar(gained, lost)


@given(st.integers(0, 9), st.integers(0, 9))
def test_mcnemar_is_the_sign_flip_test_of_changes_by_one(gained: int, lost: int) -> None:
    tosses = [sum(way) for way in _ways(gained + lost)] if gained + lost <= 10 else None
    if tosses is not None:
        assert mcnemar(gained, lost) == pytest.approx(np.mean([abs(t) >= abs(gained - lost) for t in tosses]))


def test_mcnemar_holds_for_many_changes() -> None:
    assert mcnemar(5_100, 4_900) == pytest.approx(math.erfc((200 - 1) / math.sqrt(2 * 10_000)), rel=0.01)
    assert 0 < mcnemar(0, 5_000) < 1e-300


def test_holm_worked_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm([]) == ()
    assert holm([0.02]) == (0.02,)
    assert holm([0.7, 0.6]) == (1, 1)


@given(ps)
def test_holm_is_bonferroni_in_every_set_that_a_hypothesis_is_in(several: list[float]) -> None:
    # Closed testing (Marcus, Peritz and Gabriel 1976): the largest corrected p of all sets that contain a hypothesis.
    sets = [s for k in range(1, len(several) + 1) for s in itertools.combinations(range(len(several)), k)]
    closed = [max(min(1.0, len(s) * min(several[j] for j in s)) for s in sets if i in s) for i in range(len(several))]
    assert holm(several) == pytest.approx(tuple(closed))


def test_a_finding_reports_when_no_difference_could_have_been_detected() -> None:
    assert finding(0.05, 6) == "differs"
    assert finding(0.0501, 6) == "no_difference"
    assert finding(2 / 32, 5) == "too_few"
    assert finding(0.1, 6, tests=2) == "too_few", "twice 2/64 is above 0.05"
    assert finding(None, 0) == "too_few"
    assert finding(0.9, 100_000, tests=6) == "no_difference"


def test_a_p_limited_by_the_number_of_draws_is_not_called_no_difference() -> None:
    assert finding(0.06, 400, tests=120, draws=2_000) == "too_few_draws"
    assert finding(0.06, 400, tests=99, draws=2_000) == "no_difference"
    assert finding(0.06, 400, tests=100, draws=1_999) == "no_difference", "100 / 2,000 is 0.05"
    assert finding(0.06, 400, tests=100, draws=1_998) == "too_few_draws"
    assert finding(0.05, 400, tests=120, draws=2_000) == "differs"


def _runs(rng: np.random.Generator, n: int, better: float = 0.0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw the precision of two runs on `n` responses of 3 to 20 claims, each equally hard for both."""
    sizes, ease = rng.integers(3, 21, size=n), rng.beta(4, 2, size=n)
    return rng.binomial(sizes, ease) / sizes, rng.binomial(sizes, np.minimum(ease + better, 1)) / sizes


@pytest.mark.parametrize("n", [14, pytest.param(40, marks=pytest.mark.slow)])
def test_equal_runs_are_called_different_one_time_in_twenty(n: int, cases: Callable[[int], None]) -> None:
    cases(2_000)
    rng = np.random.default_rng(20260501 + n)
    found = [
        sign_flip(second - first, resamples=400) <= 0.05 for first, second in (_runs(rng, n) for _ in range(2_000))
    ]
    assert 0.035 <= np.mean(found) <= 0.065


@pytest.mark.medium
@pytest.mark.parametrize(("n", "off"), [(120, 0.04), pytest.param(500, 0.02, marks=pytest.mark.slow)])
def test_the_interval_has_its_nominal_coverage_and_the_test_detects_a_difference(
    n: int, off: float, cases: Callable[[int], None]
) -> None:
    cases(n)
    rng = np.random.default_rng(20260502)
    first, second = _runs(rng, 1_000_000, better=0.07)
    gap = float(np.mean(second - first))
    found = []
    for _ in range(n):
        first, second = _runs(rng, 100, better=0.07)
        found.append(paired_difference([*first], [*second], resamples=200, seed=int(rng.integers(1 << 30))))
    covered = [one.interval.low <= gap <= one.interval.high for one in found if one.interval]
    assert abs(np.mean(covered) - 0.95) <= off
    assert np.mean([one.p is not None and one.p <= 0.05 for one in found]) > 0.8


def test_dependent_units_mislead_mcnemar_but_not_the_test_over_responses(cases: Callable[[int], None]) -> None:
    cases(1_000)
    # In each of 40 responses the changes go one way, by chance, as if its only source could be read only once.
    rng = np.random.default_rng(20260503)
    by_unit, by_response = [], []
    for _ in range(1_000):
        net = rng.binomial(10, 0.15, size=40) * rng.choice((1, -1), size=40)
        by_unit.append(mcnemar(int(net[net > 0].sum()), int(-net[net < 0].sum())) <= 0.05)
        by_response.append(sign_flip([*map(float, net)], resamples=200) <= 0.05)
    assert np.mean(by_unit) > 0.15
    assert np.mean(by_response) <= 0.065
