"""Agreement of coders and of numbers, against worked examples from the literature and each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.scoring import (
    Confusion,
    cohen_kappa,
    kendall_tau,
    krippendorff_alpha,
    pearson,
    ranks,
    raw_agreement,
    read,
    spearman,
)


def test_cohens_kappa_matches_a_worked_example() -> None:
    """Two readers of 50 proposals: 20 yes by both, 15 no by both, 5 and 10 apart."""
    first = [1] * 25 + [0] * 25
    second = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert raw_agreement(first, second) == 0.7
    assert cohen_kappa(first, second) == pytest.approx(0.4)


def test_krippendorffs_own_examples() -> None:
    """Krippendorff (2011), sections A to C: two coders of ten binary units, and four coders with gaps."""
    first = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    second = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorff_alpha(list(zip(first, second, strict=True))) == pytest.approx(0.095, abs=5e-4)
    gaps: list[list[int | None]] = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    assert krippendorff_alpha(list(zip(*gaps, strict=True))) == pytest.approx(0.743, abs=5e-4)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_counts_and_labels_give_the_same_agreement(pairs: list[tuple[bool, bool]]) -> None:
    gold, said = [a for a, _ in pairs], [b for _, b in pairs]
    cells = [sum((a, b) == cell for a, b in pairs) for cell in ((True, True), (False, True), (True, False))]
    found = Confusion(*cells, tn=len(pairs) - sum(cells))
    assert read("kappa", found) == pytest.approx(cohen_kappa(gold, said))
    assert read("alpha", found) == pytest.approx(krippendorff_alpha(pairs))
    assert read("accuracy", found) == raw_agreement(gold, said)


def test_an_undefined_agreement_is_none() -> None:
    assert raw_agreement([], []) is None
    assert cohen_kappa([1, 1], [1, 1]) is None
    assert krippendorff_alpha([(1, None), (2, None)]) is None
    assert krippendorff_alpha([(1, 1), (1, 1)]) is None
    assert pearson([1.0], [2.0]) is None
    assert pearson([1.0, 1.0], [2.0, 3.0]) is None
    assert spearman([1.0, 2.0], [2.0, 2.0]) is None
    assert kendall_tau([1.0, 1.0], [1.0, 2.0]) is None


def test_kappa_of_more_than_two_labels_worked_by_hand() -> None:
    # Equal in 4 of 6; by chance (3·2 + 2·2 + 1·2) / 36 = 1/3.
    first, second = ["a", "a", "a", "b", "b", "c"], ["a", "a", "b", "b", "c", "c"]
    assert cohen_kappa(first, second) == pytest.approx((4 / 6 - 1 / 3) / (1 - 1 / 3))
    assert cohen_kappa(["a"], ["b"]) == 0
    assert cohen_kappa(["a", "b"], ["b", "a"]) == -1


def test_alpha_of_three_coders_worked_by_hand() -> None:
    # Of values 5 a and 3 b: observed 4 unequal pairs of (3 - 1) in a row, expected 2·5·3; 1 - 7·2/30.
    assert krippendorff_alpha([("a", "a", "b"), ("a", "a", "a"), ("b", "b", None), ("b", None, None)]) == pytest.approx(
        1 - (8 - 1) * (4 / 2) / (2 * 5 * 3)
    )


def test_unequal_lengths_are_refused() -> None:
    for function in (raw_agreement, cohen_kappa):
        with pytest.raises(ValueError, match="longer"):
            function([1], [1, 2])


def test_two_pairs_are_enough_for_a_correlation() -> None:
    assert pearson([1, 2], [5, 3]) == -1
    assert pearson([], []) is None
    assert spearman([1, 2], [3, 3.5]) == 1
    assert kendall_tau([], []) is None
    assert kendall_tau([1, 2], [4, 3]) == -1


def test_correlations_match_the_scipy_examples() -> None:
    """The examples, with ties, in SciPy's documentation of pearsonr, spearmanr and kendalltau."""
    assert pearson([1, 2, 3, 4, 5, 6, 7], [10, 9, 2.5, 6, 4, 3, 2]) == pytest.approx(-0.828503883588428)
    assert spearman([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]) == pytest.approx(0.8207826816681233)
    assert kendall_tau([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]) == pytest.approx(-0.47140452079103173)


@given(st.lists(st.integers(0, 5), max_size=12))
def test_tied_values_share_the_mean_of_their_ranks(values: list[int]) -> None:
    assert ranks(values) == [sum(a < b for a in values) + (1 + values.count(b)) / 2 for b in values]


def test_correlations_worked_by_hand() -> None:
    assert ranks([3.0, 1.0, 3.0, 2.0]) == [3.5, 1, 3.5, 2]
    assert pearson([1, 2, 3, 4], [2, 4, 6, 9]) == pytest.approx(0.99438, abs=5e-5)
    assert spearman([1, 2, 3, 4], [10, 20, 40, 30]) == pytest.approx(0.8)
    assert kendall_tau([1, 2, 3], [1, 3, 2]) == pytest.approx(1 / 3)
    assert pearson([1e-9, 2e-9, 3e-9], [1, 2, 3]) == pytest.approx(1)
