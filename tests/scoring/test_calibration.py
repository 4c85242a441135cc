"""Calibration of confidence: published figures, tables worked by hand, and resampling by weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.scoring import Bin, Ranked, auroc, brier, ece, reliability

P = [0.0, 0.1, 0.25, 0.25, 0.5, 0.75, 1.0, 1.0]
WRONG = [False, True, False, False, True, True, True, False]

units = st.lists(
    st.tuples(st.integers(0, 4).map(lambda quarter: quarter / 4), st.booleans(), st.integers(0, 3)), max_size=12
)


def test_the_area_matches_hanley_and_mcneils_example() -> None:
    # Hanley and McNeil (1982), table I: 58 normal and 51 abnormal images rated from 1 to 5; the area is 0.893.
    normal, abnormal = (33, 6, 6, 11, 2), (3, 2, 2, 11, 33)
    p = [rating / 5 for ratings in (normal, abnormal) for rating, n in enumerate(ratings, 1) for _ in range(n)]
    area = auroc(p, [False] * 58 + [True] * 51)
    assert area == pytest.approx(0.893, abs=5e-4)


@pytest.mark.parametrize(
    ("p", "wrong", "area"),
    [
        ([0.1, 0.9], [False, True], 1),
        ([0.9, 0.1], [False, True], 0),
        ([0.5, 0.5], [False, True], 0.5),
        (P, WRONG, (1 + 3 + 3 + 3.5) / 16),
        ([0.5, 0.6], [True, True], None),
        ([0.5, 0.6], [False, False], None),
        ([], [], None),
    ],
)
def test_the_area_is_the_share_of_pairs_in_order(p: list[float], wrong: list[bool], area: float | None) -> None:
    assert auroc(p, wrong) == area


@given(units)
def test_a_weight_counts_the_units_of_a_response_that_many_times(rows: list[tuple[float, bool, int]]) -> None:
    p, wrong, owner = (np.array([row[i] for row in rows], dtype=kind) for i, kind in enumerate((float, bool, int)))
    weights = np.array([[1.0, 2.0, 0.0], [1.0, 0.0, 1.0], [1.0, 1.0, 3.0], [1.0, 0.0, 0.0]])
    areas = Ranked(p, wrong, owner).auroc(weights)
    for column, area in zip(weights.T, areas, strict=True):
        again = [(a, b) for a, b, name in rows for _ in range(int(column[name]))]
        expected = auroc([a for a, _ in again], [b for _, b in again])
        assert (None if np.isnan(area) else area) == pytest.approx(expected)


def test_brier_worked_by_hand() -> None:
    assert brier([0.0, 0.5, 1.0, 0.75], [False, True, True, False]) == (0 + 0.25 + 0 + 0.5625) / 4
    assert brier([1.0], [False]) == 1
    assert brier([], []) is None


def test_a_reliability_diagram_worked_by_hand() -> None:
    assert reliability(P, WRONG, bins=4) == (
        Bin(low=0.0, high=0.25, n=2, stated=0.05, seen=0.5),
        Bin(low=0.25, high=0.5, n=2, stated=0.25, seen=0.0),
        Bin(low=0.5, high=0.75, n=1, stated=0.5, seen=1.0),
        Bin(low=0.75, high=1.0, n=3, stated=2.75 / 3, seen=2 / 3),  # 1 belongs to the last bin
    )
    assert ece(P, WRONG, bins=4) == pytest.approx((2 * 0.45 + 2 * 0.25 + 1 * 0.5 + 3 * 0.25) / 8)


def test_there_are_ten_bins_unless_others_are_asked_for() -> None:
    bins = reliability([0.55, 0.58, 0.61], [True, False, True])
    assert [(one.low, one.high) for one in bins] == [(k / 10, (k + 1) / 10) for k in range(10)]
    assert [one.n for one in bins] == [0, 0, 0, 0, 0, 2, 1, 0, 0, 0]
    assert (bins[0].stated, bins[0].seen) == (None, None)
    assert (bins[5].stated, bins[5].seen) == (pytest.approx(0.565), 0.5)
    assert ece([0.55, 0.58, 0.61], [True, False, True]) == pytest.approx((2 * 0.065 + 0.39) / 3)


def test_no_stated_confidence_has_no_calibration_error() -> None:
    assert ece([], []) is None
    assert [one.n for one in reliability([], [], bins=2)] == [0, 0]


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=20), st.integers(1, 12))
def test_every_unit_is_in_one_bin_that_holds_its_probability(rows: list[tuple[float, bool]], bins: int) -> None:
    p, wrong = [a for a, _ in rows], [b for _, b in rows]
    table = reliability(p, wrong, bins)
    assert sum(one.n for one in table) == len(rows)
    assert sum(one.n * one.seen for one in table if one.seen is not None) == pytest.approx(sum(wrong))
    assert sum(one.n * one.stated for one in table if one.stated is not None) == pytest.approx(sum(p))
    assert all(one.low - 1e-9 <= one.stated <= one.high + 1e-9 for one in table if one.stated is not None)
    assert 0 <= (ece(p, wrong, bins) or 0) <= 1


def test_the_lower_end_of_each_bin_belongs_to_it() -> None:
    for bins in range(1, 121):  # 0.29 · 100 is a little less than 29
        table = reliability([k / bins for k in range(bins)], [True] * bins, bins)
        assert [one.n for one in table] == [1] * bins


@pytest.mark.parametrize("value", [-0.01, 1.01, float("nan")])
def test_an_invalid_probability_is_refused(value: float) -> None:
    for function in (reliability, brier, ece, auroc):
        with pytest.raises(ValueError, match="not a probability"):
            function([0.5, value], [True, False])


def test_every_probability_needs_a_label() -> None:
    for function in (reliability, brier, ece):
        with pytest.raises(ValueError, match="shorter"):
            function([0.5, 0.5], [True])
