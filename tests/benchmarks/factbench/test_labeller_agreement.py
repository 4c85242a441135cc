"""Agreement of labellers, compared with the plain measures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.benchmarks.factbench import LABELS, UnitLabels, compare_labellers
from factscope.scoring import cohen_kappa, krippendorff_alpha

NAMES = ("a", "b", "c")
labels = st.sampled_from((*LABELS, None))
units = st.lists(
    st.builds(UnitLabels, st.sampled_from("rst"), st.tuples(labels, labels, labels), labels), min_size=1, max_size=25
)


def test_disagreements_are_counted_with_their_resolution() -> None:
    yes, no, open_ = LABELS
    found = compare_labellers(
        NAMES,
        [
            UnitLabels("r", (yes, yes, yes), yes),
            UnitLabels("r", (yes, no, yes), yes),
            UnitLabels("s", (yes, no, open_), open_),
            UnitLabels("s", (no, None, None), None),
            UnitLabels("t", (None, None, None), None),
        ],
        resamples=50,
    )
    assert (found.n, found.disagreements.k, found.disagreements.n, found.settled.k) == (4, 2, 3, 1)
    assert [pair.n for pair in found.pairs] == [3, 3, 3]
    assert [pair.raw for pair in found.pairs] == pytest.approx([1 / 3, 2 / 3, 1 / 3])
    assert [(one.k, one.n) for one in found.with_ensemble] == [(2, 3), (1, 3), (3, 3)]


@given(units, st.integers(0, 9))
def test_agreement_figures_match_plain_formulas_and_stay_in_range(some: list[UnitLabels], seed: int) -> None:
    found = compare_labellers(NAMES, some, resamples=30, seed=seed)
    assert found.alpha == krippendorff_alpha([unit.labels for unit in some if any(unit.labels)])
    for pair in found.pairs:
        one, other = NAMES.index(pair.first), NAMES.index(pair.second)
        both = [unit.labels for unit in some if unit.labels[one] and unit.labels[other]]
        assert pair.kappa == cohen_kappa([unit[one] for unit in both], [unit[other] for unit in both])
        for interval in (pair.raw_interval, pair.kappa_interval):
            assert interval is None or -1.0000001 <= interval.low <= interval.high <= 1.0000001


def test_an_interval_contains_the_value_and_shrinks_with_more_responses() -> None:
    yes, no, _ = LABELS
    pattern = [(yes, yes), (yes, yes), (no, no), (yes, no)]

    def width(n: int) -> float:
        (pair,) = compare_labellers(
            NAMES[:2], [UnitLabels(f"r{k}", pattern[k % 4], yes) for k in range(n)], resamples=400
        ).pairs
        assert pair.kappa_interval is not None
        assert pair.kappa is not None
        assert pair.kappa_interval.low < pair.kappa < pair.kappa_interval.high
        return pair.kappa_interval.high - pair.kappa_interval.low

    assert width(400) < width(40)
