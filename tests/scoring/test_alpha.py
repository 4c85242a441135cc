"""Alpha estimated from labels, and its effect on scores and ranks."""

from __future__ import annotations

import csv
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.scoring import EndedUnits, estimate_alpha, sensitivity, wilson

GOLDEN = Path(__file__).parents[2] / "src" / "factscope" / "benchmarks" / "papers" / "published"


def test_the_study_of_factbench_suggests_less_than_a_half() -> None:
    """570 undecided units of four models: 43 % not factual overall, 32 to 49 % by model."""
    with (GOLDEN / "factbench_alpha_study.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["model"] != "Average"]
    each = 570 // len(rows)  # the number of units per model is not published
    labels = {}
    for row in rows:
        wrong = round(each * float(row["not_factual_pct"]) / 100)
        labels[row["model"]] = [True] * wrong + [False] * (each - wrong)
    common, *models = estimate_alpha(labels)
    assert common.value == pytest.approx(0.43, abs=0.005)
    assert common.interval is not None
    assert common.interval.high < 0.5
    for one, row in zip(models, rows, strict=True):
        assert one.raw == pytest.approx(float(row["not_factual_pct"]) / 100, abs=0.005)
        assert one.interval is not None
        assert one.interval.low < one.value < one.interval.high
        assert abs(one.value - common.value) <= abs((one.raw or 0) - common.value)
    assert models[0].value < models[2].value


def test_without_labels_alpha_is_a_half() -> None:
    common, group = estimate_alpha({"m": []})
    assert (common.value, common.interval, common.raw, common.n) == (0.5, None, None, 0)
    assert (group.value, group.interval) == (0.5, None)
    assert estimate_alpha({})[0].value == 0.5


def test_a_handful_of_labels_moves_alpha_only_slightly() -> None:
    common, *_ = estimate_alpha({"m": [True, True]})
    assert common.value == 0.75
    assert common.raw == 1


def test_groups_that_do_not_differ_share_the_common_value() -> None:
    common, a, b = estimate_alpha({"a": [True, False] * 20, "b": [True, False] * 10})
    assert a.value == b.value == common.value == 0.5
    assert a.borrowed is None


@given(st.dictionaries(st.sampled_from("abcd"), st.lists(st.booleans(), max_size=12)))
def test_estimates_lie_between_own_and_common(labels: dict[str, list[bool]]) -> None:
    common, *groups = estimate_alpha(labels)
    for one in groups:
        ends = sorted([common.value, one.raw if one.raw is not None else common.value])
        assert ends[0] - 1e-9 <= one.value <= ends[1] + 1e-9
        assert one.interval is None or one.interval.low - 1e-9 <= one.value <= one.interval.high + 1e-9


def units(wrong: int, n: int) -> list[bool]:
    return [True] * wrong + [False] * (n - wrong)


def test_groups_that_differ_are_drawn_to_the_common_share_as_worked_by_hand() -> None:
    # Groups of at least ten labels: 9 of 12 and 6 of 20, so p = 15/32 and p(1 - p) = 255/1024. Between them
    # 12(9/12 - p)² + 20(6/20 - p)² = 1.51875; less 255/1024, by 14 · 255/1024, rho = 2167/5950. 1/rho - 1 = 1.7457314.
    common, a, b, few, none = estimate_alpha(
        {"a": units(9, 12), "b": units(6, 20), "few": units(2, 3), "none": []}
    )  # fmt: skip
    assert (common.value, common.raw, common.n, common.borrowed) == (pytest.approx(18 / 37), 17 / 35, 35, None)
    assert common.interval == wilson(18, 37)
    assert a.borrowed == b.borrowed == few.borrowed == none.borrowed == pytest.approx(5950 / 2167 - 1)
    assert [group.value for group in (a, b, few, none)] == pytest.approx([0.7165333, 0.3149710, 0.6003869, 18 / 37])
    assert [(group.raw, group.n) for group in (a, b, few, none)] == [(0.75, 12), (0.3, 20), (2 / 3, 3), (None, 0)]
    expected = wilson(9.849274747751904, 13.745731425934471)
    assert a.interval is not None
    assert expected is not None
    assert (a.interval.low, a.interval.high) == pytest.approx((expected.low, expected.high))


def test_maximally_different_groups_borrow_nothing() -> None:
    _, a, b, none = estimate_alpha({"a": units(20, 20), "b": units(0, 20), "none": []})
    assert (a.value, b.value, a.borrowed, b.borrowed) == (1, 0, 0, 0)
    assert a.interval == wilson(20, 20)
    assert (none.value, none.interval) == (0.5, wilson(21, 42))


@pytest.mark.parametrize(
    "labels",
    [
        {"a": units(9, 12), "b": units(3, 9)},  # one group of ten labels does not show how groups differ
        {"a": units(10, 10), "b": units(10, 10)},
        {"a": units(0, 10), "b": units(0, 12)},
        {"a": units(6, 10), "b": units(5, 10)},  # less than expected by chance
        {"a": units(18, 32), "b": units(14, 32)},  # 32 · (2/32)² · 2 = 1/4: exactly what chance would bring
        {"a": units(3, 4)},
    ],
)
def test_without_a_difference_beyond_chance_all_groups_have_the_common_share(labels: dict[str, list[bool]]) -> None:
    common, *groups = estimate_alpha(labels)
    assert {(group.value, group.interval, group.borrowed) for group in groups} == {
        (common.value, common.interval, None)
    }
    assert common.n == sum(map(len, labels.values()))


def test_ten_labels_are_enough_to_tell_groups_apart() -> None:
    # p = 1/2: (10 · 0.16 · 2 - 1/4) / (9 · 1/4) = 59/45, hence 1.
    assert estimate_alpha({"a": units(9, 10), "b": units(1, 10)})[1].borrowed == 0
    # p = 1/2: (10 · 0.09 · 2 - 1/4) / (9 · 1/4) = 31/45.
    assert estimate_alpha({"a": units(8, 10), "b": units(2, 10)})[1].borrowed == pytest.approx(14 / 31)
    # Three groups, p = 1/2: (10 · 0.16 · 2 - 2 · 1/4) / (18 · 1/4) = 3/5.
    three = {"a": units(9, 10), "b": units(5, 10), "c": units(1, 10)}
    assert estimate_alpha(three)[1].borrowed == pytest.approx(2 / 3)


def test_ranks_change_where_the_lines_cross() -> None:
    """A: one error in four; B: two undecided in four. Equal at alpha 0.5."""
    models = {"A": [EndedUnits(1, 1, 4)], "B": [EndedUnits(0, 4, 4)], "C": [EndedUnits(4, 0, 4)]}
    found = sensitivity(models, reference=0.5)
    assert found is not None
    # A: (1 + a)/2, B: 4a/2: they cross at a = 1/3. C: 2, which B reaches only at 1.
    assert found.stable_from == pytest.approx(1 / 3)
    assert found.stable_to == 1
    first, last = found.curve[0], found.curve[-1]
    assert first.ranks == {"A": 2, "B": 1, "C": 3}
    assert found.curve[5].ranks == {"A": 1, "B": 2, "C": 3}
    assert found.curve[5].tau == 1
    assert first.tau == pytest.approx(1 / 3)
    assert last.scores == {"A": 1.0, "B": 2.0, "C": 2.0}


def test_a_score_is_the_mean_over_responses_with_something_judged() -> None:
    models = {"A": [EndedUnits(1, 2, 4), EndedUnits(3, 0, 9), EndedUnits(0, 0, 0)], "none": [EndedUnits(0, 0, 0)]}
    found = sensitivity(models)
    assert found is not None
    # (1 + 2a)/2 and 3/3: their mean is 3/4 + a/2.
    assert [point.alpha for point in found.curve] == [step / 10 for step in range(11)]
    for point in found.curve:
        assert point.scores == {"A": pytest.approx(0.75 + point.alpha / 2)}
        assert point.ranks == {"A": 1}
        assert point.tau is None, "one model has no order"
    assert (found.reference, found.stable_from, found.stable_to) == (0.5, 0, 1)


def test_the_stable_range_ends_at_the_nearest_crossing_on_either_side() -> None:
    # (c + ua)/2: A 1/2; B a, crosses A at 1/2; C 1/4 + a/2, crosses A and B at 1/2; D 3a/2, crosses A at 1/3, ...
    a, b, d = [EndedUnits(1, 0, 4)], [EndedUnits(0, 2, 4)], [EndedUnits(0, 3, 4)]

    def stable(reference: float, **models: list[EndedUnits]) -> tuple[float, float]:
        found = sensitivity(models, reference)
        assert found is not None
        assert found.reference == reference
        return found.stable_from, found.stable_to

    assert stable(0.4, A=a, B=b) == (0, 0.5)
    assert stable(0.6, A=a, B=b) == (0.5, 1)
    assert stable(0.5, A=a, B=b) == (0.5, 0.5), "they are equal there"
    assert stable(0.4, A=a, B=b, D=d) == (pytest.approx(1 / 3), 0.5)
    assert stable(0.1, A=a, B=b, D=d) == (0, pytest.approx(1 / 3))
    assert stable(0.9, A=a, B=b, D=d) == (0.5, 1)
    # Lines that cross only outside 0 to 1: (1 + a)/2 and (4 + 2a)/2 at -3, (1 + a)/2 and (3 + 0a)/2 at 2.
    assert stable(0.5, A=[EndedUnits(1, 1, 4)], B=[EndedUnits(4, 2, 4)], C=[EndedUnits(3, 0, 4)]) == (0, 1)
    assert stable(0.4, A=[EndedUnits(1, 2, 4)], B=[EndedUnits(2, 0, 4)]) == (0, 0.5)
    assert stable(0, A=a, B=b) == (0, 0.5)
    assert stable(1, A=a, B=b) == (0.5, 1)


def test_the_same_outcomes_in_another_order_never_swap_ranks() -> None:
    """Their sums differ in the last digit."""
    outcomes = [EndedUnits(*counts) for counts in ((0, 0, 8), (1, 1, 14), (0, 3, 7), (1, 1, 13), (1, 1, 9))]
    for other in permutations(outcomes):
        found = sensitivity({"A": outcomes, "B": other})
        assert found is not None
        assert (found.stable_from, found.stable_to) == (0, 1)
        assert {point.tau for point in found.curve} == {None}, "a tie is not an order"


def test_equal_scores_share_the_better_rank_and_the_next_is_left_out() -> None:
    models = {
        "A": [EndedUnits(1, 0, 4)],
        "B": [EndedUnits(1, 0, 4)],
        "C": [EndedUnits(0, 1, 4)],
        "D": [EndedUnits(3, 0, 4)],
    }
    found = sensitivity(models, alphas=(0.5,))
    assert found is not None
    assert found.curve[0].ranks == {"A": 2, "B": 2, "C": 1, "D": 4}


def test_models_with_nothing_judged_have_no_curve() -> None:
    assert sensitivity({"A": [EndedUnits(0, 0, 0)]}) is None
    assert sensitivity({}) is None
    with pytest.raises(ValueError, match="between 0 and 1"):
        sensitivity({}, reference=-0.1)
    with pytest.raises(ValueError, match="between 0 and 1"):
        sensitivity({}, reference=1.5)
